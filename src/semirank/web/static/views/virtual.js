/** A list of any length of which only what is seen is drawn. */
import { html, useLayoutEffect, useRef, useState } from "../html.js";

const HIGHEST = 8e6; // browsers draw no element that is much higher
const AROUND = 6;

/**
 * @param {{length: number, height: number, draw: (i: number) => any, look: (from: number, to: number) => void, label: string, active?: string,
 *   show?: number, scrolled?: (top: number) => void, class?: string}} props  show: the place that is to be seen
 */
export function Virtual({ length, height, draw, look, label, active, show, scrolled, class: name = "" }) {
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  const [view, setView] = useState({ top: 0, height: 600 });
  const whole = Math.min(length * height, HIGHEST);
  const folded = length * height > HIGHEST;
  const seen = Math.ceil(view.height / height) + 1;
  const share = folded ? view.top / Math.max(1, whole - view.height) : 0;
  const top = folded ? Math.round(share * Math.max(0, length - seen)) : Math.floor(view.top / height);
  const from = Math.max(0, top - AROUND);
  const to = Math.min(length, top + seen + AROUND);
  const shift = folded ? view.top - (top - from) * height - share * (seen * height - view.height) : from * height;
  const measure = () => {
    const element = /** @type {HTMLElement} */ (pane.current);
    setView((old) =>
      old.top === element.scrollTop && old.height === element.clientHeight
        ? old
        : { top: element.scrollTop, height: element.clientHeight },
    );
  };
  useLayoutEffect(() => {
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(/** @type {HTMLElement} */ (pane.current));
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => look(from, to), [from, to, length]);
  useLayoutEffect(() => {
    const element = pane.current;
    if (show == null || show < 0 || !element || folded) return;
    if (show * height < element.scrollTop) element.scrollTop = show * height;
    else if ((show + 1) * height > element.scrollTop + element.clientHeight)
      element.scrollTop = (show + 1) * height - element.clientHeight;
  }, [show]);
  const moved = () => (measure(), scrolled?.(/** @type {HTMLElement} */ (pane.current).scrollTop));
  const rows = [];
  for (let i = from; i < to; i++) rows.push(draw(i));
  return html`<div class="virtual ${name}" ref=${pane} onScroll=${moved} role="listbox" tabindex="0" aria-label=${label} aria-activedescendant=${active}>
    <div role="presentation" style=${{ height: `${whole}px` }}><div role="presentation" class="window" style=${{ transform: `translateY(${shift}px)` }}>${rows}</div></div>
  </div>`;
}
