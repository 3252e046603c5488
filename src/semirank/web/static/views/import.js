/** Import: what was understood, before anything is kept. Enter accepts. */
import { get, post } from "../api.js";
import { html, useEffect, useState } from "../html.js";
import { WORDS, count } from "../words.js";
import { Failure, Select, Title } from "./parts.js";

const SCALES = /** @type {Record<string, any>} */ ({
  binary: { names: { 0: "not", 1: "relevant" }, relevant: 1 },
  graded: { names: { 0: "not", 1: "hardly", 2: "fairly", 3: "perfectly" }, relevant: 1 },
});

/** @param {any} found @returns {string} which scale the labels of the file ask for */
const scaleOf = (found) =>
  Object.keys(found.labels?.grades ?? {}).some((value) => Number(value) > 1) ? "graded" : "binary";

/** @param {any} found @param {string} scale */
function scaleFor(found, scale) {
  const highest = Math.max(
    3,
    ...Object.keys(found.labels?.grades ?? {})
      .map(Number)
      .filter(Number.isInteger),
  );
  if (scale === "binary" || highest === 3) return SCALES[scale];
  return { names: Object.fromEntries(Array.from({ length: highest + 1 }, (_, i) => [i, String(i)])), relevant: 1 };
}

/** @param {{id: string}} props */
export function ImportPage({ id }) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [error, fail] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let timer = 0;
    const look = () =>
      get(`/api/imports/${id}`).then((answer) => {
        setFound(answer);
        if (answer.state === "reading") timer = setTimeout(look, 300);
      }, fail);
    look();
    return () => clearTimeout(timer);
  }, [id]);
  const wrong =
    error ||
    (found?.error && { message: found.error.error, where: found.error.where, whatToDo: found.error.what_to_do });
  return html`<main class="page import">
    <${Title}>${WORDS.import.title}<//>
    ${
      wrong
        ? html`<div class="failure" role="alert"><p><strong>${wrong.message}</strong></p><p>${wrong.where}</p><p>${wrong.whatToDo}</p>
      <p><a href="#/">${WORDS.top.home}</a></p></div>`
        : null
    }
    ${found?.state === "reading" ? html`<p>${WORDS.import.reading}</p><progress aria-label=${WORDS.import.reading} max="1" value=${found.progress ?? undefined}></progress>` : null}
    ${found?.state === "ready" ? html`<${Understood} found=${found} setFound=${setFound} fail=${fail} />` : null}
  </main>`;
}

/** @param {{found: any, setFound: (found: any) => void, fail: (error: any) => void}} props */
function Understood({ found, setFound, fail }) {
  const [name, setName] = useState(found.name.replace(/\.[^.]*$/, ""));
  const [near, setNear] = useState(false);
  const [scale, setScale] = useState(scaleOf(found));
  const [recall, setRecall] = useState(95);
  const [busy, setBusy] = useState(false);
  const roles = Object.fromEntries(found.columns.map((/** @type {any} */ column) => [column.name, column.role]));
  const change = (/** @type {string} */ column, /** @type {string} */ role) =>
    post(`/api/imports/${found.id}/roles`, { roles: { ...roles, [column]: role } }).then(setFound, fail);
  const accept = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    const target = { recall: recall / 100, confidence: 0.95 };
    const wish = found.into
      ? { import: found.id, roles }
      : { import: found.id, name, roles, scale: scaleFor(found, scale), target, group_near: near };
    await post("/api/projects", wish).then(
      (project) => void (location.hash = `#/p/${encodeURIComponent(project.key)}/work`),
      fail,
    );
    setBusy(false);
  };
  const own = !found.into;
  return html`<form onSubmit=${accept}>
    <${Facts} found=${found} />
    ${found.warnings.length ? html`<section class="notice"><h2>${WORDS.import.warnings}</h2><ul>${found.warnings.map((/** @type {string} */ w) => html`<li>${w}</li>`)}</ul></section>` : null}
    ${found.columns.length ? html`<${Columns} found=${found} change=${change} />` : null}
    ${
      own
        ? html`<div class="row">
          <label class="field"><span>${WORDS.import.name}</span><input value=${name} required onInput=${(/** @type {any} */ e) => setName(e.currentTarget.value)} /></label>
          <${Select} label=${WORDS.import.scale} value=${scale} options=${[
            ["binary", WORDS.import.binary],
            ["graded", WORDS.import.graded],
          ]} change=${setScale} />
          <label class="field"><span>${WORDS.import.target}, ${WORDS.import.targetSays}</span><input type="number" min="1" max="100" value=${recall} onInput=${(/** @type {any} */ e) => setRecall(Number(e.currentTarget.value))} /></label>
        </div>
        ${found.kind === "texts" ? html`<label class="check"><input type="checkbox" checked=${near} onChange=${(/** @type {any} */ e) => setNear(e.currentTarget.checked)} /> ${WORDS.import.group}</label>` : null}`
        : null
    }
    <p class="actions">
      <button class="primary big" type="submit" disabled=${busy} ref=${(/** @type {any} */ b) => b && !b.seen && ((b.seen = true), b.focus())}>
        ${busy ? WORDS.loading : own ? WORDS.import.start : WORDS.import.add}
      </button>
      <a href="#/">${WORDS.cancel}</a>
    </p>
    ${found.samples.length ? html`<${Samples} found=${found} />` : null}
  </form>`;
}

