/** Read: the list, the card, and the bar that never moves. */
import { html, useState } from "../html.js";
import { settings } from "../settings.js";
import { WORDS } from "../words.js";
import { Bar } from "./bar.js";
import { Card, Grid, Nothing } from "./card.js";
import { ItemList } from "./list.js";

/** @param {{desk: import("../desk.js").Desk, act: (action: string) => void, waiting: any, openDialog: (name: string) => void}} props */
export function Work({ desk, act, waiting, openDialog }) {
  const [drawer, setDrawer] = useState(false);
  const { state } = desk;
  const several = settings.state.cards > 1 && state.page.length > 1;
  return html`<main class="work ${several ? "several" : ""}">
    <h1 class="spoken">${WORDS.screens.work}: ${state.project.name}</h1>
    <${ItemList} desk=${desk} open=${drawer} close=${() => setDrawer(false)} act=${act} openDialog=${openDialog} />
    ${drawer ? html`<div class="veil" onClick=${() => setDrawer(false)}></div>` : null}
    ${desk.item ? (several ? html`<${Grid} desk=${desk} />` : html`<${Card} desk=${desk} item=${desk.item} openDialog=${openDialog} />`) : html`<${Nothing} desk=${desk} openDialog=${openDialog} />`}
    <${Bar} desk=${desk} act=${act} waiting=${waiting} openList=${() => setDrawer(!drawer)} drawer=${drawer} />
  </main>`;
}
