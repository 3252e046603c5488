/** All keys at a glance. */
import { html } from "../html.js";
import { keys, shown } from "../keys.js";
import { WORDS } from "../words.js";
import { Dialog } from "./parts.js";

/** @param {{desk: import("../desk.js").Desk, close: () => void}} props */
export function KeysDialog({ desk, close }) {
  const used = Object.entries(keys.bindings).filter(([action, held]) => held.length && applies(action, desk));
  return html`<${Dialog} title=${WORDS.keysTitle} close=${close} wide>
    <dl class="keys">
      ${used.map(([action, held]) => html`<div><dt>${held.map((key) => html`<kbd>${shown(key)}</kbd> `)}</dt><dd>${WORDS.actions[action]}</dd></div>`)}
    </dl>
    <p class="soft"><a href="#/p/${encodeURIComponent(desk.key)}/settings" onClick=${close}>${WORDS.screens.settings}</a></p>
  <//>`;
}

/** @param {string} action @param {import("../desk.js").Desk} desk */
function applies(action, desk) {
  if (action.startsWith("grade")) return desk.graded && action.slice(5) in desk.state.project.scale.names;
  return !desk.graded || (action !== "not" && action !== "relevant");
}
