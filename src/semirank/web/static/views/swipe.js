/** On a phone, if the reader wants it: a swipe is a verdict. */
import { useEffect } from "../html.js";
import { settings } from "../settings.js";

const FAR = 90;

/** @param {{current: HTMLElement | null}} pane @param {import("../desk.js").Desk} desk */
export function useSwipe(pane, desk) {
  const on = settings.state.swipe && !desk.graded;
  useEffect(() => {
    const element = pane.current;
    if (!on || !element) return;
    let x = 0;
    let y = 0;
    const began = (/** @type {TouchEvent} */ event) => ([x, y] = [event.touches[0].clientX, event.touches[0].clientY]);
    const ended = (/** @type {TouchEvent} */ event) => {
      const dx = event.changedTouches[0].clientX - x;
      const dy = event.changedTouches[0].clientY - y;
      if (Math.abs(dx) > FAR && Math.abs(dx) > 3 * Math.abs(dy)) desk.decide("label", dx > 0 ? 1 : 0);
    };
    element.addEventListener("touchstart", began, { passive: true });
    element.addEventListener("touchend", ended, { passive: true });
    return () => {
      element.removeEventListener("touchstart", began);
      element.removeEventListener("touchend", ended);
    };
  }, [on, desk]);
}
