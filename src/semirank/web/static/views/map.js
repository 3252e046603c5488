/** Map: similar items lie close together; a lasso takes many at once. */
import { get } from "../api.js";
import { colours, draw, inside, ranksOf, whole } from "../charts/points.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../html.js";
import { WORDS, fixed } from "../words.js";
import { Dialog, Failure, Job, Mark, Select, Title } from "./parts.js";

const W = WORDS.map;
const SHOWN = 200;
const MOST = 2000;
const FILTERS = ["any", "relevant", "not", "unsure", "later", "none"];

/** @param {import("../desk.js").Desk} desk */
function useMap(desk) {
  const [map, set] = useState(/** @type {{points: Float32Array, layout: string | null} | null} */ (null));
  const [job, setJob] = useState(/** @type {any} */ (null));
  const [error, fail] = useState(/** @type {any} */ (null));
  const job2 = desk.state.jobs.find((/** @type {any} */ one) => one.kind === "map");
  useEffect(() => {
    let timer = 0;
    const ask = async () => {
      const response = await fetch(`${desk.path}/map`);
      if (response.status === 202) {
        setJob((await response.json()).job);
        timer = setTimeout(ask, 700);
      } else if (response.ok) {
        set({
          points: new Float32Array(await response.arrayBuffer()),
          layout: response.headers.get("X-Semirank-Layout"),
        });
        setJob(null);
      } else fail(new Error((await response.json().catch(() => ({}))).error));
    };
    ask().catch(fail);
    return () => clearTimeout(timer);
  }, [desk, job2?.state]);
  return { map, job, error };
}

/** @param {{desk: import("../desk.js").Desk, go: (name: string) => void}} props */
export function MapPage({ desk, go }) {
  const { map, job, error } = useMap(desk);
  const [facts, setFacts] = useState(/** @type {any} */ (null));
  const [chosen, choose] = useState(/** @type {Set<number>} */ (new Set()));
  const [colour, setColour] = useState("verdict");
  const [filter, setFilter] = useState("any");
  const [lasso, setLasso] = useState(false);
  useEffect(
    () => void get(`${desk.path}/map`, { points: 1 }).then(setFacts, () => null),
    [desk, desk.state.order?.number, map],
  );
  const verdicts = facts
    ? facts.verdicts.map((/** @type {any} */ said, /** @type {number} */ row) => here(desk, row, said))
    : [];
  return html`<main class="page map"><header class="row between">
      <div><${Title}>${W.title}<//><p class="soft">${W.lead} ${map?.layout === "pca" ? W.pca : map ? W.tsne : ""}</p></div>
      <div class="row"><${Select} label=${W.colour} value=${colour} options=${[
        ["verdict", W.verdict],
        ["score", W.score],
      ]} change=${setColour} />
        <${Select} label=${WORDS.labels.verdict} value=${filter} options=${FILTERS.map((name) => [name, name === "any" ? WORDS.labels.any : name === "none" ? WORDS.labels.none : WORDS.verdict[name]])} change=${setFilter} />
        <button aria-pressed=${lasso} onClick=${() => setLasso(!lasso)}>${W.lasso}</button></div></header>
    ${error ? html`<${Failure} error=${error} />` : null}
    ${job && !map ? html`<${Job} job=${job} />` : null}
    ${map && facts ? html`<${Canvas} points=${map.points} verdicts=${verdicts} scores=${colour === "score" ? facts.scores : null} chosen=${chosen} choose=${choose} lasso=${lasso} filter=${filter} desk=${desk} />` : error || job ? null : html`<p>${WORDS.loading}</p>`}
    <${Chosen} desk=${desk} chosen=${chosen} choose=${choose} go=${go} />
  </main>`;
}

/** @param {import("../desk.js").Desk} desk @param {number} row @param {string | null} said by the server */
function here(desk, row, said) {
  if (!desk.verdicts.has(row)) return said;
  const verdict = desk.verdicts.get(row);
  if (!verdict) return null;
  return verdict.kind === "label" ? (desk.isRelevant(verdict.value ?? 0) ? "relevant" : "not") : verdict.kind;
}

