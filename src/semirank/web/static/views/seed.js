/** Say what you look for: in words, or by items you know. */
import { get, post } from "../api.js";
import { html, useState } from "../html.js";
import { WORDS } from "../words.js";
import { Dialog, Failure } from "./parts.js";

/** @param {{desk: import("../desk.js").Desk, close: () => void}} props */
export function SeedDialog({ desk, close }) {
  const [text, setText] = useState("");
  const [references, setReferences] = useState("");
  const [answer, setAnswer] = useState(/** @type {any} */ (null));
  const [error, fail] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const lines = references
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!text.trim() && !lines.length) return close();
    setBusy(true);
    const wish = {
      ...(text.trim() && { text: text.trim() }),
      ...(lines.length && { references: lines }),
      ...(desk.state.list && { qid: desk.state.list }),
    };
    await post(`${desk.path}/seeds`, wish).then(done, fail);
    setBusy(false);
  };
  const done = (/** @type {any} */ said) => {
    for (const item of said.matched) desk.verdicts.set(item.row, { kind: "label", value: 1 });
    if (said.question) desk.did({ id: said.question, kind: "seed" });
    desk.beginAgain();
    if (said.unknown.length || said.matched.length) setAnswer(said);
    else close();
  };
  const read = async (/** @type {any} */ event) => setReferences(await event.currentTarget.files[0]?.text());
  return html`<${Dialog} title=${WORDS.seed.title} close=${close}>
    ${
      answer
        ? html`<p>${WORDS.seed.matched(answer.matched.length)}</p>
          ${answer.unknown.length ? html`<p>${WORDS.seed.unknown}</p><ul>${answer.unknown.map((/** @type {string} */ one) => html`<li>${one}</li>`)}</ul>` : null}
          <p class="actions"><button class="primary" onClick=${close}>${WORDS.close}</button></p>`
        : html`<form onSubmit=${send}>
          <p class="soft">${WORDS.seed.lead}</p>
          <${Questions} desk=${desk} />
          <label class="field"><span>${WORDS.seed.question}</span><textarea autofocus rows="2" value=${text} onInput=${(/** @type {any} */ e) => setText(e.currentTarget.value)} onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === "Enter" && !e.shiftKey && send(e)}></textarea></label>
          <label class="field"><span>${WORDS.seed.references}</span><textarea rows="3" value=${references} onInput=${(/** @type {any} */ e) => setReferences(e.currentTarget.value)}></textarea></label>
          <label class="field"><span>${WORDS.seed.file}</span><input type="file" accept=".txt,.csv,.ris,text/plain" onChange=${read} /></label>
          ${error ? html`<${Failure} error=${error} />` : null}
          <p class="actions"><button class="primary" type="submit" disabled=${busy}>${busy ? WORDS.loading : WORDS.seed.go}</button><button type="button" onClick=${close}>${WORDS.seed.skip}</button></p>
        </form>`
    }
  <//>`;
}

/** Before anything is found: one line that begins with the best items instead of random ones. @param {{desk: import("../desk.js").Desk, openDialog: (name: string) => void}} props */
export function SeedHint({ desk, openDialog }) {
  const { project, counts } = desk.state;
  const [error, fail] = useState(/** @type {any} */ (null));
  if (project.kind !== "texts" || counts.n_found || project.questions?.length || desk.readOnly) return null;
  const send = (/** @type {any} */ event) => {
    event.preventDefault();
    const field = event.currentTarget.elements.question;
    if (!field.value.trim()) return;
    field.blur();
    post(`${desk.path}/seeds`, { text: field.value.trim(), ...(desk.state.list && { qid: desk.state.list }) }).then(
      (said) => (said.question && desk.did({ id: said.question, kind: "seed" }), desk.beginAgain()),
      fail,
    );
  };
  return html`<form class="hint" onSubmit=${send}>
    <label for="question">${WORDS.seed.title}</label>
    <span><input id="question" name="question" autocomplete="off" placeholder=${WORDS.seed.placeholder} /><button type="submit">${WORDS.seed.go}</button></span>
    <p class="soft">${WORDS.seed.hint} <button type="button" class="link" onClick=${() => openDialog("seed")}>${WORDS.seed.known}</button></p>
    ${error ? html`<${Failure} error=${error} />` : null}
  </form>`;
}

/** The questions that rank now; each can go. @param {{desk: import("../desk.js").Desk}} props */
export function Questions({ desk }) {
  const questions = desk.state.project.questions ?? [];
  const remove = async (/** @type {any} */ question) => {
    desk.outbox.add(desk.event("undo", null, question.event));
    const rest = questions.filter((/** @type {any} */ other) => other !== question);
    desk.set({ project: { ...desk.state.project, questions: rest } });
    await get(desk.path).catch(() => null);
  };
  return questions.length
    ? html`<ul class="lines">${questions.map((/** @type {any} */ one) => html`<li>“${one.text}” <button type="button" class="link" onClick=${() => remove(one)}>${WORDS.seed.remove}</button></li>`)}</ul>`
    : null;
}
