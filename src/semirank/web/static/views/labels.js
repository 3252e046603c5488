/** Labels: every item with its verdict, to look through and to change; and the log. */
import { get } from "../api.js";
import { html, useState } from "../html.js";
import { useAnswer } from "../store.js";
import { WORDS, count, fixed, when } from "../words.js";
import { Failure, Mark, Select, Title } from "./parts.js";

const W = WORDS.labels;
const PAGE = 50;
const FILTERS = ["any", "relevant", "not", "unsure", "later", "none", "conflict"];

/** @param {{desk: import("../desk.js").Desk, go: (name: string) => void}} props */
export function Labels({ desk, go }) {
  const [tab, setTab] = useState("items");
  const choose = (/** @type {string} */ name) =>
    html`<button aria-pressed=${tab === name} onClick=${() => setTab(name)}>${name === "items" ? W.items : W.log}</button>`;
  return html`<main class="page labels">
    <header class="row between"><${Title}>${W.title}<//><div class="choice" role="group" aria-label=${W.title}>${choose("items")}${choose("log")}</div></header>
    ${tab === "items" ? html`<${Items} desk=${desk} go=${go} />` : html`<${Log} desk=${desk} />`}
  </main>`;
}

/** @param {{desk: import("../desk.js").Desk, go: (name: string) => void}} props */
function Items({ desk, go }) {
  const [filter, setFilter] = useState({ verdict: "any", sort: "time", q: "", tag: "", note: "", who: "", list: "" });
  const [n, setN] = useState(PAGE);
  const [chosen, choose] = useState(/** @type {Map<number, any>} */ (new Map()));
  const change = (/** @type {any} */ wish) => (setFilter({ ...filter, ...wish }), setN(PAGE));
  const { value, error, again } = useAnswer(
    () => get(`${desk.path}/items`, { ...filter, offset: 0, n }),
    [desk, filter, n, desk.state.counts.n_read, desk.state.order?.number],
  );
  const toggle = (/** @type {any} */ item) => {
    const next = new Map(chosen);
    if (!next.delete(item.row)) next.set(item.row, item);
    choose(next);
  };
  const takeBack = async () => {
    for (const item of chosen.values()) await takeBackVerdict(desk, item);
    choose(new Map());
    setTimeout(again, 300);
  };
  return html`<${Filters} desk=${desk} filter=${filter} change=${change} />
    ${error ? html`<${Failure} error=${error} again=${again} />` : null}
    <p class="row between"><span aria-live="polite">${value ? W.total(value.total) : WORDS.loading}</span>
      ${chosen.size ? html`<span>${W.selected(chosen.size)} <button disabled=${desk.readOnly} onClick=${takeBack}>${W.unlabel}</button></span>` : null}</p>
    ${
      value?.items.length
        ? html`<div class="scroll" tabindex="0" role="region" aria-label=${W.items}><table class="items">
      <thead><tr><th scope="col"><span class="spoken">${W.select}</span></th><th scope="col">${W.title2}</th><th scope="col">${W.verdict}</th><th scope="col" class="number">${W.score}</th><th scope="col">${W.tag}</th><th scope="col">${WORDS.note.title}</th></tr></thead>
      <tbody>${value.items.map(
        (/** @type {any} */ item) => html`<tr key=${item.row}>
        <td><input type="checkbox" aria-label="${W.select}: ${item.title || item.id}" checked=${chosen.has(item.row)} onChange=${() => toggle(item)} /></td>
        <td><button class="link" onClick=${() => (desk.pick(item), go("work"))}>${item.title || item.id}</button></td>
        <td class="nowrap"><${Mark} verdict=${desk.verdictOf(item)} desk=${desk} /></td>
        <td class="number">${desk.scoreOf(item) == null ? "" : fixed(desk.scoreOf(item))}</td><td>${item.tags.join(", ")}</td><td class="clip">${item.note}</td>
      </tr>`,
      )}</tbody></table></div>`
        : value
          ? html`<p class="soft">${W.none2}</p>`
          : null
    }
    ${value && value.total > n ? html`<p><button onClick=${() => setN(Math.min(n + PAGE, 1000))}>${W.more}</button></p>` : null}`;
}