/** @param {{points: Float32Array, verdicts: any[], scores: any[] | null, chosen: Set<number>, choose: (rows: Set<number>) => void, lasso: boolean, filter: string, desk: import("../desk.js").Desk}} props */
function Canvas({ points, verdicts, scores, chosen, choose, lasso, filter, desk }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const [size, setSize] = useState([0, 0]);
  const [view, setView] = useState(/** @type {any} */ (null));
  const [line, setLine] = useState(/** @type {[number, number][]} */ ([]));
  const [hover, setHover] = useState(/** @type {any} */ (null));
  const ranks = useMemo(() => (scores ? ranksOf(scores) : null), [scores]);
  const shown = (/** @type {number} */ row) => filter === "any" || (verdicts[row] ?? "none") === filter;
  useLayoutEffect(() => {
    const element = /** @type {HTMLCanvasElement} */ (canvas.current);
    const measure = () =>
      setSize([
        Math.round(element.clientWidth * devicePixelRatio),
        Math.round(element.clientHeight * devicePixelRatio),
      ]);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => void (size[0] && setView(whole(points, size[0], size[1]))), [points, size[0], size[1]]);
  useLayoutEffect(() => {
    if (!view || !canvas.current) return;
    draw(canvas.current, {
      points,
      verdicts,
      ranks,
      chosen,
      view,
      colours: colours(getComputedStyle(canvas.current)),
      shown,
    });
    trace(canvas.current, line);
  });
  const at = (/** @type {PointerEvent | WheelEvent} */ e) =>
    /** @type {[number, number]} */ ([e.offsetX * devicePixelRatio, e.offsetY * devicePixelRatio]);
  const seen = (/** @type {(x: number, y: number) => boolean} */ test) => {
    const rows = new Set(/** @type {number[]} */ ([]));
    for (let row = 0; row < points.length / 2; row++)
      if (
        shown(row) &&
        test(
          (points[2 * row] - view.x) * view.scale + size[0] / 2,
          (points[2 * row + 1] - view.y) * view.scale + size[1] / 2,
        )
      )
        rows.add(row);
    return rows;
  };
  const zoom = (/** @type {number} */ by, /** @type {[number, number]} */ [x, y] = [size[0] / 2, size[1] / 2]) => {
    const scale = view.scale * by;
    const shift = 1 / view.scale - 1 / scale;
    setView({ x: view.x + (x - size[0] / 2) * shift, y: view.y + (y - size[1] / 2) * shift, scale });
  };
  const pan = (/** @type {number} */ dx, /** @type {number} */ dy) =>
    setView({ ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale });
  const inView = () => choose(seen((x, y) => x >= 0 && y >= 0 && x < size[0] && y < size[1]));
  const moved = (/** @type {PointerEvent} */ e) => {
    if (!(e.buttons & 1)) return void near(e);
    if (lasso) setLine([...line, at(e)]);
    else pan(e.movementX * devicePixelRatio, e.movementY * devicePixelRatio);
  };
  const near = (/** @type {PointerEvent} */ e) => {
    const [x, y] = at(e);
    const reach = 8 * devicePixelRatio;
    const [row] = seen((a, b) => Math.abs(a - x) < reach && Math.abs(b - y) < reach);
    if (row !== hover?.row) setHover(row == null ? null : { row, x: e.offsetX, y: e.offsetY });
  };
  const ended = () => {
    if (lasso && line.length > 2) choose(seen((x, y) => inside(line, x, y)));
    setLine([]);
  };
  const steps = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: () => pan(80, 0),
    ArrowRight: () => pan(-80, 0),
    ArrowUp: () => pan(0, 80),
    ArrowDown: () => pan(0, -80),
    "+": () => zoom(1.4),
    "=": () => zoom(1.4),
    "-": () => zoom(1 / 1.4),
    v: inView,
    0: () => setView(whole(points, size[0], size[1])),
  });
  const pressed = (/** @type {KeyboardEvent} */ e) =>
    steps[e.key] && !e.ctrlKey && !e.metaKey && (e.preventDefault(), e.stopPropagation(), steps[e.key]());
  return html`<div class="canvas">
    <canvas ref=${canvas} class=${lasso ? "lasso" : ""} width=${size[0]} height=${size[1]} tabindex="0" role="img" aria-label=${W.canvas} onKeyDown=${pressed}
      onPointerDown=${(/** @type {any} */ e) => e.currentTarget.setPointerCapture(e.pointerId)} onPointerMove=${moved} onPointerUp=${ended}
      onWheel=${(/** @type {WheelEvent} */ e) => (e.preventDefault(), zoom(e.deltaY < 0 ? 1.2 : 1 / 1.2, at(e)))}></canvas>
    <${Hover} desk=${desk} hover=${hover} />
    <div class="zoom"><button onClick=${() => zoom(1.4)} aria-label=${W.zoomIn}>+</button><button onClick=${() => zoom(1 / 1.4)} aria-label=${W.zoomOut}>−</button><button onClick=${steps[0]} aria-label=${W.whole}>⤢</button><button onClick=${inView}>${W.inView}</button></div>
  </div>`;
}

