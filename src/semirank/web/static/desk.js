/** The reading desk: the item under the eyes, what comes behind it, and the verdicts given here. */
import { get, listen, of } from "./api.js";
import { Outbox } from "./outbox.js";
import { Pages } from "./pages.js";
import { settings } from "./settings.js";
import { Store } from "./store.js";
import { WORDS } from "./words.js";

/**
 * @typedef {{kind: string, value: number | null, reviewer?: string, time?: string}} Verdict
 * @typedef {{row: number, id: string, qid: string, title: string, text?: string, meta: Record<string, any>, link: string | null,
 *   image: boolean, score: number | null, place: number | null, moved: number, copies: number[], verdict: Verdict | null,
 *   note: string, tags: string[], by: {reviewer: string, kind: string, value: number | null}[]}} Item
 * @typedef {{number: number, ranker: string, basis: string, basis_says: string, problem: string | null, warnings: string[], n_moved: number}} OrderInfo
 * @typedef {{event: {id: string, kind: string, value?: any}, item: Item | null, others: Item[], before: (Verdict | null)[]}} Step what undo takes back; verdicts know what was before them
 */

const AHEAD = 20;
/** Modes whose list is the queue itself; the others are pages of all unread items. */
const PAGED = "top";
export const MODES = ["top", "uncertain", "spread", "random", "later", "audit", "second"];

/** @returns {string} never given twice */
const newId = () => crypto.randomUUID();

/** @extends {Store<any>} */
export class Desk extends Store {
  /** @param {any} project as the server describes it */
  constructor(project) {
    super({
      project,
      counts: project.counts,
      order: project.order,
      jobs: project.jobs ?? [],
      mode: "top",
      list: "",
      query: "",
      page: /** @type {Item[]} */ ([]),
      at: 0,
      queue: /** @type {Item[]} */ ([]),
      picked: false,
      moved: 0,
      asking: true,
      scrolled: false,
      said: "",
      message: null,
      undo: /** @type {Step[]} */ ([]),
      redo: /** @type {Step[]} */ ([]),
    });
    this.key = project.key;
    this.path = of(project.key);
    /** @type {Map<number, Verdict | null>} given here; null: taken back here */
    this.verdicts = new Map();
    /** @type {Map<number, Item>} with their texts */
    this.known = new Map();
    this.items = this.pages();
    this.outbox = new Outbox(this.key, {
      taken: (sent, answer) => this.taken(sent, answer),
      refused: (sent, why) => this.refused(sent, why),
    });
  }

  start() {
    this.hangUp = listen(`${this.path}/stream`, {
      order: (order) => this.ordered(order),
      counts: (counts) => this.counted(counts),
      job: (job) => this.worked(job),
      event: (event) => this.heard(event),
      again: () => this.refresh(),
    });
    this.refill();
    this.items.ensure(0, AHEAD);
  }

  stop() {
    this.hangUp?.();
    clearTimeout(this.later);
    this.outbox.close();
  }

  /* ---- what is seen ---- */

  /** @returns {Item | null} */
  get item() {
    return this.state.page[this.state.at] ?? null;
  }

  get graded() {
    return Object.keys(this.state.project.scale.names).length > 2;
  }

  get readOnly() {
    return this.state.project.read_only || this.state.project.role === "reader";
  }

  /** @param {Item} item @returns {Verdict | null} */
  verdictOf(item) {
    return this.verdicts.has(item.row) ? (this.verdicts.get(item.row) ?? null) : item.verdict;
  }

  /** @param {Item} item @returns {boolean} whether it was decided here, so that it is not shown as next */
  isDone(item) {
    return Boolean(this.verdicts.get(item.row));
  }

  /** A random order has places and no scores. @param {Item} item */
  scoreOf(item) {
    return this.state.order?.basis === "random" ? null : item.score;
  }

  /** @param {number} value */
  isRelevant(value) {
    return value >= this.state.project.scale.relevant;
  }

  /* ---- verdicts ---- */

  /** @param {string} kind @param {Item | null} item @param {any} value @param {string | null} via */
  event(kind, item, value = null, via = null) {
    const { order, mode, query } = this.state;
    return {
      id: newId(),
      kind,
      item: item?.id ?? null,
      qid: item?.qid ?? null,
      value,
      via,
      order: order?.number ?? null,
      mode: query ? "search" : mode,
    };
  }

