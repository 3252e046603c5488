/** Many points, drawn pixel by pixel. */

/**
 * @typedef {{x: number, y: number, scale: number}} View the middle, and pixels a unit
 * @typedef {{unread: number, relevant: string, not: string, unsure: string, later: string, chosen: string, low: number[], high: number[]}} Colours
 */

/** @param {Float32Array} points x, y, x, y … @param {number} width @param {number} height @returns {View} */
export function whole(points, width, height) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, points[i]);
    right = Math.max(right, points[i]);
    top = Math.min(top, points[i + 1]);
    bottom = Math.max(bottom, points[i + 1]);
  }
  const scale = 0.92 * Math.min(width / (right - left || 1), height / (bottom - top || 1));
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale };
}

/** @param {CSSStyleDeclaration} style @returns {Colours} */
export function colours(style) {
  const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const rgb = (/** @type {string} */ hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [r, g, b] = rgb(of("--dot"));
  return {
    unread: (255 << 24) | (b << 16) | (g << 8) | r,
    relevant: of("--relevant"),
    not: of("--not"),
    unsure: of("--unsure"),
    later: of("--soft"),
    chosen: of("--accent"),
    low: rgb(of("--low")),
    high: rgb(of("--high")),
  };
}

/** Places of the scores in their order, 0 to 1. @param {(number | null)[]} scores */
export function ranksOf(scores) {
  const order = scores.map((_, row) => row).sort((a, b) => (scores[a] ?? -Infinity) - (scores[b] ?? -Infinity));
  const ranks = new Float32Array(scores.length);
  order.forEach((row, place) => (ranks[row] = place / Math.max(1, scores.length - 1)));
  return ranks;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{points: Float32Array, verdicts: (string | null)[], ranks: Float32Array | null, chosen: Set<number>, view: View, colours: Colours, shown: (row: number) => boolean}} what
 */
export function draw(canvas, { points, verdicts, ranks, chosen, view, colours, shown }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const { width, height } = canvas;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const size = points.length > 4e4 ? 2 : points.length > 4000 ? 3 : 5;
  const marks = [];
  for (let row = 0; row < points.length / 2; row++) {
    const x = Math.round((points[2 * row] - view.x) * view.scale + width / 2);
    const y = Math.round((points[2 * row + 1] - view.y) * view.scale + height / 2);
    if (x < 4 || y < 4 || x >= width - 4 || y >= height - 4) continue;
    const plain = !shown(row) || (!verdicts[row] && !chosen.has(row));
    if (!plain) marks.push([row, x, y]);
    else dot(pixels, width, x, y, size, ranks && shown(row) ? between(colours, ranks[row]) : colours.unread);
  }
  context.putImageData(image, 0, 0);
  for (const [row, x, y] of marks) mark(context, x, y, chosen.has(row), verdicts[row], colours);
}

/** @param {Uint32Array} pixels @param {number} width @param {number} x @param {number} y @param {number} size @param {number} colour */
function dot(pixels, width, x, y, size, colour) {
  for (let dy = 0; dy < size; dy++) for (let dx = 0; dx < size; dx++) pixels[(y + dy) * width + x + dx] = colour;
}

/** @param {Colours} colours @param {number} share */
function between({ low, high }, share) {
  const [r, g, b] = low.map((from, i) => Math.round(from + (high[i] - from) * share ** 2));
  return (255 << 24) | (b << 16) | (g << 8) | r;
}

/** A verdict is a colour and a shape. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {boolean} chosen @param {string | null} verdict @param {Colours} colours */
function mark(context, x, y, chosen, verdict, colours) {
  const r = 2 * Math.max(2.5, devicePixelRatio * 2);
  context.lineWidth = r / 3;
  context.beginPath();
  if (verdict === "relevant") {
    context.fillStyle = colours.relevant;
    context.moveTo(x, y - r);
    context.lineTo(x + r, y);
    context.lineTo(x, y + r);
    context.lineTo(x - r, y);
    context.fill();
  } else if (verdict === "not") {
    context.strokeStyle = colours.not;
    context.moveTo(x - r / 1.6, y - r / 1.6);
    context.lineTo(x + r / 1.6, y + r / 1.6);
    context.moveTo(x + r / 1.6, y - r / 1.6);
    context.lineTo(x - r / 1.6, y + r / 1.6);
    context.stroke();
  } else if (verdict) {
    context.strokeStyle = verdict === "unsure" ? colours.unsure : colours.later;
    context.rect(x - r / 1.8, y - r / 1.8, r * 1.1, r * 1.1);
    context.stroke();
  }
  if (!chosen) return;
  context.beginPath();
  context.strokeStyle = colours.chosen;
  context.arc(x, y, r * 1.4, 0, 2 * Math.PI);
  context.stroke();
}

/** @param {[number, number][]} polygon @param {number} x @param {number} y */
export function inside(polygon, x, y) {
  let within = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [[a, b], [c, d]] = [polygon[i], polygon[j]];
    if (b > y !== d > y && x < ((c - a) * (y - b)) / (d - b) + a) within = !within;
  }
  return within;
}
