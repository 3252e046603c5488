/** A value that changes with the number of the order. */
import { html } from "../html.js";
import { WORDS, fixed } from "../words.js";
import { Axes, Figure, frame, path, ticks } from "./axes.js";

/** @param {{points: [number, number][], says: any}} props */
export function RankChange({ points, says }) {
  const known = points.filter(([, tau]) => Number.isFinite(tau));
  const last = known.at(-1)?.[0] ?? 1;
  const lowest = Math.min(0, ...known.map(([, tau]) => tau));
  const at = frame([Math.min(known[0]?.[0] ?? 0, last - 1), last], [lowest, 1]);
  const levels = lowest < 0 ? [-1, -0.5, 0, 0.5, 1].filter((v) => v >= lowest) : [0, 0.25, 0.5, 0.75, 1];
  const label = `${WORDS.evidence.change}: ${fixed(known.at(-1)?.[1])}`;
  return html`<${Figure} title=${WORDS.evidence.change} says=${says} name="rank-change" label=${label} head=${[WORDS.evidence.labels, WORDS.evidence.tau]} rows=${known}>
    <${Axes} at=${at} xTicks=${ticks(last).filter((v) => at.x(v) >= at.x(known[0]?.[0] ?? 0))} yTicks=${levels} xName=${WORDS.evidence.labels} yName=${WORDS.evidence.tau} y=${(/** @type {number} */ v) => fixed(v)} />
    <path class="line main" d=${path(known, at)} />
  <//>`;
}
