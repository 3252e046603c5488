/** Small parts that several pages share. */
import { html, useEffect, useLayoutEffect, useRef } from "../html.js";
import { keys } from "../keys.js";
import { Refusal } from "../api.js";
import { WORDS } from "../words.js";

/** What went wrong, where, and what to do. @param {{error: any, again?: () => void}} props */
export function Failure({ error, again }) {
  const said = error instanceof Refusal ? error.message : WORDS.error.away;
  return html`<div class="failure" role="alert">
    <p><strong>${said}</strong></p>
    ${error.where ? html`<p>${error.where}</p>` : null}
    ${error.whatToDo ? html`<p>${error.whatToDo}</p>` : null}
    ${again ? html`<button onClick=${again}>${WORDS.error.again}</button>` : null}
  </div>`;
}

/** The key of an action, as a small cap. @param {{of: string}} props */
export function Key({ of }) {
  const key = keys.of(of);
  return key ? html`<kbd aria-hidden="true">${key}</kbd>` : null;
}

const SHAPES = { relevant: "✓", not: "✕", unsure: "?", later: "↷" };

/** A verdict as colour, shape and word. @param {{verdict: any, desk: import("../desk.js").Desk, short?: boolean}} props */
export function Mark({ verdict, desk, short }) {
  if (!verdict) return null;
  const kind = kindOf(verdict, desk);
  return html`<span class="mark ${kind}" title=${desk.nameOf(verdict)}>
    <span aria-hidden="true">${SHAPES[kind]}</span>${short ? null : html` ${desk.nameOf(verdict)}`}
  </span>`;
}

/** @param {any} verdict @param {import("../desk.js").Desk} desk @returns {keyof typeof SHAPES} */
export function kindOf(verdict, desk) {
  if (verdict.kind !== "label" && verdict.kind !== "adjudicate") return verdict.kind;
  return desk.isRelevant(verdict.value ?? 0) ? "relevant" : "not";
}

/**
 * A window over the page; the focus goes back to where it was.
 * @param {{title: string, close: () => void, children?: any, wide?: boolean}} props
 */
export function Dialog({ title, close, children, wide }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    element.current?.showModal();
    return () => before?.focus?.();
  }, []);
  const outside = (/** @type {MouseEvent} */ event) => event.target === element.current && close();
  return html`<dialog ref=${element} class=${wide ? "wide" : ""} aria-labelledby="dialog-title" onClose=${close} onClick=${outside}>
    <header>
      <h2 id="dialog-title">${title}</h2>
      <button class="plain" onClick=${close} aria-label=${WORDS.close}>✕</button>
    </header>
    ${children}
  </dialog>`;
}

/** @param {{label: string, value: string, options: [string, string][], change: (value: string) => void, quiet?: boolean, disabled?: boolean, id?: string}} props */
export function Select({ label, value, options, change, quiet, disabled, id }) {
  const changed = (/** @type {any} */ event) => {
    change(event.currentTarget.value);
    if (quiet) event.currentTarget.blur(); // so that keys act again
  };
  return html`<label class=${quiet ? "select quiet" : "select"}>
    <span>${label}</span>
    <select id=${id} value=${value} disabled=${disabled} onChange=${changed}>
      ${options.map(([name, said]) => html`<option value=${name} selected=${name === value}>${said}</option>`)}
    </select>
  </label>`;
}

/** Work in the background: how far it is, and how to end it. @param {{job: any, cancel?: () => void}} props */
export function Job({ job, cancel }) {
  return html`<div class="job">
    <span>${job.says}</span>
    <progress aria-label=${job.says} value=${job.progress ?? undefined} max="1"></progress>
    ${cancel ? html`<button onClick=${cancel}>${WORDS.job.cancel}</button>` : null}
  </div>`;
}

/** Save a text as a file. @param {string} name @param {string} text @param {string} type */
export function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {any[][]} rows @returns {string} */
export const toCsv = (rows) =>
  rows
    .map((row) =>
      row.map((cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(","),
    )
    .join("\r\n") + "\r\n";

/** The heading of a page takes the focus, so that a reader of the screen hears where they are. @param {{children?: any}} props */
export function Title({ children }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => element.current?.focus(), []);
  return html`<h1 tabindex="-1" ref=${element}>${children}</h1>`;
}
