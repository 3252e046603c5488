/** What a reader likes; kept in the browser. */
import { Store } from "./store.js";

const FIRST = { theme: "system", size: 1, why: true, cards: 1, swipe: false };

/** @extends {Store<typeof FIRST>} */
class Settings extends Store {
  constructor() {
    super({ ...FIRST, ...JSON.parse(localStorage.getItem("semirank.settings") || "{}") });
    this.show();
  }

  /** @param {Partial<typeof FIRST>} change */
  set(change) {
    super.set(change);
    localStorage.setItem("semirank.settings", JSON.stringify(this.state));
    this.show();
  }

  /** @param {number} step */
  resize(step) {
    this.set({ size: Math.min(1.6, Math.max(0.8, Math.round((this.state.size + step * 0.1) * 10) / 10)) });
  }

  show() {
    const root = document.documentElement;
    root.dataset.theme = this.state.theme;
    root.style.setProperty("--size", String(this.state.size));
  }
}

export const settings = new Settings();
