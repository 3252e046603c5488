/** What all screens of a project share: the top bar, the keys, windows over the page, what is spoken. */
import { remove } from "../api.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { keys } from "../keys.js";
import { settings } from "../settings.js";
import { useStore } from "../store.js";
import { WORDS, count } from "../words.js";
import { NoteDialog, TagDialog } from "./annotations.js";
import { KeysDialog } from "./keys.js";
import { Job, Key } from "./parts.js";
import { SeedDialog } from "./seed.js";
import { Work } from "./work.js";

/** Reading needs none of the other screens; they come when the page has nothing else to do. */
const LOADERS = /** @type {Record<string, () => Promise<any>>} */ ({
  work: async () => Work,
  evidence: () => import("./evidence.js").then((module) => module.Evidence),
  map: () => import("./map.js").then((module) => module.MapPage),
  labels: () => import("./labels.js").then((module) => module.Labels),
  reviewers: () => import("./reviewers.js").then((module) => module.Reviewers),
  export: () => import("./exports.js").then((module) => module.Exports),
  settings: () => import("./settings.js").then((module) => module.SettingsPage),
});
/** @type {Record<string, any>} */
const loaded = { work: Work };
const load = async (/** @type {string} */ name) => (loaded[name] ??= await LOADERS[name]());

/** @param {string} name @returns {any} the component, once it is here */
function useScreen(name) {
  const [, redraw] = useState(0);
  useEffect(() => void (LOADERS[name] && !loaded[name] && load(name).then(() => redraw((n) => n + 1))), [name]);
  return LOADERS[name] ? loaded[name] : Work;
}

const CARDS = [1, 2, 4, 8, 24];

/** @param {{desk: import("../desk.js").Desk, screen: string}} props */
export function Shell({ desk, screen }) {
  const state = useStore(desk);
  const waiting = useStore(desk.outbox);
  useStore(keys);
  useStore(settings);
  const [dialog, setDialog] = useState("");
  const go = (/** @type {string} */ name) => void (location.hash = `#/p/${encodeURIComponent(desk.key)}/${name}`);
  const act = (/** @type {string} */ action) => doAction(action, { desk, screen, go, setDialog });
  useKeys(desk, act);
  useEffect(() => {
    const ask = (/** @type {BeforeUnloadEvent} */ event) => desk.outbox.state.waiting && event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [desk]);
  useEffect(
    () => void setTimeout(() => Object.keys(LOADERS).forEach((name) => load(name).catch(() => null)), 1500),
    [],
  );
  const Screen = useScreen(screen);
  const Window = DIALOGS[dialog];
  const running = state.jobs.find((/** @type {any} */ job) => job.state === "running");
  return html`<div class="shell" data-waiting=${waiting.waiting}>
    <${TopBar} desk=${desk} state=${state} screen=${screen} act=${act} />
    ${Screen ? html`<${Screen} desk=${desk} act=${act} go=${go} waiting=${waiting} openDialog=${setDialog} />` : html`<main class="page"></main>`}
    ${running ? html`<aside class="running"><${Job} job=${running} cancel=${() => remove(`${desk.path}/jobs/${running.id}`).catch(() => null)} /></aside>` : null}
    <${Message} desk=${desk} message=${state.message} />
    <p class="spoken" role="status" aria-live="polite">${state.said}</p>
    ${Window && (desk.item || !NEED_ITEM.has(dialog)) ? html`<${Window} desk=${desk} item=${desk.item} close=${() => setDialog("")} />` : null}
  </div>`;
}

const DIALOGS = /** @type {Record<string, any>} */ ({
  note: NoteDialog,
  tag: TagDialog,
  keys: KeysDialog,
  seed: SeedDialog,
});
const NEED_ITEM = new Set(["note", "tag"]);

/** @param {import("../desk.js").Desk} desk @param {(action: string) => boolean | void} act */
function useKeys(desk, act) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const control =
        event.target instanceof HTMLElement && event.target.closest("button, a, summary, [data-own-keys]");
      if (
        control &&
        (["Enter", " "].includes(event.key) ||
          /** @type {HTMLElement} */ (control).dataset.ownKeys?.includes(event.key))
      )
        return;
      const action = keys.actionOf(event, desk.graded);
      if (action && latest.current(action) !== false) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [desk]);
}

/**
 * @param {string} action
 * @param {{desk: import("../desk.js").Desk, screen: string, go: (name: string) => void, setDialog: (name: string) => void}} on
 * @returns {boolean | void} false: the key is left to the browser
 */