/** @param {{found: any}} props */
function Facts({ found }) {
  const facts = [
    [count(found.n_rows), WORDS.import.rows(found.n_rows)],
    [count(found.n_lists), WORDS.import.lists(found.n_lists)],
    [WORDS.import.labelled(found.labels), WORDS.import.labels],
    [count(found.n_without_text), WORDS.import.missing],
    [count(found.n_duplicates), WORDS.import.duplicates],
    [[found.format, found.encoding].filter(Boolean).join(", "), WORDS.import.format],
    ...(found.adds
      ? [
          [count(found.adds.n_new), WORDS.import.fresh],
          [count(found.adds.n_known), WORDS.import.known],
          [count(found.adds.n_labelled), WORDS.import.taken],
          [count(found.adds.n_conflicts), WORDS.import.conflicts],
        ]
      : []),
  ];
  return html`<dl class="facts">
    ${facts.map(([value, said]) => html`<div><dt>${said}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** @param {{found: any, change: (column: string, role: string) => void}} props */
function Columns({ found, change }) {
  const roles = /** @type {[string, string][]} */ (Object.entries(WORDS.import.roles));
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${WORDS.import.column}>
    <table>
      <thead><tr>
        <th scope="col">${WORDS.import.column}</th><th scope="col">${WORDS.import.role}</th><th scope="col">${WORDS.import.examples}</th>
        <th scope="col" class="number">${WORDS.import.empty}</th><th scope="col" class="number">${WORDS.import.distinct}</th>
      </tr></thead>
      <tbody>
        ${found.columns.map(
          (/** @type {any} */ column) => html`<tr>
            <th scope="row">${column.name}</th>
            <td><select aria-label="${column.name} ${WORDS.import.role}" value=${column.role} onChange=${(/** @type {any} */ e) => change(column.name, e.currentTarget.value)}>
              ${roles.map(([role, said]) => html`<option value=${role} selected=${role === column.role}>${said}</option>`)}
            </select></td>
            <td class="soft clip">${column.examples.join(" · ")}</td>
            <td class="number">${count(column.n_missing)}</td><td class="number">${count(column.n_distinct)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** @param {{found: any}} props */
function Samples({ found }) {
  const names = found.columns
    .filter((/** @type {any} */ c) => c.role !== "leave out")
    .map((/** @type {any} */ c) => c.name);
  return html`<h2>${WORDS.import.samples}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label=${WORDS.import.samples}>
      <table>
        <thead><tr>${names.map((/** @type {string} */ name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${found.samples.map((/** @type {any} */ row) => html`<tr>${names.map((/** @type {string} */ name) => html`<td class="clip">${row[name]}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`;
}
