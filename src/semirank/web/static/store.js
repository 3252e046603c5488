/** State that views are drawn from. */
import { useEffect, useState } from "./html.js";

/**
 * An object that tells whoever listens when it changes.
 * @template {object} T
 */
export class Store {
  /** @param {T} state */
  constructor(state) {
    this.state = state;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  /** @param {Partial<T>} change */
  set(change) {
    Object.assign(this.state, change);
    for (const listener of this.listeners) listener();
  }

  /** @param {() => void} listener @returns {() => void} what ends it */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/**
 * Draw a component again whenever the store changes.
 * @template {object} T
 * @param {Store<T>} store @returns {T}
 */
export function useStore(store) {
  const [, redraw] = useState(0);
  useEffect(() => store.listen(() => redraw((n) => n + 1)), [store]);
  return store.state;
}

/**
 * What a promise brings, and the error if it fails; asked again when one of `reasons` changes.
 * @template T
 * @param {() => Promise<T>} ask @param {any[]} reasons
 * @returns {{value: T | null, error: any, again: () => void}}
 */
export function useAnswer(ask, reasons) {
  const [answer, set] = useState({ value: /** @type {any} */ (null), error: null });
  const [round, again] = useState(0);
  useEffect(() => {
    let wanted = true;
    ask().then(
      (value) => wanted && set({ value, error: null }),
      (error) => wanted && set((before) => ({ value: before.value, error })),
    );
    return () => void (wanted = false);
  }, [...reasons, round]);
  return { ...answer, again: () => again((n) => n + 1) };
}
