/** Settings: keys, look, verdicts, target, ranker. */
import { get, post, put } from "../api.js";
import { html, useLayoutEffect, useState } from "../html.js";
import { PRESETS, keys, nameOf, shown } from "../keys.js";
import { settings } from "../settings.js";
import { useAnswer } from "../store.js";
import { WORDS, fixed } from "../words.js";
import { Failure, Select, Title } from "./parts.js";
import { Questions } from "./seed.js";
import { DropZone } from "./start.js";

const W = WORDS.settings;

/** @param {{desk: import("../desk.js").Desk}} props */
export function SettingsPage({ desk }) {
  return html`<main class="page settings">
    <${Title}>${W.title}<//>
    <div class="two">
      <${Look} />
      <${TargetForm} desk=${desk} />
      <${ScaleForm} desk=${desk} />
      <${Ranker} desk=${desk} />
      <${ProjectForm} desk=${desk} />
      <${KeysForm} />
    </div>
  </main>`;
}

function Look() {
  const { theme, size, swipe } = settings.state;
  return html`<section><h2>${W.look}</h2>
    <${Select} label=${W.theme} value=${theme} options=${Object.entries(W.themes)} change=${(/** @type {string} */ name) => settings.set({ theme: name })} />
    <p class="row"><span>${W.size}: ${Math.round(size * 100)} %</span> <button onClick=${() => settings.resize(-1)}>${W.smaller}</button> <button onClick=${() => settings.resize(1)}>${W.bigger}</button></p>
    <label class="check"><input type="checkbox" checked=${swipe} onChange=${(/** @type {any} */ e) => settings.set({ swipe: e.currentTarget.checked })} /> ${W.swipe}</label>
  </section>`;
}

/** @param {{desk: import("../desk.js").Desk}} props */
function TargetForm({ desk }) {
  const target = desk.state.project.target;
  const [said, setSaid] = useState("");
  const save = (/** @type {any} */ event) => {
    event.preventDefault();
    const { recall, confidence } = event.currentTarget.elements;
    const value = { recall: Number(recall.value) / 100, confidence: Number(confidence.value) / 100 };
    desk.write("target", null, value);
    desk.set({ project: { ...desk.state.project, target: value } });
    setSaid(W.saved);
  };
  const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ value) =>
    html`<label class="field"><span>${label}, %</span><input name=${name} type="number" min="1" max=${name === "confidence" ? 99.9 : 100} step="any" required value=${+(100 * value).toFixed(2)} /></label>`;
  return html`<section><h2>${W.target}</h2><p class="soft">${W.targetSays}</p>
    <form onSubmit=${save}>${field("recall", W.recall, target.recall)}${field("confidence", W.confidence, target.confidence)}
      <p class="actions"><button type="submit" disabled=${desk.readOnly}>${WORDS.save}</button><span role="status">${said}</span></p></form></section>`;
}

/** @param {{desk: import("../desk.js").Desk}} props */
function ScaleForm({ desk }) {
  const { scale } = desk.state.project;
  const [said, setSaid] = useState("");
  const save = (/** @type {any} */ event) => {
    event.preventDefault();
    const fields = event.currentTarget.elements;
    const names = Object.fromEntries(
      Object.keys(scale.names).map((value) => [value, fields[`grade-${value}`].value.trim() || value]),
    );
    const value = { names, relevant: Number(fields.relevant?.value ?? scale.relevant) };
    desk.write("scale", null, value);
    desk.set({ project: { ...desk.state.project, scale: value } });
    setSaid(W.saved);
  };
  return html`<section><h2>${W.scale}</h2><p class="soft">${W.scaleSays}</p>
    <form onSubmit=${save}>
      ${Object.entries(scale.names).map(([value, name]) => html`<label class="field short"><span>${value}</span><input name="grade-${value}" value=${name} /></label>`)}
      ${
        desk.graded
          ? html`<label class="select"><span>${W.relevantFrom}</span><select name="relevant">${Object.keys(scale.names)
              .slice(1)
              .map(
                (value) => html`<option value=${value} selected=${Number(value) === scale.relevant}>${value}</option>`,
              )}</select></label>`
          : null
      }
      <p class="actions"><button type="submit" disabled=${desk.readOnly}>${WORDS.save}</button><span role="status">${said}</span></p></form></section>`;
}

