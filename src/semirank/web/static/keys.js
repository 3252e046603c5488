/** Which key does what: presets, the reader's own changes, and what a key press means. */
import { Store } from "./store.js";

/** @typedef {Record<string, string[]>} Bindings name of an action -> keys */

/** @type {Bindings} */
const SEMIRANK = {
  not: ["d"],
  relevant: ["f"],
  unsure: ["s"],
  later: ["l"],
  grade0: ["0"],
  grade1: ["1"],
  grade2: ["2"],
  grade3: ["3"],
  grade4: ["4"],
  grade5: ["5"],
  grade6: ["6"],
  grade7: ["7"],
  grade8: ["8"],
  grade9: ["9"],
  note: ["n"],
  tag: ["t"],
  undo: ["u"],
  redo: ["Shift+U"],
  next: ["j", "ArrowDown"],
  before: ["k", "ArrowUp"],
  open: ["Enter"],
  scroll: [" "],
  scrollBack: ["Shift+ "],
  cards: ["g"],
  why: ["x"],
  take: ["r"],
  search: ["/"],
  listBefore: ["["],
  listAfter: ["]"],
  work: ["w"],
  map: ["m"],
  evidence: ["e"],
  audit: ["a"],
  keys: ["?"],
  bigger: ["+"],
  smaller: ["-"],
};

/** @type {Record<string, Bindings>} */
export const PRESETS = {
  semirank: SEMIRANK,
  ASReview: { ...SEMIRANK, relevant: ["r"], not: ["i"], take: ["Shift+R"] },
  Quepid: {
    ...SEMIRANK,
    not: ["a"],
    relevant: ["f"],
    unsure: ["c"],
    audit: ["Shift+A"],
    grade0: ["a", "0"],
    grade1: ["s", "1"],
    grade2: ["d", "2"],
    grade3: ["f", "3"],
  },
};

/** Actions that share a key because a scale has either two verdicts or grades. */
const SHARED = new Set(["not", "relevant", "grade0", "grade1", "grade2", "grade3"]);

/** @param {KeyboardEvent} event */
export function nameOf(event) {
  const plain = event.key.length > 1 || /[^\p{L} ]/u.test(event.key);
  const key = plain ? event.key : event.key.toLowerCase();
  return event.shiftKey && (!plain || event.key.length > 1) ? `Shift+${key === " " ? " " : key.toUpperCase()}` : key;
}

/** @param {string} key as people read it */
export function shown(key) {
  const names = {
    ArrowDown: "↓",
    ArrowUp: "↑",
    ArrowLeft: "←",
    ArrowRight: "→",
    " ": "Space",
    "Shift+ ": "Shift+Space",
  };
  return names[/** @type {keyof typeof names} */ (key)] ?? key;
}

/** Nothing acts while somebody writes, or chooses from a menu. */
export function isTyping(/** @type {EventTarget | null} */ target) {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** @extends {Store<{preset: string, own: Bindings, on: boolean}>} */
class Keys extends Store {
  constructor() {
    const kept = JSON.parse(localStorage.getItem("semirank.keys") || "{}");
    super({ preset: PRESETS[kept.preset] ? kept.preset : "semirank", own: kept.own || {}, on: kept.on !== false });
  }

  /** @param {Partial<{preset: string, own: Bindings, on: boolean}>} change */
  set(change) {
    super.set(change);
    localStorage.setItem("semirank.keys", JSON.stringify(this.state));
  }

  /** @returns {Bindings} */
  get bindings() {
    return { ...PRESETS[this.state.preset], ...this.state.own };
  }

  /** @param {string} action @returns {string} its first key, "" if it has none or keys are off */
  of(action) {
    return this.state.on ? shown(this.bindings[action]?.[0] ?? "") : "";
  }

  /** Give an action these keys; whoever had one of them loses it. */
  bind(/** @type {string} */ action, /** @type {string[]} */ wanted) {
    const own = { ...this.state.own, [action]: wanted };
    for (const [other, held] of Object.entries(this.bindings))
      if (other !== action && !(SHARED.has(other) && SHARED.has(action)) && held.some((key) => wanted.includes(key)))
        own[other] = held.filter((key) => !wanted.includes(key));
    this.set({ own });
  }

  /**
   * @param {KeyboardEvent} event @param {boolean} graded
   * @returns {string | null} the action
   */
  actionOf(event, graded) {
    if (!this.state.on && event.key !== "Escape") return null;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return null;
    const key = nameOf(event);
    const named = Object.keys(this.bindings).filter((action) => this.bindings[action].includes(key));
    const fits = named.filter((action) =>
      graded ? action !== "not" && action !== "relevant" : !/^grade[2-9]$/.test(action),
    );
    return fits.find((action) => graded || !action.startsWith("grade")) ?? fits[0] ?? null;
  }
}

export const keys = new Keys();
