/** How many items were read between one relevant item and the next. */
import { html } from "../html.js";
import { WORDS, count } from "../words.js";
import { Axes, Figure, frame, ticks } from "./axes.js";

/** @param {{gaps: number[]}} props the last one is still open */
export function Wave({ gaps }) {
  const shown = gaps.slice(-80);
  const high = Math.max(4, ...shown);
  const at = frame([0, shown.length], [0, high]);
  const width = at.x(1) - at.x(0);
  const first = gaps.length - shown.length;
  const label = `${WORDS.evidence.wave}: ${count(gaps.at(-1) ?? 0)} ${WORDS.evidence.since}`;
  return html`<${Figure} title=${WORDS.evidence.wave} says=${WORDS.evidence.waveSays} name="wave" label=${label} head=${[WORDS.evidence.found, WORDS.evidence.wave]} rows=${gaps.map((gap, i) => [i + 1, gap])}>
    <${Axes} at=${at} xTicks=${[]} yTicks=${ticks(high)} xName=${`${WORDS.evidence.found} ${count(first + 1)} – ${count(gaps.length)}`} yName=${WORDS.evidence.read} />
    ${shown.map((gap, i) => html`<rect class=${i === shown.length - 1 ? "column open" : "column"} x=${at.x(i) + width * 0.15} width=${Math.max(1, width * 0.7)} y=${at.y(gap)} height=${Math.max(1, at.y(0) - at.y(gap))} />`)}
  <//>`;
}
