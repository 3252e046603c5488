/** Begin: which page is asked for, and what every page shares. */
import { get, of } from "./api.js";
import { Desk } from "./desk.js";
import { html, render, useEffect, useState } from "./html.js";
import "./settings.js";
import { useAnswer } from "./store.js";
import { ImportPage } from "./views/import.js";
import { Failure } from "./views/parts.js";
import { Shell } from "./views/shell.js";
import { Start } from "./views/start.js";
import { WORDS } from "./words.js";

/** @returns {string[]} parts of the address behind # */
const place = () => location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);

function usePlace() {
  const [parts, set] = useState(place());
  useEffect(() => {
    const changed = () => set(place());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return parts;
}

/** @param {{projectKey: string, screen: string}} props */
function Project({ projectKey, screen }) {
  const [desk, setDesk] = useState(/** @type {Desk | null} */ (null));
  const { value, error, again } = useAnswer(() => get(of(projectKey)), [projectKey]);
  useEffect(() => {
    if (!value) return;
    const next = new Desk(value);
    next.start();
    setDesk(next);
    document.title = `${value.name} · ${WORDS.name}`;
    return () => next.stop();
  }, [value]);
  if (error) return html`<main class="page"><${Failure} error=${error} again=${again} /></main>`;
  if (!desk || desk.key !== projectKey) return html`<main class="page"><p>${WORDS.loading}</p></main>`;
  return html`<${Shell} desk=${desk} screen=${screen} key=${desk.key} />`;
}

function App() {
  const parts = usePlace();
  const { value: session, error, again } = useAnswer(() => get("/api/session"), []);
  useEffect(() => {
    if (!session || parts.length) return;
    if (session.import) location.replace(`#/import/${session.import}`);
    else if (session.open) location.replace(`#/p/${encodeURIComponent(session.open)}/work`);
  }, [session]);
  if (error) return html`<main class="page"><${Failure} error=${error} again=${again} /></main>`;
  if (!session) return null;
  if (parts[0] === "import") return html`<${ImportPage} id=${parts[1]} key=${parts[1]} />`;
  if (parts[0] === "p" && parts[1]) return html`<${Project} projectKey=${parts[1]} screen=${parts[2] || "work"} />`;
  return html`<${Start} session=${session} />`;
}

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