  /** The verdict is drawn and the next item shown at once; saving it comes behind. */
  decide(/** @type {string} */ kind, /** @type {number | null} */ value = null) {
    const item = this.item;
    if (!item || this.readOnly) return;
    this.give([item], kind, value);
    this.advance();
  }

  /** One verdict for several items, which is one step back. */
  give(/** @type {Item[]} */ items, /** @type {string} */ kind, /** @type {number | null} */ value) {
    const [first, ...others] = items;
    const events = [this.event(kind, first, value)];
    for (const item of others) events.push(this.event(kind, item, value, events[0].id));
    const step = { event: events[0], item: first, others, before: items.map((item) => this.verdictOf(item)) };
    for (const item of items) this.mark(item, { kind, value });
    this.set({
      undo: [...this.state.undo, step],
      redo: [],
      said: WORDS.said(this.nameOf({ kind, value }), first.title, others.length),
    });
    for (const event of events) this.outbox.add(event);
  }

  /** @param {Item} item @param {Verdict | null} verdict */
  mark(item, verdict) {
    const counts = { ...this.state.counts };
    this.count(counts, this.verdictOf(item), -1);
    this.count(counts, verdict, 1);
    for (const row of [item.row, ...(item.copies ?? [])]) this.verdicts.set(row, verdict);
    this.state.counts = counts;
  }

  /** @param {any} counts @param {Verdict | null} verdict @param {number} by */
  count(counts, verdict, by) {
    if (!verdict) return;
    if (verdict.kind === "later") counts.n_later += by;
    else counts.n_read += by;
    if (verdict.kind === "unsure") counts.n_unsure += by;
    if (verdict.kind === "label" && this.isRelevant(verdict.value ?? 0)) counts.n_found += by;
  }

  /** @param {Verdict} verdict */
  nameOf(verdict) {
    if (verdict.kind !== "label") return WORDS.verdict[verdict.kind];
    const names = this.state.project.scale.names;
    if (!this.graded) return this.isRelevant(verdict.value ?? 0) ? WORDS.verdict.relevant : WORDS.verdict.not;
    return `${verdict.value} ${names[String(verdict.value)] ?? ""}`.trim();
  }

  undo() {
    const step = this.state.undo.at(-1);
    if (!step) return void this.outbox.add(this.event("undo", null));
    if (step.item)
      [step.item, ...step.others].slice(0, step.before.length).forEach((item, i) => this.mark(item, step.before[i]));
    this.set({
      undo: this.state.undo.slice(0, -1),
      redo: [...this.state.redo, step],
      said: WORDS.undone(this.named(step)),
    });
    this.outbox.add(this.event("undo", null, step.event.id));
    if (step.item) this.show(step.item);
  }

  redo() {
    const step = this.state.redo.at(-1);
    if (!step) return void this.outbox.add(this.event("redo", null));
    const { kind, value } = step.event;
    if (step.item && step.before.length)
      for (const item of [step.item, ...step.others]) this.mark(item, { kind, value });
    this.set({
      redo: this.state.redo.slice(0, -1),
      undo: [...this.state.undo, step],
      said: WORDS.redone(this.named(step)),
    });
    this.outbox.add(this.event("redo", null, step.event.id));
    if (step.before.length && this.item?.row === step.item?.row) this.advance();
  }

  /** Something other than a verdict was done, which undo takes back too. */
  did(/** @type {{id: string, kind: string}} */ event, /** @type {Item | null} */ item = null) {
    this.set({ undo: [...this.state.undo, { event, item, others: [], before: [] }], redo: [] });
  }

  /** Write it down: an event that is no verdict. @param {string} kind @param {Item | null} item @param {any} value */
  write(kind, item, value = null) {
    const event = this.event(kind, item, value);
    this.did(event, item);
    return this.outbox.add(event);
  }

  /** @param {Step} step */
  named(step) {
    const title = step.item ? step.item.title || step.item.id : "";
    return step.before.length ? title : `${WORDS.kinds[step.event.kind]} ${title}`.trim();
  }

