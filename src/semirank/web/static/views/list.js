/** The list beside the card: items in their order, what moved, which is read. */
import { MODES } from "../desk.js";
import { html } from "../html.js";
import { useStore } from "../store.js";
import { WORDS, count, fixed } from "../words.js";
import { Key, Mark, Select } from "./parts.js";
import { Virtual } from "./virtual.js";

const HEIGHT = 72;

/** @param {{desk: import("../desk.js").Desk, open: boolean, close: () => void, act: (action: string) => void, openDialog: (name: string) => void}} props */
export function ItemList({ desk, open, close, act, openDialog }) {
  const { state } = desk;
  const items = desk.items;
  useStore(items);
  const place = desk.item ? items.find(desk.item.row) : -1;
  const pick = (/** @type {any} */ item) => (desk.pick(item), close());
  return html`<section class="list ${open ? "open" : ""}" aria-label=${WORDS.list.label}>
    <${Head} desk=${desk} state=${state} close=${close} openDialog=${openDialog} />
    ${
      items.length === 0 && items.state.loaded
        ? html`<p class="soft empty">${WORDS.list.empty}</p>`
        : html`<${Virtual}
          length=${items.length} height=${HEIGHT} label=${WORDS.list.label} show=${place}
          active=${place >= 0 ? `item-${desk.item?.row}` : undefined}
          look=${(/** @type {number} */ from, /** @type {number} */ to) => items.ensure(from, to)}
          scrolled=${(/** @type {number} */ top) => desk.state.scrolled !== top > HEIGHT * 3 && desk.set({ scrolled: top > HEIGHT * 3 })}
          draw=${(/** @type {number} */ i) => html`<${Entry} key=${items.at(i)?.row ?? `gap-${i}`} desk=${desk} item=${items.at(i)} i=${i} n=${items.length} current=${i === place} pick=${pick} />`}
        />`
    }
  </section>`;
}

/** @param {{desk: import("../desk.js").Desk, state: any, close: () => void, openDialog: (name: string) => void}} props */
function Head({ desk, state, close, openDialog }) {
  const modes = MODES.filter(
    (mode) => (mode !== "audit" || state.project.audit) && (mode !== "second" || state.project.users),
  );
  const lists = state.project.lists;
  return html`<header>
    <button class="plain drawer-close" onClick=${close} aria-label=${WORDS.list.close}>✕</button>
    ${
      state.query
        ? html`<p><b>${WORDS.list.results(desk.items.length, state.query)}</b></p><button onClick=${() => desk.choose({ query: "" })}>${WORDS.list.leave}<${Key} of="take" /></button>`
        : html`<${Select} quiet label=${WORDS.list.mode} value=${state.mode} options=${modes.map((mode) => [mode, WORDS.modes[mode]])} change=${(/** @type {string} */ mode) => desk.choose({ mode })} />
          ${lists.length > 1 ? html`<${Select} quiet label=${WORDS.list.list} value=${state.list} options=${[["", WORDS.list.all], ...lists.map((/** @type {any} */ l) => [l.qid, `${l.qid} (${count(l.n_read)}/${count(l.n_items)})`])]} change=${(/** @type {string} */ list) => desk.choose({ list })} />` : null}
          ${state.project.kind === "texts" ? html`<button class="plain seed" title=${WORDS.seed.open} aria-label=${WORDS.seed.open} onClick=${() => openDialog("seed")}>✎</button>` : null}`
    }
    ${state.order?.problem ? html`<p class="problem">${state.order.problem}</p>` : null}
  </header>`;
}

/** @param {{desk: import("../desk.js").Desk, item?: import("../desk.js").Item, i: number, n: number, current: boolean, pick: (item: any) => void}} props */
function Entry({ desk, item, i, n, current, pick }) {
  if (!item)
    return html`<div class="entry wait" role="option" aria-selected="false" aria-label=${WORDS.loading}></div>`;
  const verdict = desk.verdictOf(item);
  const moved = item.moved ? (item.moved > 0 ? WORDS.list.up(item.moved) : WORDS.list.down(-item.moved)) : "";
  const name = WORDS.list.name(
    i + 1,
    n,
    item.title || item.id,
    verdict ? desk.nameOf(verdict) : WORDS.verdict.unread,
    moved,
  );
  return html`<div class="entry ${current ? "current" : ""}" id="item-${item.row}" role="option" aria-selected=${current} aria-label=${name} aria-posinset=${i + 1} aria-setsize=${n} onClick=${() => pick(item)}>
    <span class="moved ${item.moved > 0 ? "up" : "down"}">${item.moved ? `${item.moved > 0 ? "▲" : "▼"}${count(Math.abs(item.moved))}` : ""}</span>
    ${item.image ? html`<img class="thumb" loading="lazy" alt="" src="${desk.path}/items/${item.row}/image?w=96" />` : null}
    <span class="title">${item.title || item.id}</span>
    <span class="under">
      <${Mark} verdict=${verdict} desk=${desk} />
      ${desk.scoreOf(item) != null ? html`<span>${fixed(desk.scoreOf(item))}</span>` : null}
      ${item.copies?.length ? html`<span>${WORDS.list.copies(item.copies.length)}</span>` : null}
      ${item.note ? html`<span title=${item.note}>✎</span>` : null}
    </span>
  </div>`;
}
