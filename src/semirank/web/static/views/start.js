/** Start: recent projects, a place to drop a file, three demos. Nothing else. */
import { get, post, upload } from "../api.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { useAnswer } from "../store.js";
import { WORDS, when } from "../words.js";
import { Failure } from "./parts.js";

/** @param {string} key */
const open = (key) => void (location.hash = `#/p/${encodeURIComponent(key)}/work`);

/** @param {{session: any}} props */
export function Start({ session }) {
  const { value, error, again } = useAnswer(() => get("/api/projects"), []);
  const [failed, fail] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState("");
  useEffect(() => void (document.title = WORDS.name), []);
  const demo = async (/** @type {string} */ name) => {
    setBusy(name);
    await post("/api/projects", { demo: name }).then((project) => open(project.key), fail);
    setBusy("");
  };
  return html`<main class="start">
    <header>
      <h1><img src="/icon.svg" alt="" width="40" height="40" /> ${WORDS.name}</h1>
      <p class="lead">${WORDS.start.lead}</p>
    </header>
    ${failed || error ? html`<${Failure} error=${failed || error} again=${failed ? undefined : again} />` : null}
    <${DropZone} fail=${fail} />
    ${
      value?.recent.length
        ? html`<section aria-labelledby="recent">
          <h2 id="recent">${WORDS.start.recent}</h2>
          <ul class="tiles">
            ${value.recent.map(
              (/** @type {any} */ project) => html`<li>
                <button class="tile" onClick=${() => open(project.key)}>
                  <strong>${project.name}</strong>
                  <span>${WORDS.start.line(project)}</span>
                  <progress aria-label=${WORDS.start.line(project)} max=${project.n_items || 1} value=${project.n_read}></progress>
                  <small>${when(project.changed)}</small>
                </button>
              </li>`,
            )}
          </ul>
        </section>`
        : null
    }
    ${
      value?.demos.length
        ? html`<section aria-labelledby="demos">
          <h2 id="demos">${WORDS.start.demos}</h2>
          <ul class="tiles">
            ${value.demos.map(
              (/** @type {any} */ one) => html`<li>
                <button class="tile" disabled=${busy !== ""} onClick=${() => demo(one.name)}>
                  <strong>${one.title}</strong><span>${busy === one.name ? WORDS.loading : one.about}</span>
                </button>
              </li>`,
            )}
          </ul>
        </section>`
        : null
    }
    <footer><small>${WORDS.name}, ${WORDS.start.version} ${session.version}</small></footer>
  </main>`;
}

/** Choose a file, or drop it anywhere on the zone; several at once are read together. @param {{fail: (error: any) => void, into?: string | null}} props */
export function DropZone({ fail, into = null }) {
  const [over, setOver] = useState(false);
  const [name, setName] = useState("");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const send = async (/** @type {File[]} */ files) => {
    let id = null;
    for (const file of files) id = (await upload(file, into, id)).id;
    location.hash = `#/import/${id}`;
  };
  const take = async (/** @type {File[]} */ files) => {
    if (!files.length) return;
    setName(files.map((file) => file.name).join(", "));
    fail(null);
    await send(files).catch(fail);
    setName("");
  };
  const dropped = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    take([...(event.dataTransfer?.files ?? [])]);
  };
  return html`<div
    class=${over ? "drop over" : "drop"}
    onDragOver=${(/** @type {DragEvent} */ event) => (event.preventDefault(), setOver(true))}
    onDragLeave=${() => setOver(false)}
    onDrop=${dropped}
  >
    <p class="big">${name ? `${WORDS.start.uploading} ${name}` : WORDS.start.drop}</p>
    <p>
      <button class="primary" disabled=${name !== ""} onClick=${() => input.current?.click()}>${WORDS.start.or}</button>
      <input ref=${input} type="file" multiple hidden onChange=${(/** @type {any} */ e) => take([...e.currentTarget.files])} />
    </p>
    <p class="soft">${WORDS.start.formats}</p>
  </div>`;
}
