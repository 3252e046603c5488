/** A long list of which only the pages that somebody looks at are here. */
import { Store } from "./store.js";

const PAGE = 50;

/** @typedef {import("./desk.js").Item} Item */

/** @extends {Store<{total: number, loaded: boolean}>} */
export class Pages extends Store {
  /** @param {((offset: number, n: number) => Promise<{total: number, items: Item[]}>) | null} ask null: all of it is given */
  constructor(ask) {
    super({ total: 0, loaded: false });
    this.ask = ask;
    /** @type {Map<number, Item>} by place */
    this.items = new Map();
    /** @type {Item | null} stands above all others, wherever its own place is */
    this.front = null;
    /** @type {Set<number>} rows that are not shown */
    this.hidden = new Set();
    /** @type {number[]} */
    this.gaps = [];
    /** @type {Set<number>} pages that were asked for */
    this.asked = new Set();
    this.round = 0;
    this.wish = 0;
    this.window = [0, PAGE];
  }

  get length() {
    return Math.max(0, this.state.total - this.gaps.length) + (this.front ? 1 : 0);
  }

  /** @param {number} i */
  place(i) {
    let place = this.front ? i - 1 : i;
    for (const gap of this.gaps) if (gap <= place) place++;
    return place;
  }

  /** @param {number} i @returns {Item | undefined} */
  at(i) {
    return i === 0 && this.front ? this.front : this.items.get(this.place(i));
  }

  /** @param {number} row @returns {number} where it is shown, -1 if it is not among the loaded ones */
  find(row) {
    if (this.front?.row === row) return 0;
    let found = -1;
    for (const [place, item] of this.items) if (item.row === row) found = place;
    if (found < 0 || this.gaps.includes(found)) return -1;
    return found - this.gaps.filter((gap) => gap < found).length + (this.front ? 1 : 0);
  }

  /** @param {Item | null} front @param {Iterable<number>} hidden rows */
  arrange(front, hidden) {
    this.front = front;
    this.hidden = new Set(hidden);
    if (front) this.hidden.add(front.row);
    this.mend();
    this.set({});
  }

  mend() {
    const places = [...this.items].filter(([, item]) => this.hidden.has(item.row)).map(([place]) => place);
    this.gaps = places.sort((a, b) => a - b);
  }

  /** Ask for what is missing between two places of the list. */
  ensure(/** @type {number} */ from, /** @type {number} */ to) {
    this.window = [from, to];
    if (!this.ask) return;
    const first = Math.max(0, Math.floor(this.place(from) / PAGE));
    for (let page = first; page * PAGE <= this.place(to); page++)
      if (!this.asked.has(page) && (page === 0 || page * PAGE < this.state.total)) this.load(page);
  }

  /** @param {number} page */
  async load(page) {
    const ask = this.ask;
    if (!ask) return;
    this.asked.add(page);
    const round = this.round;
    const answer = await ask(page * PAGE, PAGE).catch(() => null);
    if (round !== this.round) return;
    if (!answer) return void this.asked.delete(page);
    answer.items.forEach((item, i) => this.items.set(page * PAGE + i, item));
    this.mend();
    this.set({ total: answer.total, loaded: true });
  }

  /**
   * Ask again for what is looked at; until the answer is here, the old list stays, and for good if nobody wants it then.
   * @param {() => boolean} isWanted
   */
  async reload(isWanted) {
    const ask = this.ask;
    if (!ask) return;
    const wish = ++this.wish;
    const first = Math.max(0, Math.floor(this.place(this.window[0]) / PAGE));
    const last = Math.max(first, Math.floor(this.place(this.window[1]) / PAGE));
    const wanted = Array.from({ length: Math.min(4, last - first + 1) }, (_, i) => first + i);
    const answers = await Promise.all(wanted.map((page) => ask(page * PAGE, PAGE))).catch(() => null);
    if (wish !== this.wish || !answers || !isWanted()) return;
    this.round++;
    this.items = new Map();
    this.asked = new Set(wanted);
    answers.forEach((answer, i) => answer.items.forEach((item, j) => this.items.set(wanted[i] * PAGE + j, item)));
    this.mend();
    this.set({ total: answers[0].total, loaded: true });
  }
}
