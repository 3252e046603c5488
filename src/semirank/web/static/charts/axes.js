/** What all charts share: a scale, axes with round numbers, and ways to take a chart away. */
import { html, useRef } from "../html.js";
import { download, toCsv } from "../views/parts.js";
import { WORDS, count } from "../words.js";

export const WIDTH = 640;
export const HEIGHT = 300;
const LEFT = 52,
  RIGHT = 16,
  TOP = 12,
  BOTTOM = 38;

/** @param {number} highest @param {number} [parts] @returns {number[]} round whole numbers from 0 on */
export function ticks(highest, parts = 5) {
  const raw = Math.max(1, highest / parts);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  return Array.from({ length: Math.floor(highest / step + 1e-9) + 1 }, (_, i) => i * step);
}

/** @param {[number, number]} from @param {[number, number]} to */
const line =
  ([a, b], [c, d]) =>
  (/** @type {number} */ x) =>
    c + ((x - a) * (d - c)) / (b - a || 1);

/** @param {[number, number]} xs @param {[number, number]} ys */
export const frame = (xs, ys) => ({ x: line(xs, [LEFT, WIDTH - RIGHT]), y: line(ys, [HEIGHT - BOTTOM, TOP]) });

/** @param {{at: {x: (v: number) => number, y: (v: number) => number}, xTicks: number[], yTicks: number[], xName: string, yName: string, y?: (v: number) => string}} props */
export function Axes({ at, xTicks, yTicks, xName, yName, y: say = count }) {
  return html`<g class="axes">
    ${yTicks.map((v) => html`<line class="rule" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${at.y(v)} y2=${at.y(v)} /><text x=${LEFT - 8} y=${at.y(v) + 4} text-anchor="end">${say(v)}</text>`)}
    ${xTicks.map((v) => html`<text x=${at.x(v)} y=${HEIGHT - BOTTOM + 18} text-anchor="middle">${count(v)}</text>`)}
    <text x=${(LEFT + WIDTH - RIGHT) / 2} y=${HEIGHT - 4} text-anchor="middle">${xName}</text>
    <text x=${LEFT - 40} y=${TOP + 130} text-anchor="middle" transform="rotate(-90 ${LEFT - 40} ${TOP + 130})">${yName}</text>
  </g>`;
}

/** @param {[number, number][]} points @param {{x: (v: number) => number, y: (v: number) => number}} at */
export const path = (points, at) =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${at.x(x).toFixed(1)} ${at.y(y).toFixed(1)}`).join("");

/** @param {[number, number][]} points @param {{x: (v: number) => number, y: (v: number) => number}} at a curve that jumps */
export const steps = (points, at) =>
  points
    .map(([x, y], i) =>
      i ? `H${at.x(x).toFixed(1)}V${at.y(y).toFixed(1)}` : `M${at.x(x).toFixed(1)} ${at.y(y).toFixed(1)}`,
    )
    .join("");

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "opacity"];

/** The picture as it is seen, without the page's style sheet. @param {SVGElement} svg */
function alone(svg) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const pairs = [...svg.querySelectorAll("*")].map((one, i) => [one, copy.querySelectorAll("*")[i]]);
  for (const [seen, kept] of pairs) {
    const style = getComputedStyle(seen);
    for (const name of KEPT) kept.setAttribute(name, style.getPropertyValue(name));
    kept.removeAttribute("class");
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/**
 * A picture with its numbers: as SVG, as CSV, as a table for whoever does not see it.
 * @param {{title: string, says?: any, name: string, head: string[], rows: any[][], children?: any, label: string}} props
 */
export function Figure({ title, says, name, head, rows, children, label }) {
  const svg = useRef(/** @type {SVGElement | null} */ (null));
  const saveSvg = () => svg.current && download(`${name}.svg`, alone(svg.current), "image/svg+xml");
  return html`<figure class="chart">
    <figcaption><h3>${title}</h3>${says ? html`<p class="soft">${says}</p>` : null}</figcaption>
    <svg ref=${svg} viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${label}>${children}</svg>
    <div class="row">
      <button onClick=${saveSvg} aria-label="${title}: ${WORDS.evidence.svg}">${WORDS.evidence.svg}</button>
      <button onClick=${() => download(`${name}.csv`, toCsv([head, ...rows]), "text/csv")} aria-label="${title}: ${WORDS.evidence.csv}">${WORDS.evidence.csv}</button>
      <details><summary>${WORDS.evidence.table}</summary>
        <div class="scroll short" tabindex="0" role="region" aria-label=${title}><table><thead><tr>${head.map((h) => html`<th scope="col">${h}</th>`)}</tr></thead>
        <tbody>${rows.slice(-100).map((row) => html`<tr>${row.map((cell) => html`<td class="number">${typeof cell === "number" ? Number(cell.toFixed(4)) : cell}</td>`)}</tr>`)}</tbody></table></div>
      </details>
    </div>
  </figure>`;
}