  /** What undo changed besides verdicts is known to the server. @param {Item | null} item */
  async reread(item) {
    this.refresh();
    if (!item) return;
    const full = await get(`${this.path}/items/${item.row}`);
    this.known.set(item.row, full);
    if (this.item?.row === item.row)
      this.set({ page: this.state.page.map((/** @type {Item} */ shown) => (shown.row === item.row ? full : shown)) });
  }

  /** @param {Item} item @param {string} note */
  note(item, note) {
    this.change(item, { note });
    this.write("note", item, note);
  }

  /** @param {Item} item @param {string[]} tags */
  tag(item, tags) {
    this.change(item, { tags });
    const all = [...new Set([...this.state.project.tags, ...tags])];
    this.set({ project: { ...this.state.project, tags: all } });
    this.write("tag", item, tags);
  }

  /** @param {Item} item */
  ungroup(item) {
    this.change(item, { copies: [] });
    this.write("ungroup", item);
  }

  /** @param {Item} item @param {Partial<Item>} change */
  change(item, change) {
    Object.assign(item, change);
    const known = this.known.get(item.row);
    if (known) Object.assign(known, change);
    this.set({});
  }

  /* ---- the next item ---- */

  advance() {
    const { page, at } = this.state;
    const later = page.findIndex((/** @type {Item} */ item, /** @type {number} */ i) => i > at && !this.isDone(item));
    const next = later >= 0 ? later : page.findIndex((/** @type {Item} */ item) => !this.isDone(item));
    if (next >= 0 && page.length > 1) this.set({ at: next });
    else if (this.state.picked) this.follow();
    else this.turn();
    if (this.state.queue.length < AHEAD / 2) this.refill();
  }

  /** Behind an item that was picked comes the one below it. */
  follow() {
    const place = this.items.find(this.item?.row ?? -1);
    for (let i = place + 1; place >= 0 && i < this.items.length; i++) {
      const item = this.items.at(i);
      if (!item) break;
      if (!this.isDone(item)) return void this.pick(item);
    }
    this.takeOrder();
  }

  /** Show the next page of cards, one or several, from the queue. */
  turn() {
    const shown = new Set(this.state.page.map((/** @type {Item} */ item) => item.row));
    const waiting = this.state.queue.filter((/** @type {Item} */ item) => !this.isDone(item));
    const fresh = waiting.filter((/** @type {Item} */ item) => !shown.has(item.row));
    const page = fresh.slice(0, settings.state.cards);
    this.set({ page, at: 0, queue: waiting.filter((/** @type {Item} */ item) => !page.includes(item)) });
    this.arrange();
  }

  /** The list: the card under the eyes on top, and nothing that was decided here. */
  arrange() {
    if (this.state.mode !== PAGED || this.state.query || this.state.picked) return this.items.set({});
    const done = [...this.verdicts].filter(([, verdict]) => verdict).map(([row]) => row);
    this.items.arrange(this.item, done);
  }

  /** @param {number} step down or up */
  move(step) {
    const { page, at } = this.state;
    if (page[at + step]) return void this.set({ at: at + step });
    if (page.length > 1) return step > 0 ? this.turn() : undefined;
    const place = this.items.find(this.item?.row ?? -1);
    const item = this.items.at(Math.max(0, place + step));
    if (item && item.row !== this.item?.row) this.pick(item);
  }

  /** Show an item that the reader chose; a new order waits from then on. */
  async pick(/** @type {Item} */ item) {
    const first = this.items.find(item.row) === 0 && this.items.front?.row === item.row;
    const known = this.known.get(item.row) ?? (item.id == null ? null : item); // of an explanation only row and title are known
    if (known) this.set({ page: [known], at: 0, picked: !first });
    const full = await this.withText(item);
    if (!known || this.item?.row === item.row) this.set({ page: [full], at: 0, picked: !first });
    this.ahead(item);
  }

  /** Show an item outside of its turn, as after undo. */
  show(/** @type {Item} */ item) {
    const place = this.state.page.findIndex((/** @type {Item} */ shown) => shown.row === item.row);
    if (place >= 0) return void this.set({ at: place });
    const back = this.item && !this.isDone(this.item) && !this.state.picked ? this.state.page : [];
    this.set({ page: [item], at: 0, queue: [...back, ...this.state.queue] });
    this.arrange();
  }