function doAction(action, { desk, screen, go, setDialog }) {
  const anywhere = /** @type {Record<string, () => void>} */ ({
    undo: () => desk.undo(),
    redo: () => desk.redo(),
    keys: () => setDialog("keys"),
    search: () => search(),
    work: () => go("work"),
    map: () => go(screen === "map" ? "work" : "map"),
    evidence: () => go(screen === "evidence" ? "work" : "evidence"),
    bigger: () => settings.resize(1),
    smaller: () => settings.resize(-1),
    audit: () => (desk.state.project.audit ? (desk.choose({ mode: "audit" }), go("work")) : go("evidence")),
  });
  if (anywhere[action]) return anywhere[action]();
  if (screen !== "work") return false;
  if (action.startsWith("grade")) return grade(desk, Number(action.slice(5)));
  const reading = /** @type {Record<string, () => boolean | void | Promise<void>>} */ ({
    not: () => desk.decide("label", Math.min(...Object.keys(desk.state.project.scale.names).map(Number))),
    relevant: () => desk.decide("label", Math.max(...Object.keys(desk.state.project.scale.names).map(Number))),
    unsure: () => desk.decide("unsure"),
    later: () => desk.decide("later"),
    note: () => setDialog("note"),
    tag: () => setDialog("tag"),
    seed: () => setDialog("seed"),
    next: () => desk.move(1),
    before: () => desk.move(-1),
    take: () => desk.takeOrder(),
    open: () => focusText(),
    why: () => settings.set({ why: !settings.state.why }),
    scroll: () => scroll(1),
    scrollBack: () => scroll(-1),
    listBefore: () => desk.changeList(-1),
    listAfter: () => desk.changeList(1),
    cards: () => desk.deal(CARDS[(CARDS.indexOf(settings.state.cards) + 1) % CARDS.length]),
  });
  const done = reading[action]?.();
  return reading[action] ? (done === false ? false : undefined) : false;
}

/** @param {import("../desk.js").Desk} desk @param {number} value */
function grade(desk, value) {
  if (!(String(value) in desk.state.project.scale.names)) return false;
  desk.decide("label", value);
}

const search = () => /** @type {HTMLInputElement | null} */ (document.querySelector("#search"))?.focus();
const focusText = () => /** @type {HTMLElement | null} */ (document.querySelector(".reading"))?.focus();
const scroll = (/** @type {number} */ way) => {
  const pane = document.querySelector(".reading");
  pane?.scrollBy({ top: way * pane.clientHeight * 0.85 });
};

/** @param {{desk: import("../desk.js").Desk, state: any, screen: string, act: (action: string) => void}} props */
function TopBar({ desk, state, screen, act }) {
  const [open, setOpen] = useState(false);
  const { counts, order, project } = state;
  const screens = Object.keys(LOADERS).filter((name) => name !== "reviewers" || project.users);
  return html`<header class="top">
    <a class="home" href="#/" aria-label=${WORDS.top.home} title=${WORDS.top.home}><img src="/icon.svg" alt="" width="22" height="22" /></a>
    <button class="menu plain" aria-expanded=${open} aria-controls="screens" onClick=${() => setOpen(!open)}><span>${project.name}</span><span aria-hidden="true">▾</span></button>
    <strong class="name">${project.name}</strong>
    <nav id="screens" class=${open ? "open" : ""} aria-label=${WORDS.top.screens}>
      ${screens.map((name) => html`<a href="#/p/${encodeURIComponent(desk.key)}/${name}" aria-current=${name === screen ? "page" : undefined} onClick=${() => setOpen(false)}>${WORDS.screens[name]}</a>`)}
    </nav>
    <p class="counts">
      <span><b>${count(counts.n_found)}</b> ${WORDS.top.found}</span>
      <span><b>${count(counts.n_read)}</b> ${WORDS.top.read} ${WORDS.top.of} ${count(counts.n_items)}</span>
      <span class="order" title=${order?.basis_says}>${WORDS.top.order} ${count(order?.number)} <i class="dot ${(order?.basis ?? "").replace(/ /g, "-")}" role="img" aria-label=${WORDS.basis[order?.basis] ?? ""}></i></span>
    </p>
    <${Search} desk=${desk} state=${state} />
    <button class="plain keys" onClick=${() => act("keys")} aria-label=${WORDS.top.keys} title=${WORDS.top.keys}><kbd>?</kbd></button>
  </header>`;
}

/** @param {{desk: import("../desk.js").Desk, state: any}} props */
function Search({ desk, state }) {
  const asked = (/** @type {any} */ event) => {
    event.preventDefault();
    const field = event.currentTarget.elements.q;
    if (location.hash !== `#/p/${encodeURIComponent(desk.key)}/work`)
      location.hash = `#/p/${encodeURIComponent(desk.key)}/work`;
    if (field.value.trim()) desk.choose({ query: field.value.trim() });
    else if (state.query) desk.choose({ query: "" });
    field.blur();
  };
  const pressed = (/** @type {KeyboardEvent} */ event) =>
    event.key === "Escape" && /** @type {HTMLElement} */ (event.target).blur();
  return html`<form class="search" role="search" onSubmit=${asked}>
    <input id="search" name="q" type="search" autocomplete="off" placeholder=${WORDS.top.search} aria-label=${WORDS.top.searchFor} value=${state.query} onKeyDown=${pressed} />
    <${Key} of="search" />
  </form>`;
}

/** @param {{desk: import("../desk.js").Desk, message: string | null}} props */
function Message({ desk, message }) {
  useEffect(() => {
    if (!message) return;
    const timer = setTimeout(() => desk.set({ message: null }), 8000);
    return () => clearTimeout(timer);
  }, [message]);
  return message
    ? html`<p class="message" role="alert">${message} <button class="plain" aria-label=${WORDS.close} onClick=${() => desk.set({ message: null })}>✕</button></p>`
    : null;
}
