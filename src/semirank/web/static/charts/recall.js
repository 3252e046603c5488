/** Found against read, beside the random and the perfect reader. */
import { html } from "../html.js";
import { WORDS, count } from "../words.js";
import { Axes, Figure, frame, path, steps, ticks } from "./axes.js";

/** @param {{curve: [number, number][], nItems: number}} props */
export function RecallCurve({ curve, nItems }) {
  const points = /** @type {[number, number][]} */ ([[0, 0], ...curve]);
  const [read, found] = points[points.length - 1];
  const wide = Math.max(10, Math.min(nItems, read * 1.25));
  const high = Math.max(1, found * 1.1);
  const at = frame([0, wide], [0, high]);
  const perfect = /** @type {[number, number][]} */ ([
    [0, 0],
    [found, found],
    [wide, found],
  ]);
  const chance = /** @type {[number, number][]} */ ([
    [0, 0],
    [wide, Math.min(high, (found / Math.max(1, nItems)) * wide)],
  ]);
  const label = `${WORDS.evidence.curve}: ${count(found)} ${WORDS.evidence.found}, ${count(read)} ${WORDS.evidence.read}`;
  return html`<${Figure} title=${WORDS.evidence.curve} name="recall" label=${label} head=${[WORDS.evidence.read, WORDS.evidence.found]} rows=${curve}>
    <${Axes} at=${at} xTicks=${ticks(wide)} yTicks=${ticks(high)} xName=${WORDS.evidence.read} yName=${WORDS.evidence.found} />
    <path class="line dashed" d=${path(perfect, at)} /><path class="line dotted" d=${path(chance, at)} />
    <path class="line main" d=${steps(points, at)} />
    <text class="tag" x=${at.x(wide) - 4} y=${at.y(found) - 6} text-anchor="end">${WORDS.evidence.perfect}</text>
    <text class="tag" x=${at.x(wide) - 4} y=${at.y(chance[1][1]) - 6} text-anchor="end">${WORDS.evidence.random}</text>
  <//>`;
}