  /** @param {Item} item @returns {Promise<Item>} */
  async withText(item) {
    if (item.text != null) return item;
    const known = this.known.get(item.row);
    if (known) return known;
    const full = await get(`${this.path}/items/${item.row}`);
    this.known.set(item.row, full);
    if (this.known.size > 500) this.known.delete(/** @type {number} */ (this.known.keys().next().value));
    return full;
  }

  /** Texts of the items that the next key may ask for. */
  ahead(/** @type {Item} */ item) {
    const place = this.items.find(item.row);
    for (const step of [1, 2, -1]) {
      const near = this.items.at(place + step);
      if (place >= 0 && near) this.withText(near).catch(() => null);
    }
  }

  /* ---- the order ---- */

  /** Ask for the queue; the latest wish counts, and one request is under way at a time. */
  async refill() {
    if (this.refilling) return void (this.wanted = true);
    this.refilling = true;
    this.wanted = false;
    try {
      const answer = await this.ask();
      if (answer) this.refilled(answer);
    } catch (error) {
      if (!this.wanted) setTimeout(() => this.state.queue.length || this.refill(), 2000);
    }
    this.refilling = false;
    if (this.wanted) this.refill();
  }

  async ask() {
    const { mode, list, query } = this.state;
    const n = Math.max(AHEAD, 2 * settings.state.cards);
    const answer = query
      ? await get(`${this.path}/search`, { q: query, n: 200 })
      : await get(`${this.path}/queue`, { mode, list, n: mode === PAGED ? n : Math.max(n, 50) });
    return mode === this.state.mode && list === this.state.list && query === this.state.query ? answer : null;
  }

  /** @param {{items: Item[], order?: OrderInfo, total?: number}} answer */
  refilled(answer) {
    const shown = new Set(this.state.page.map((/** @type {Item} */ item) => item.row));
    const items = answer.items.filter((item) => this.state.query || !this.isDone(item));
    for (const item of items) if (item.image) new Image().src = `${this.path}/items/${item.row}/image?w=512`;
    this.set({
      queue: items.filter((item) => !shown.has(item.row)),
      order: answer.order ?? this.state.order,
      asking: false,
    });
    if (!this.state.page.length || (this.item && this.isDone(this.item) && !this.state.picked && !this.state.query))
      this.turn();
    this.fill();
    if (this.state.mode !== PAGED || this.state.query) this.listQueue(items, answer.total);
  }

  /** Cards that were not here yet when the page was dealt. */
  fill() {
    const { page, queue, picked } = this.state;
    const room = settings.state.cards - page.length;
    if (picked || page.length < 2 || room <= 0) return;
    this.set({ page: [...page, ...queue.slice(0, room)], queue: queue.slice(room) });
  }

  /** @param {Item[]} items @param {number} [total] */
  listQueue(items, total) {
    this.items.items = new Map(items.entries());
    this.items.arrange(this.state.query ? null : this.item, []);
    this.items.set({ total: total == null ? items.length : Math.min(total, items.length), loaded: true });
  }

  pages() {
    return new Pages((offset, n) =>
      get(`${of(this.key)}/items`, { sort: "rank", verdict: "none", list: this.state.list, offset, n }),
    );
  }

  /** A new order replaces what is behind the card; while the reader picks, it waits. */
  ordered(/** @type {OrderInfo} */ order) {
    this.set({ order, moved: this.isHeld ? order.n_moved : 0 });
    if (this.isHeld || this.state.query) return;
    this.refill();
    this.relist();
  }

  /** Whether the reader has the list in hand, so that it must not move. */
  get isHeld() {
    return this.state.picked || this.state.scrolled;
  }

  /** The list as the server has it now; a reader who takes hold of it meanwhile keeps the old one. */
  async relist() {
    if (this.state.mode !== PAGED || this.state.query) return;
    await this.items.reload(() => !this.isHeld);
    this.arrange();
  }

  takeOrder() {
    if (this.state.query) return this.choose({ query: "" });
    this.set({ picked: false, moved: 0, scrolled: false, page: [], at: 0 });
    this.items.window = [0, AHEAD];
    if (this.state.queue.some((/** @type {Item} */ item) => !this.isDone(item)) && this.state.mode === PAGED)
      this.turn();
    this.refill();
    this.relist();
  }