/** Undo the event that gave an item its verdict. @param {import("../desk.js").Desk} desk @param {any} item */
async function takeBackVerdict(desk, item) {
  const { history } = await get(`${desk.path}/items/${item.row}`);
  const mine = history.filter(
    (/** @type {any} */ e) =>
      ["label", "unsure", "later"].includes(e.kind) && !e.undone && e.reviewer === desk.state.project.reviewer,
  );
  const last = mine.sort((/** @type {any} */ a, /** @type {any} */ b) => b.seq - a.seq)[0];
  if (!last) return;
  desk.mark(item, null);
  await desk.outbox.add(desk.event("undo", null, last.id));
}

/** @param {{desk: import("../desk.js").Desk, filter: any, change: (wish: any) => void}} props */
function Filters({ desk, filter, change }) {
  const { tags, users, lists } = desk.state.project;
  const { value: agreement } = useAnswer(async () => (users ? get(`${desk.path}/agreement`) : null), [desk]);
  const people = (agreement?.reviewers ?? []).map((/** @type {any} */ one) => [one.name, one.name]);
  const typed = (/** @type {any} */ event) => (
    event.preventDefault(),
    change({ q: event.currentTarget.elements.q.value })
  );
  const names = FILTERS.filter((name) => name !== "conflict" || users).map((name) => [
    name,
    name === "any" ? W.any : name === "none" ? W.none : WORDS.verdict[name],
  ]);
  return html`<form class="row filters" onSubmit=${typed}>
    <${Select} label=${W.verdict} value=${filter.verdict} options=${names} change=${(/** @type {string} */ verdict) => change({ verdict })} />
    <${Select} label=${W.sort} value=${filter.sort} options=${[
      ["time", W.time],
      ["rank", W.rank],
      ["file", W.file],
    ]} change=${(/** @type {string} */ sort) => change({ sort })} />
    ${tags.length ? html`<${Select} label=${W.tag} value=${filter.tag} options=${[["", W.any], ...tags.map((/** @type {string} */ t) => [t, t])]} change=${(/** @type {string} */ tag) => change({ tag })} />` : null}
    ${lists.length > 1 ? html`<${Select} label=${WORDS.list.list} value=${filter.list} options=${[["", WORDS.list.all], ...lists.map((/** @type {any} */ l) => [l.qid, l.qid])]} change=${(/** @type {string} */ list) => change({ list })} />` : null}
    ${people.length > 1 ? html`<${Select} label=${W.who} value=${filter.who} options=${[["", W.any], ...people]} change=${(/** @type {string} */ who) => change({ who })} />` : null}
    <label class="field"><span>${W.text}</span><input name="q" type="search" value=${filter.q} onChange=${(/** @type {any} */ e) => change({ q: e.currentTarget.value })} /></label>
    <label class="check"><input type="checkbox" checked=${filter.note === 1} onChange=${(/** @type {any} */ e) => change({ note: e.currentTarget.checked ? 1 : "" })} /> ${W.withNote}</label>
  </form>`;
}

/** @param {{desk: import("../desk.js").Desk}} props */
function Log({ desk }) {
  const [n, setN] = useState(100);
  const { value, error, again } = useAnswer(
    () => get(`${desk.path}/log`, { offset: 0, n }),
    [desk, n, desk.state.order?.number],
  );
  const say = (/** @type {any} */ e) =>
    e.value == null ? "" : typeof e.value === "object" ? JSON.stringify(e.value) : String(e.value);
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  return value
    ? html`<div class="scroll" tabindex="0" role="region" aria-label=${W.log}><table>
      <thead><tr><th scope="col" class="number">#</th><th scope="col">${W.when}</th><th scope="col">${W.who}</th><th scope="col">${W.what}</th><th scope="col">${W.value}</th><th scope="col">${W.title2}</th><th scope="col" class="number">${W.order}</th></tr></thead>
      <tbody>${value.events.map(
        (/** @type {any} */ e) => html`<tr key=${e.seq} class=${e.undone ? "undone" : ""}>
        <td class="number">${e.seq}</td><td class="nowrap">${when(e.time)}</td><td>${e.reviewer}</td><td>${WORDS.kinds[e.kind] ?? e.kind}${e.undone ? ` (${W.undone})` : ""}</td>
        <td class="clip">${e.kind === "label" ? html`<${Mark} verdict=${e} desk=${desk} />` : say(e)}</td><td class="clip">${e.title ?? ""}</td><td class="number">${count(e.order)}</td></tr>`,
      )}</tbody></table></div>
      ${value.total > n ? html`<p><button onClick=${() => setN(n + 200)}>${W.more}</button></p>` : null}`
    : html`<p>${WORDS.loading}</p>`;
}
