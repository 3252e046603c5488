/** The verdict bar: its rectangle is the same before and after everything. */
import { html } from "../html.js";
import { WORDS } from "../words.js";
import { Key } from "./parts.js";

/** @param {{desk: import("../desk.js").Desk, act: (action: string) => void, waiting: any, openList: () => void, drawer: boolean}} props */
export function Bar({ desk, act, waiting, openList, drawer }) {
  const { state } = desk;
  const off = !desk.item || desk.readOnly;
  return html`<div class="bar" role="toolbar" aria-label=${WORDS.bar.label}>
    <div class="verdicts">
      ${
        desk.graded
          ? html`<${Grades} desk=${desk} act=${act} off=${off} />`
          : html`
        <${Verdict} name="not" act=${act} off=${off} desk=${desk} value=${0} />
        <${Verdict} name="relevant" act=${act} off=${off} desk=${desk} value=${1} />`
      }
      <${Verdict} name="unsure" act=${act} off=${off} desk=${desk} />
      <${Verdict} name="later" act=${act} off=${off} desk=${desk} />
    </div>
    <div class="tools">
      <button class="drawer" aria-expanded=${drawer} onClick=${openList}>${WORDS.bar.list}</button>
      <button disabled=${off} onClick=${() => act("note")}>${WORDS.bar.note}<${Key} of="note" /></button>
      <button disabled=${off} onClick=${() => act("tag")}>${WORDS.bar.tag}<${Key} of="tag" /></button>
      <button disabled=${desk.readOnly} onClick=${() => act("undo")}>${WORDS.bar.undo}<${Key} of="undo" /></button>
    </div>
    <div class="state">
      ${
        waiting.late
          ? html`<span class="unsaved" role="status">${WORDS.notSaved(waiting.waiting)}</span>`
          : state.picked || state.moved || state.query || state.scrolled
            ? html`<button onClick=${() => act("take")}>${state.moved ? WORDS.bar.moved(state.moved) : WORDS.bar.back}<${Key} of="take" /></button>`
            : null
      }
    </div>
  </div>`;
}

/** @param {{name: string, desk: import("../desk.js").Desk, act: (action: string) => void, off: boolean, value?: number}} props */
function Verdict({ name, desk, act, off, value }) {
  const given = desk.item && desk.verdictOf(desk.item);
  const on =
    given &&
    (value == null
      ? given.kind === name
      : given.kind === "label" && desk.isRelevant(given.value ?? 0) === (name === "relevant"));
  const names = desk.state.project.scale.names;
  const said =
    value == null || names[String(value)] == null || ["not", "relevant"].includes(names[String(value)])
      ? WORDS.verdict[name]
      : names[String(value)];
  return html`<button class="verdict ${name}" aria-pressed=${Boolean(on)} disabled=${off} onClick=${() => act(name)}>${said}<${Key} of=${name} /></button>`;
}

/** @param {{desk: import("../desk.js").Desk, act: (action: string) => void, off: boolean}} props */
function Grades({ desk, act, off }) {
  const given = desk.item && desk.verdictOf(desk.item);
  return Object.entries(desk.state.project.scale.names).map(([value, name]) => {
    const kind = desk.isRelevant(Number(value)) ? "relevant" : "not";
    const on = given?.kind === "label" && given.value === Number(value);
    return html`<button class="verdict grade ${kind}" title=${name} aria-label="${value} ${name}" aria-pressed=${on} disabled=${off} onClick=${() => act(`grade${value}`)}>
      <b>${value}</b><span class="grade-name">${name}</span>
    </button>`;
  });
}