  /** @param {{mode?: string, list?: string, query?: string}} change */
  choose(change) {
    if (change.mode)
      for (const [row, verdict] of this.verdicts) if (verdict?.kind === "later") this.verdicts.delete(row);
    this.set({
      query: "",
      ...change,
      page: [],
      at: 0,
      queue: [],
      picked: false,
      moved: 0,
      asking: true,
      scrolled: false,
    });
    const paged = this.state.mode === PAGED && !this.state.query;
    this.items = paged ? this.pages() : new Pages(null);
    this.items.ensure(0, AHEAD);
    this.refill();
  }

  /** @param {number} step */
  changeList(step) {
    const lists = ["", ...this.state.project.lists.map((/** @type {any} */ list) => list.qid)];
    if (lists.length < 3) return;
    const place = lists.indexOf(this.state.list);
    this.choose({ list: lists[(place + step + lists.length) % lists.length] });
  }

  /** @param {number} cards a screen */
  deal(cards) {
    settings.set({ cards });
    const items = [...this.state.page.filter((/** @type {Item} */ item) => !this.isDone(item)), ...this.state.queue];
    this.set({ page: items.slice(0, cards), queue: items.slice(cards), at: 0, picked: false });
    this.arrange();
    this.refill();
  }

  /* ---- what the server says ---- */

  /** @param {any} sent @param {any} answer */
  async taken(sent, answer) {
    for (const row of answer.also ?? []) this.verdicts.set(row, { kind: sent.kind, value: sent.value });
    if (sent.kind !== "undo" && sent.kind !== "redo") return;
    const step = [...this.state.undo, ...this.state.redo].find(
      (/** @type {Step} */ one) => one.event.id === sent.value,
    );
    if (step && !step.before.length) await this.reread(step.item);
    if (sent.value === null && answer.undid) {
      const { row } = answer.undid;
      if (row == null) return void this.refresh();
      const item = await get(`${this.path}/items/${row}`);
      this.verdicts.set(row, sent.kind === "undo" ? null : item.verdict);
      this.set({ said: sent.kind === "undo" ? WORDS.undone(item.title) : WORDS.redone(item.title) });
      this.show(item);
    }
  }

  /** @param {any} sent @param {string} why */
  refused(sent, why) {
    const step = this.state.undo.find((/** @type {Step} */ one) => one.event.id === sent.id);
    if (step?.item && step.before.length)
      [step.item, ...step.others].forEach((item, i) => this.mark(item, step.before[i]));
    this.set({ undo: this.state.undo.filter((/** @type {Step} */ one) => one !== step) });
    const quiet = (sent.kind === "undo" || sent.kind === "redo") && sent.value === null;
    this.set({ message: quiet ? WORDS.nothingTo(sent.kind) : WORDS.refused(why) });
    this.refresh();
  }

  /** What is counted here is ahead of the server until everything is acknowledged. @param {any} counts */
  counted(counts) {
    clearTimeout(this.later);
    if (!this.outbox.state.waiting) this.set({ counts });
    else this.later = setTimeout(() => this.counted(counts), 300);
  }

  /** @param {any} job */
  worked(job) {
    const others = this.state.jobs.filter((/** @type {any} */ old) => old.id !== job.id);
    this.set({ jobs: [...others, job] });
  }

  /** What was told of a job is newer than an answer that was on its way. @param {any} job */
  ended(job) {
    return this.state.jobs.find((/** @type {any} */ told) => told.id === job.id && told.state !== "running");
  }

  /** Somebody else read an item: it leaves the queue, never the card. */
  heard(/** @type {any} */ event) {
    if (!event.reviewer || event.reviewer === this.state.project.reviewer || event.kind !== "label") return;
    this.set({ queue: this.state.queue.filter((/** @type {Item} */ item) => item.row !== event.row) });
  }

  /** A question or known items change everything that comes, also the card. */
  beginAgain() {
    this.set({ page: [], at: 0, queue: [], picked: false, asking: true });
    this.refresh();
  }

  /** Ask for everything again, as after a broken line. */
  async refresh() {
    const project = await get(this.path).catch(() => null);
    if (!project) return;
    this.set({
      project,
      order: project.order,
      jobs: (project.jobs ?? []).map((/** @type {any} */ job) => this.ended(job) ?? job),
    });
    this.counted(project.counts);
    this.refill();
    this.relist();
  }
}
