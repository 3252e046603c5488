/** Why an item stands where it stands: what adds up to its score. */
import { get } from "../api.js";
import { html, useEffect, useState } from "../html.js";
import { settings } from "../settings.js";
import { WORDS, count, fixed } from "../words.js";
import { Key, Mark } from "./parts.js";

const SHOWN = 3;
const REST = 120; // ms: who reads faster than that does not ask why

/**
 * Asked for once the reader stays with an item.
 * @param {import("../desk.js").Desk} desk @param {import("../desk.js").Item} item
 */
export function useWhy(desk, item) {
  const [answer, set] = useState(/** @type {{row: number, value: any}} */ ({ row: -1, value: null }));
  const on = settings.state.why;
  const unexplained = answer.row === item.row && answer.value?.score == null;
  const order = unexplained ? desk.state.order?.number : null; // the next one may explain it
  const explained = (/** @type {any} */ value) => {
    set({ row: item.row, value });
    if (value.score != null && value.score !== item.score) desk.change(item, { score: value.score, place: null }); // of the newest order
  };
  useEffect(() => {
    if (!on) return;
    const stop = new AbortController();
    const timer = setTimeout(
      () =>
        get(`${desk.path}/why/${item.row}`, {}, stop.signal).then(explained, () => set({ row: item.row, value: null })),
      REST,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [item.row, on, desk, order]);
  return { value: answer.row === item.row ? answer.value : null, done: answer.row === item.row };
}

/** @param {{desk: import("../desk.js").Desk, item: import("../desk.js").Item, answer: {value: any, done: boolean}}} props */
export function Why({ desk, item, answer }) {
  const [against, setAgainst] = useState(/** @type {any} */ (null));
  useEffect(() => setAgainst(null), [item.row]);
  const why = against?.against ?? answer.value;
  const next = desk.state.queue[0];
  const compare = () =>
    against
      ? setAgainst(null)
      : get(`${desk.path}/why/${item.row}`, { against: next.row }).then(setAgainst, () => null);
  return html`<section class="why" aria-label=${WORDS.why.title}>
    <h3>${WORDS.why.title} <${Key} of="why" /></h3>
    ${
      !answer.value
        ? html`<p class="soft">${answer.done ? WORDS.why.none : WORDS.why.wait}</p>`
        : html`
      ${why.items.length || why.words.length ? null : html`<p>${why.sentence}</p>`}
      <${Bars} desk=${desk} why=${why} />
      ${answer.value.shares ? html`<p class="soft">${WORDS.why.shares}</p>` : null}
      ${next && why.score != null ? html`<p><button class="link" onClick=${compare}>${against ? WORDS.why.alone : WORDS.why.before}</button></p>` : null}
      ${why.score == null ? null : html`<${WhatIf} desk=${desk} item=${item} key=${item.row} />`}`
    }
  </section>`;
}

/** @param {any[]} all @returns {any[]} the strongest for and against */
const strongest = (all) => {
  const up = all
    .filter((one) => one.amount > 0)
    .sort((a, b) => b.amount - a.amount)
    .slice(0, SHOWN);
  const down = all
    .filter((one) => one.amount < 0)
    .sort((a, b) => a.amount - b.amount)
    .slice(0, SHOWN);
  return [...up, ...down];
};

/** @param {{desk: import("../desk.js").Desk, why: any}} props */
function Bars({ desk, why }) {
  const items = strongest(why.items);
  const words = strongest(why.words);
  const widest = Math.max(...[...items, ...words].map((one) => Math.abs(one.amount)), 1e-12);
  const rest = (/** @type {any[]} */ all, /** @type {any[]} */ shown, /** @type {number} */ more) =>
    all.filter((one) => !shown.includes(one)).reduce((sum, one) => sum + one.amount, more ?? 0);
  const verdict = (/** @type {any} */ one) => desk.nameOf({ kind: "label", value: one.label }).toLowerCase();
  return html`<div class="bars">
    ${items.length ? html`<h4>${WORDS.why.items}</h4>` : null}
    ${items.map(
      (one) => html`<${Amount} amount=${one.amount} widest=${widest}>
      ${one.row == null ? html`<span>${WORDS.why.question}: ${one.title}</span>` : html`<${Mark} verdict=${{ kind: "label", value: one.label }} desk=${desk} short /> <button class="link" onClick=${() => desk.pick(one)}>${one.title}</button> <span class="soft said">(${WORDS.why.because(verdict(one))})</span>`}
    <//>`,
    )}
    ${items.length ? html`<p class="soft sum">${WORDS.why.otherItems} ${fixed(rest(why.items, items, why.rest_items))} · ${WORDS.why.constant} ${fixed(why.constant)} · ${WORDS.why.sum} ${fixed(why.score)}</p>` : null}
    ${words.length ? html`<h4>${WORDS.why.words}</h4>` : null}
    ${words.map((one) => html`<${Amount} amount=${one.amount} widest=${widest}><span>${one.word}</span><//>`)}
    ${words.length ? html`<p class="soft sum">${WORDS.why.otherWords} ${fixed(rest(why.words, words, why.rest_words))}</p>` : null}
  </div>`;
}

/** @param {{amount: number, widest: number, children?: any}} props */
function Amount({ amount, widest, children }) {
  const side = amount >= 0 ? "for" : "against";
  return html`<div class="amount ${side}">
    <span class="value">${amount >= 0 ? "+" : ""}${fixed(amount)}</span>
    <span class="track"><span class="fill" style=${{ width: `${(100 * Math.abs(amount)) / widest}%` }}></span></span>
    <span class="what">${children}</span>
  </div>`;
}

/** @param {{desk: import("../desk.js").Desk, item: import("../desk.js").Item}} props */
function WhatIf({ desk, item }) {
  const [answer, set] = useState(/** @type {any} */ (null));
  const ask = () => get(`${desk.path}/whatif/${item.row}`, { value: 1 }).then(set, () => set({}));
  if (!answer) return html`<p><button class="link" onClick=${ask}>${WORDS.why.whatIf}</button></p>`;
  return answer.place_then == null
    ? null
    : html`<p class="soft">${WORDS.why.ifRelevant(answer.place_now, answer.place_then)}</p>`;
}
