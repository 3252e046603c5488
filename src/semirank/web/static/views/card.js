/** The card under the eyes, or several of them. */
import { get } from "../api.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { settings } from "../settings.js";
import { useAnswer } from "../store.js";
import { WORDS, count, fixed, when } from "../words.js";
import { marked } from "./marking.js";
import { Mark } from "./parts.js";
import { SeedHint } from "./seed.js";
import { useSwipe } from "./swipe.js";
import { Why, useWhy } from "./why.js";

/** @typedef {import("../desk.js").Item} Item */

/** Only http and https are links. @param {string | null} address */
const safe = (address) => (address && /^https?:\/\//i.test(address) ? address : null);

/** @param {{desk: import("../desk.js").Desk, item: Item, openDialog: (name: string) => void}} props */
export function Card({ desk, item, openDialog }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const why = useWhy(desk, item);
  useLayoutEffect(() => void (pane.current && (pane.current.scrollTop = 0)), [item.row]);
  useSwipe(pane, desk);
  const words = settings.state.why && why.value ? why.value.words : [];
  return html`<section class="reading" ref=${pane} tabindex="0" aria-label=${WORDS.card.read}>
    <${SeedHint} desk=${desk} openDialog=${openDialog} />
    <article data-row=${item.row}>
      <h2 class="title">${marked(item.title || WORDS.card.untitled, words)}</h2>
      <${About} desk=${desk} item=${item} />
      ${item.image ? html`<img class="picture" alt=${WORDS.card.image(item.title || item.id)} src="${desk.path}/items/${item.row}/image?w=512" />` : null}
      ${item.text ? html`<p class="text" lang=${item.meta?.language || undefined}>${marked(item.text, words)}</p>` : item.text == null || item.image || desk.state.project.kind === "vectors" ? null : html`<p class="soft">${WORDS.card.noText}</p>`}
      ${item.note ? html`<p class="note"><b>${WORDS.note.title}</b> ${item.note}</p>` : null}
      ${item.by?.length ? html`<p class="soft">${WORDS.card.conflictBy}: ${item.by.map((by) => html`<span>${by.reviewer} <${Mark} verdict=${by} desk=${desk} /> </span>`)}</p>` : null}
      ${settings.state.why ? html`<${Why} desk=${desk} item=${item} answer=${why} />` : null}
      <${More} desk=${desk} item=${item} />
    </article>
  </section>`;
}

/** @param {{desk: import("../desk.js").Desk, item: Item}} props */
function About({ desk, item }) {
  const verdict = desk.verdictOf(item);
  const shown = Object.entries(item.meta ?? {})
    .filter(([, value]) => value != null && value !== "" && String(value).length < 120)
    .slice(0, 4);
  return html`<p class="about">
    ${verdict ? html`<${Mark} verdict=${verdict} desk=${desk} />` : null}
    ${shown.map(([name, value]) => html`<span title=${name}>${String(value)}</span>`)}
    ${safe(item.link) ? html`<a href=${safe(item.link)} target="_blank" rel="noopener noreferrer">${WORDS.card.link} ↗</a>` : null}
    ${desk.state.project.lists.length > 1 ? html`<span>${WORDS.card.list} ${item.qid}</span>` : null}
    ${item.tags.map((tag) => html`<span class="tag">${tag}</span>`)}
    ${desk.scoreOf(item) != null ? html`<span class="soft">${WORDS.card.score} ${fixed(desk.scoreOf(item))}${item.place ? `, ${WORDS.card.place} ${count(item.place)}` : ""}</span>` : null}
    ${item.copies?.length ? html`<span>${WORDS.list.copies(item.copies.length)} <button class="link" onClick=${() => desk.ungroup(item)}>${WORDS.card.ungroup}</button></span>` : null}
  </p>`;
}

/** Neighbours, history and all fields: asked for when opened. @param {{desk: import("../desk.js").Desk, item: Item}} props */
function More({ desk, item }) {
  const long = Object.entries(item.meta ?? {}).filter(([, value]) => value != null && value !== "");
  return html`<div class="more">
    <${Fold} title=${WORDS.card.neighbours} key="n${item.row}" body=${() => html`<${Neighbours} desk=${desk} item=${item} />`} />
    <${Fold} title=${WORDS.card.history} key="h${item.row}" body=${() => html`<${History} desk=${desk} item=${item} />`} />
    ${long.length ? html`<${Fold} title=${WORDS.card.details} key="d${item.row}" body=${() => html`<dl class="details">${long.map(([name, value]) => html`<dt>${name}</dt><dd>${String(value)}</dd>`)}</dl>`} />` : null}
  </div>`;
}

/** @param {{title: string, body: () => any}} props */
function Fold({ title, body }) {
  const [open, setOpen] = useState(false);
  return html`<details onToggle=${(/** @type {any} */ event) => setOpen(event.currentTarget.open)}><summary>${title}</summary>${open ? body() : null}</details>`;
}

/** @param {{desk: import("../desk.js").Desk, item: Item}} props */
function Neighbours({ desk, item }) {
  const { value } = useAnswer(() => get(`${desk.path}/neighbours/${item.row}`, { n: 10 }), [item.row]);
  if (!value) return html`<p class="soft">${WORDS.loading}</p>`;
  if (!value.items.length) return html`<p class="soft">${WORDS.card.none}</p>`;
  return html`<ul class="lines">
    ${value.items.map(
      (/** @type {Item} */ near) => html`<li>
      <button class="link" onClick=${() => desk.pick(near)}>${near.image ? html`<img class="thumb" alt="" src="${desk.path}/items/${near.row}/image?w=96" />` : null}${near.title || near.id}</button> <${Mark} verdict=${desk.verdictOf(near)} desk=${desk} />
    </li>`,
    )}
  </ul>`;
}

/** @param {{desk: import("../desk.js").Desk, item: Item}} props */
function History({ desk, item }) {
  const { value } = useAnswer(() => get(`${desk.path}/items/${item.row}`), [item.row]);
  if (!value) return html`<p class="soft">${WORDS.loading}</p>`;
  if (!value.history.length) return html`<p class="soft">${WORDS.card.noHistory}</p>`;
  return html`<ul class="lines">
    ${value.history.map(
      (/** @type {any} */ event) => html`<li class=${event.undone ? "undone" : ""}>
      ${event.kind === "label" ? html`<${Mark} verdict=${event} desk=${desk} />` : html`${WORDS.kinds[event.kind] ?? event.kind} ${event.value != null ? String(event.value) : ""}`}
      <span class="soft"> ${event.reviewer} ${when(event.time)}${event.undone ? `, ${WORDS.labels.undone}` : ""}</span>
    </li>`,
    )}
  </ul>`;
}

/** Several cards a screen. @param {{desk: import("../desk.js").Desk}} props */
export function Grid({ desk }) {
  const { page, at } = desk.state;
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => element.current?.querySelector(".current")?.scrollIntoView({ block: "nearest" }), [at, page]);
  return html`<section class="reading grid of${settings.state.cards}" ref=${element} tabindex="0" aria-label=${WORDS.card.read}>
    ${page.map((/** @type {Item} */ item, /** @type {number} */ i) => {
      const verdict = desk.verdictOf(item);
      return html`<article key=${item.row} data-row=${item.row} class="small ${i === at ? "current" : ""} ${verdict ? "done" : ""}" onClick=${() => desk.set({ at: i })}>
        ${item.image ? html`<img class="picture" alt=${WORDS.card.image(item.title || item.id)} src="${desk.path}/items/${item.row}/image?w=256" />` : null}
        <h2 class="title">${item.title || item.id}</h2>
        <p class="under"><${Mark} verdict=${verdict} desk=${desk} />${desk.scoreOf(item) != null ? html`<span>${fixed(desk.scoreOf(item))}</span>` : null}</p>
        ${item.text ? html`<p class="text">${item.text}</p>` : null}
      </article>`;
    })}
  </section>`;
}

/** @param {{desk: import("../desk.js").Desk, openDialog: (name: string) => void}} props */
export function Nothing({ desk }) {
  return html`<section class="reading nothing" tabindex="0" aria-label=${WORDS.card.read}>
    ${desk.state.asking ? html`<p class="soft">${WORDS.card.first}</p>` : html`<p>${WORDS.card.nothing}</p><p class="soft">${WORDS.card.change}</p>`}
  </section>`;
}