/** @param {{desk: import("../desk.js").Desk}} props */
function Ranker({ desk }) {
  const running = desk.state.jobs.find((/** @type {any} */ job) => job.kind === "check" && job.state === "running");
  const { value, again } = useAnswer(() => get(`${desk.path}/ranker`), [desk, Boolean(running)]);
  const [error, fail] = useState(/** @type {any} */ (null));
  if (!value) return null;
  const check = () => post(`${desk.path}/ranker/check`, {}).then(again, fail);
  return html`<section><h2>${W.ranker}</h2>
    <p><b>${value.ranker}</b>, ${WORDS.basis[value.basis] ?? value.basis}${value.checked_at ? `, ${W.checkedAt(value.checked_at)}` : ""}</p><p>${value.basis_says}</p>
    ${value.verdict ? html`<p>${value.verdict}</p>` : null}
    ${
      value.leaderboard?.length
        ? html`<table><caption>${W.board}</caption><thead><tr><th scope="col">${W.ranker}</th><th scope="col" class="number">${W.score}</th><th scope="col" class="number">${W.difference}</th></tr></thead>
      <tbody>${value.leaderboard.map((/** @type {any} */ one) => html`<tr><th scope="row">${one.name}</th><td class="number">${fixed(one.score, 3)}</td><td class="number">${fixed(one.difference, 3)}</td></tr>`)}</tbody></table>`
        : null
    }
    ${error ? html`<${Failure} error=${error} />` : null}
    ${value.offered ? html`<p class="notice">${W.offered(value.offered.name)} <button disabled=${desk.readOnly} onClick=${() => desk.write("ranker", null, value.offered).then(again)}>${W.take}</button></p>` : null}
    <p class="actions"><button disabled=${desk.readOnly || Boolean(running)} onClick=${check}>${W.check}</button></p></section>`;
}

/** @param {{desk: import("../desk.js").Desk}} props */
function ProjectForm({ desk }) {
  const { value, again } = useAnswer(() => get(`${desk.path}/settings`), [desk]);
  const [error, fail] = useState(/** @type {any} */ (null));
  const save = (/** @type {any} */ change) => put(`${desk.path}/settings`, { ...value, ...change }).then(again, fail);
  return html`<section><h2>${W.project}</h2>
    ${
      value
        ? html`<${Select} label=${W.takeover} value=${value.takeover} options=${[
            ["ask", W.ask],
            ["auto", W.auto],
          ]} disabled=${desk.readOnly} change=${(/** @type {string} */ takeover) => save({ takeover })} />
      <label class="check"><input type="checkbox" checked=${value.spread_every > 0} disabled=${desk.readOnly} onChange=${(/** @type {any} */ e) => save({ spread_every: e.currentTarget.checked ? 10 : 0 })} /> ${W.spreadEvery}</label>`
        : null
    }
    <h3>${W.question}</h3>
    ${desk.state.project.questions?.length ? html`<${Questions} desk=${desk} />` : html`<p class="soft">${W.noQuestion}</p>`}
    ${error ? html`<${Failure} error=${error} />` : null}
    <h3>${W.data}</h3><${DropZone} fail=${fail} into=${desk.key} /></section>`;
}

/** Every key can be changed, and all of them switched off. */
function KeysForm() {
  const [waiting, wait] = useState("");
  const { preset, on } = keys.state;
  useLayoutEffect(() => {
    if (!waiting) return;
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      removeEventListener("keydown", pressed, true); // one key, however fast the next one comes
      if (!["Escape", "Tab"].includes(event.key)) keys.bind(waiting, [nameOf(event)]);
      wait("");
    };
    addEventListener("keydown", pressed, true);
    return () => removeEventListener("keydown", pressed, true);
  }, [waiting]);
  return html`<section><h2>${W.keys}</h2>
    <${Select} label=${W.preset} value=${preset} options=${Object.keys(PRESETS).map((name) => [name, name])} change=${(/** @type {string} */ name) => keys.set({ preset: name, own: {} })} />
    <label class="check"><input type="checkbox" checked=${on} onChange=${(/** @type {any} */ e) => keys.set({ on: e.currentTarget.checked })} /> ${W.keysOn}</label>
    <table class="keys"><thead><tr><th scope="col">${W.action}</th><th scope="col">${W.key}</th><th scope="col"><span class="spoken">${W.off}</span></th></tr></thead><tbody>
      ${Object.entries(keys.bindings).map(
        ([action, held]) => html`<tr><th scope="row">${WORDS.actions[action]}</th>
        <td><button aria-label="${WORDS.actions[action]}: ${W.key}" onClick=${() => wait(action)}>${waiting === action ? W.press : held.length ? held.map((key) => html`<kbd>${shown(key)}</kbd> `) : "–"}</button></td>
        <td><button class="link" aria-label="${WORDS.actions[action]}: ${W.off}" disabled=${!held.length} onClick=${() => keys.bind(action, [])}>${W.off}</button></td></tr>`,
      )}
    </tbody></table>
    <p class="actions"><button onClick=${() => keys.set({ own: {} })}>${W.standard}</button></p></section>`;
}
