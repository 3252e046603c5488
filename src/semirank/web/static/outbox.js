/** Events on their way to the server: kept in IndexedDB until they are acknowledged, sent in their order. */
import { of, post, Refusal } from "./api.js";
import { Store } from "./store.js";

const NAME = "semirank";
const TABLE = "outbox";
const PAUSES = [500, 1000, 2000, 4000, 8000, 15000];
const PATIENCE = 1000;
const AT_ONCE = 100;
/** Answers that will not change; any other is a server that is away, or another one at its place. */
const FINAL = new Set([400, 403, 409, 413, 422]);

/** @typedef {{id: string, kind: string, item: string | null, qid: string | null, value: any, via: string | null, order: number | null, mode: string}} Sent */
/** @typedef {{n?: number, key: string, event: Sent, gone?: boolean}} Kept */

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const answer = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @returns {Promise<IDBDatabase>} */
function open() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(TABLE, { keyPath: "n", autoIncrement: true });
  return answer(request);
}

/** @extends {Store<{waiting: number, late: boolean}>} */
export class Outbox extends Store {
  /**
   * @param {string} key project
   * @param {{taken: (sent: Sent, answer: any) => void, refused: (sent: Sent, why: string) => void}} tell
   */
  constructor(key, tell) {
    super({ waiting: 0, late: false });
    this.key = key;
    this.tell = tell;
    /** @type {Kept[]} */
    this.queue = [];
    this.busy = false;
    this.failures = 0;
    this.since = 0;
    this.closed = false;
    this.atOnce = AT_ONCE;
    this.database = open().catch(() => null); // a browser that keeps nothing still sends
    this.ready = this.recover();
    this.wake = () => this.retry();
    addEventListener("online", this.wake);
    this.clock = setInterval(() => this.look(), 250);
  }

  /** What an earlier page could not send goes first. */
  async recover() {
    const database = await this.database;
    if (!database) return;
    const all = /** @type {Kept[]} */ (await answer(database.transaction(TABLE).objectStore(TABLE).getAll()));
    this.queue.unshift(...all.filter((kept) => kept.key === this.key));
    this.since = Date.now();
    this.look();
    this.send();
  }

  /** @param {Sent} event */
  async add(event) {
    const kept = { key: this.key, event };
    if (!this.queue.length) this.since = Date.now();
    this.queue.push(kept);
    this.set({ waiting: this.queue.length });
    await this.ready;
    await this.keep(kept);
    this.send();
  }

  /** @param {Kept} kept */
  async keep(kept) {
    const database = await this.database;
    if (!database || kept.n) return;
    const table = database.transaction(TABLE, "readwrite").objectStore(TABLE);
    kept.n = Number(await answer(table.add(kept)));
    if (kept.gone) this.forget([kept]); // it went with those before it
  }

  /** @param {Kept[]} gone */
  async forget(gone) {
    for (const kept of gone) kept.gone = true;
    const database = await this.database;
    if (!database) return;
    const table = database.transaction(TABLE, "readwrite").objectStore(TABLE);
    for (const kept of gone) if (kept.n) table.delete(kept.n);
  }

  async send() {
    if (this.busy || this.closed || !this.queue.length) return;
    this.busy = true;
    const batch = this.queue.slice(0, this.atOnce);
    try {
      const timeout = AbortSignal.timeout(20000);
      const answers = await post(
        `${of(this.key)}/events`,
        batch.map((kept) => kept.event),
        timeout,
      );
      this.acknowledge(batch, answers);
    } catch (error) {
      this.failed(batch, error);
    }
  }

  /** @param {Kept[]} batch @param {any[]} answers */
  acknowledge(batch, answers) {
    this.queue.splice(0, batch.length);
    this.forget(batch);
    this.failures = 0;
    this.since = Date.now();
    this.busy = false;
    if (!this.queue.length) this.atOnce = AT_ONCE;
    this.set({ waiting: this.queue.length, late: false });
    batch.forEach((kept, i) => {
      if (answers[i]?.refused) this.tell.refused(kept.event, answers[i].refused);
      else this.tell.taken(kept.event, answers[i] ?? {});
    });
    this.send();
  }

  /** A server that is away is asked again; one that says no to many events is asked about each. */
  failed(/** @type {Kept[]} */ batch, /** @type {any} */ error) {
    this.busy = false;
    if (error instanceof Refusal && FINAL.has(error.status)) {
      if (batch.length === 1) return this.acknowledge(batch, [{ refused: error.message }]);
      this.atOnce = 1;
      return void this.send();
    }
    const pause = PAUSES[Math.min(this.failures++, PAUSES.length - 1)];
    this.timer = setTimeout(() => this.send(), pause);
    this.look();
  }

  retry() {
    clearTimeout(this.timer);
    this.send();
  }

  /** "3 verdicts not saved yet": only when it takes longer than a second. */
  look() {
    const late = this.queue.length > 0 && Date.now() - this.since > PATIENCE;
    if (late !== this.state.late || this.queue.length !== this.state.waiting)
      this.set({ late, waiting: this.queue.length });
  }

  close() {
    this.closed = true;
    clearInterval(this.clock);
    clearTimeout(this.timer);
    removeEventListener("online", this.wake);
  }
}