/** @param {HTMLCanvasElement} canvas @param {[number, number][]} line */
function trace(canvas, line) {
  if (line.length < 2) return;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--accent");
  context.lineWidth = 2 * devicePixelRatio;
  context.beginPath();
  line.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
}

/** @param {{desk: import("../desk.js").Desk, hover: any}} props */
function Hover({ desk, hover }) {
  const [item, setItem] = useState(/** @type {any} */ (null));
  useEffect(() => {
    setItem(null);
    if (!hover) return;
    const timer = setTimeout(() => get(`${desk.path}/items/${hover.row}`).then(setItem, () => null), 80);
    return () => clearTimeout(timer);
  }, [hover?.row]);
  return hover && item
    ? html`<div class="hover" style=${{ left: `${hover.x}px`, top: `${hover.y + 14}px` }}>
    ${item.image ? html`<img alt="" src="${desk.path}/items/${item.row}/image?w=96" />` : null}${item.title || item.id}</div>`
    : null;
}

/** What was selected: as a table, and one verdict for all. @param {{desk: import("../desk.js").Desk, chosen: Set<number>, choose: (rows: Set<number>) => void, go: (name: string) => void}} props */
function Chosen({ desk, chosen, choose, go }) {
  const [items, setItems] = useState(/** @type {any[]} */ ([]));
  const [asked, ask] = useState(/** @type {any} */ (null));
  useEffect(() => {
    if (!chosen.size) return setItems([]);
    const rows = [...chosen].slice(0, MOST);
    get(`${desk.path}/items`, { rows: rows.join(",") }).then(
      (answer) => setItems(answer.items.filter((/** @type {any} */ item) => chosen.has(item.row))),
      () => null,
    );
  }, [chosen]);
  if (!chosen.size) return null;
  const give = () => {
    desk.give(items, asked.kind, asked.value);
    choose(new Set());
    ask(null);
  };
  const grades = Object.keys(desk.state.project.scale.names).map((value) => ({ kind: "label", value: Number(value) }));
  const verdicts = [...grades, { kind: "unsure", value: null }, { kind: "later", value: null }];
  const over = chosen.size > MOST;
  return html`<section aria-label=${W.selected(chosen.size)}>
    <p class="row between"><b aria-live="polite">${W.selected(chosen.size)}</b><button onClick=${() => choose(new Set())}>${W.clear}</button></p>
    <p class="row"><span>${W.give}:</span>${verdicts.map((verdict) => html`<button disabled=${over || desk.readOnly || !items.length} onClick=${() => ask(verdict)}>${desk.nameOf(verdict)}</button>`)}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${W.table}><table><caption class="spoken">${W.table}</caption>
      <thead><tr><th scope="col">${WORDS.labels.title2}</th><th scope="col">${WORDS.labels.verdict}</th><th scope="col" class="number">${WORDS.card.score}</th></tr></thead>
      <tbody>${items.slice(0, SHOWN).map((item) => html`<tr key=${item.row}><td><button class="link" onClick=${() => (desk.pick(item), go("work"))}>${item.title || item.id}</button></td><td><${Mark} verdict=${desk.verdictOf(item)} desk=${desk} /></td><td class="number">${fixed(item.score)}</td></tr>`)}</tbody></table></div>
    ${items.length > SHOWN ? html`<p class="soft">${W.more(items.length - SHOWN)}</p>` : null}
    ${
      asked
        ? html`<${Dialog} title=${W.all(desk.nameOf(asked), items.length)} close=${() => ask(null)}><p>${W.ask}</p>
      <p class="actions"><button class="primary" autofocus onClick=${give}>${desk.nameOf(asked)}</button><button onClick=${() => ask(null)}>${WORDS.cancel}</button></p><//>`
        : null
    }
  </section>`;
}
