/** Notes and tags: for people and exports; they teach nothing. */
import { html, useState } from "../html.js";
import { WORDS } from "../words.js";
import { Dialog } from "./parts.js";

/** @param {{desk: import("../desk.js").Desk, item: import("../desk.js").Item, close: () => void}} props */
export function NoteDialog({ desk, item, close }) {
  const [note, setNote] = useState(item.note ?? "");
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    desk.note(item, note.trim());
    close();
  };
  const pressed = (/** @type {KeyboardEvent} */ event) =>
    event.key === "Enter" && (event.ctrlKey || event.metaKey) && save(event);
  return html`<${Dialog} title=${WORDS.note.title} close=${close}>
    <form onSubmit=${save}>
      <p class="soft">${item.title || item.id}</p>
      <textarea autofocus rows="5" aria-label=${WORDS.note.title} value=${note} onInput=${(/** @type {any} */ e) => setNote(e.currentTarget.value)} onKeyDown=${pressed}></textarea>
      <p class="soft">${WORDS.note.hint}</p>
      <p class="actions"><button class="primary" type="submit">${WORDS.save}</button><button type="button" onClick=${close}>${WORDS.cancel}</button></p>
    </form>
  <//>`;
}

/** @param {{desk: import("../desk.js").Desk, item: import("../desk.js").Item, close: () => void}} props */
export function TagDialog({ desk, item, close }) {
  const [tags, setTags] = useState(item.tags);
  const [fresh, setFresh] = useState("");
  const known = [...new Set([...desk.state.project.tags, ...tags])];
  const toggle = (/** @type {string} */ tag) =>
    setTags(tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag]);
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    const wanted = fresh.trim() && !tags.includes(fresh.trim()) ? [...tags, fresh.trim()] : tags;
    desk.tag(item, wanted);
    close();
  };
  return html`<${Dialog} title=${WORDS.tags.title} close=${close}>
    <form onSubmit=${save}>
      <p class="soft">${item.title || item.id}</p>
      ${known.map((tag) => html`<label class="check"><input type="checkbox" checked=${tags.includes(tag)} onChange=${() => toggle(tag)} /> ${tag}</label>`)}
      <label class="field"><span>${WORDS.tags.new}</span><input autofocus value=${fresh} onInput=${(/** @type {any} */ e) => setFresh(e.currentTarget.value)} /></label>
      <p class="actions"><button class="primary" type="submit">${WORDS.save}</button><button type="button" onClick=${close}>${WORDS.cancel}</button></p>
    </form>
  <//>`;
}
