/** Evidence: how much is probably left, by which method, and what it assumes. */
import { get, post } from "../api.js";
import { RankChange } from "../charts/lines.js";
import { RecallCurve } from "../charts/recall.js";
import { Wave } from "../charts/wave.js";
import { html, useEffect, useState } from "../html.js";
import { useAnswer } from "../store.js";
import { WORDS, count, fixed, percent } from "../words.js";
import { Dialog, Failure, Select, Title } from "./parts.js";

const W = WORDS.evidence;

/** @param {{desk: import("../desk.js").Desk, go: (name: string) => void}} props */
export function Evidence({ desk, go }) {
  const [list, setList] = useState("");
  const { value, error, again } = useAnswer(
    () => get(`${desk.path}/evidence`, { list }),
    [desk, list, desk.state.counts.n_read],
  );
  const lists = desk.state.project.lists;
  return html`<main class="page evidence">
    <header class="row between"><div><${Title}>${W.title}<//><p class="soft">${W.lead}</p></div>
      ${lists.length > 1 ? html`<${Select} label=${W.list} value=${list} options=${[["", WORDS.list.all], ...lists.map((/** @type {any} */ l) => [l.qid, l.qid])]} change=${setList} />` : null}
    </header>
    ${error ? html`<${Failure} error=${error} again=${again} />` : null}
    ${value ? html`<${Panel} desk=${desk} evidence=${value} go=${go} again=${again} />` : error ? null : html`<p>${WORDS.loading}</p>`}
  </main>`;
}

/** @param {{desk: import("../desk.js").Desk, evidence: any, go: (name: string) => void, again: () => void}} props */
function Panel({ desk, evidence, go, again }) {
  const { target } = evidence;
  const facts = [
    [count(evidence.n_found), W.found],
    [`${count(evidence.n_read)} / ${count(evidence.n_items)}`, W.read],
    [count(evidence.since_last), W.since],
    [count(evidence.n_unsure), W.unsure],
    [fixed(evidence.labels_per_minute, 1), W.pace],
    [`${percent(target.recall)}, ${percent(target.confidence)}`, W.target],
  ];
  return html`<dl class="facts">${facts.map(([value, said]) => html`<div><dt>${said}</dt><dd>${value}</dd></div>`)}</dl>
    <div class="two">
      <${Claim} title=${W.bound} claim=${evidence.bound} />
      <${AuditPanel} desk=${desk} evidence=${evidence} go=${go} />
    </div>
    <${StopPanel} desk=${desk} again=${again} />
    ${evidence.n_read ? null : html`<p class="soft">${W.unread}</p>`}
    <div class="two" hidden=${!evidence.n_read}>
      <${RecallCurve} curve=${evidence.curve} nItems=${evidence.n_items} />
      ${evidence.wave?.length ? html`<${Wave} gaps=${evidence.wave} />` : null}
      ${evidence.rank_change?.length > 1 ? html`<${RankChange} points=${evidence.rank_change} says=${W.changeMethod} />` : null}
    </div>
    ${evidence.per_list?.length > 1 ? html`<${PerList} lists=${evidence.per_list} />` : null}`;
}

/** One claim with its method, assumption and source. @param {{title: string, claim: any, children?: any}} props */
function Claim({ title, claim, children }) {
  return html`<section class="claim ${claim?.reached ? "reached" : ""}">
    <h2>${title}</h2>
    ${
      claim
        ? html`
      <p class="figure">≥ ${percent(claim.recall)} <span class="soft">${claim.reached ? `✓ ${W.reached}` : W.notReached}${claim.p != null ? `, ${W.p} ${claim.p < 0.001 ? "< 0.001" : fixed(claim.p, 3)}` : ""}</span></p>
      <div class="meter" role="img" aria-label="≥ ${percent(claim.recall)}"><span style=${{ width: `${100 * (claim.recall ?? 0)}%` }}></span></div>
      <p>${claim.sentence}</p>
      <dl class="small"><dt>${W.method}</dt><dd>${claim.method}</dd><dt>${W.assumes}</dt><dd>${claim.assumption}</dd><dt>${W.source}</dt><dd>${claim.citation}</dd></dl>`
        : null
    }
    ${children}
  </section>`;
}

/** The audit says its price before it starts. @param {{desk: import("../desk.js").Desk, evidence: any, go: (name: string) => void}} props */
function AuditPanel({ desk, evidence, go }) {
  const [error, fail] = useState(/** @type {any} */ (null));
  const read = () => (desk.choose({ mode: "audit" }), go("work"));
  const start = () =>
    post(`${desk.path}/audit`, {}).then((said) => {
      desk.did({ id: said.id, kind: "audit" });
      desk.set({ project: { ...desk.state.project, audit: true } });
      read();
    }, fail);
  return html`<${Claim} title=${W.audit} claim=${evidence.audit}>
    ${evidence.audit ? null : html`<p class="soft">${W.auditNone}</p>`}
    <p><b>${W.price}:</b> ${evidence.audit_price_says}</p>
    ${error ? html`<${Failure} error=${error} />` : null}
    <p class="actions">
      ${evidence.audit ? html`<button class="primary" onClick=${read}>${W.auditGo}</button>` : null}
      <button class=${evidence.audit ? "" : "primary"} disabled=${desk.readOnly || evidence.n_read >= evidence.n_items} onClick=${start}>${W.auditStart}</button>
    </p>
  <//>`;
}

/** @param {{desk: import("../desk.js").Desk, again: () => void}} props */
function StopPanel({ desk, again }) {
  const [asking, ask] = useState(false);
  const [error, fail] = useState(/** @type {any} */ (null));
  const [copied, setCopied] = useState(false);
  const stop = desk.state.project.stop;
  const write = () =>
    post(`${desk.path}/stop`, {}).then(
      (said) => (
        desk.did({ id: said.id, kind: "stop" }),
        desk.set({ project: { ...desk.state.project, stop: said } }),
        ask(false),
        desk.refresh(),
        again()
      ),
      fail,
    );
  useEffect(() => setCopied(false), [stop?.sentence]);
  return html`<section class="stop">
    ${
      stop
        ? html`<h2>${W.stopped}</h2><p><b>${W.sentence}:</b> ${stop.sentence}</p>
        <p class="actions"><button onClick=${() =>
          navigator.clipboard?.writeText(stop.sentence).then(
            () => setCopied(true),
            () => null,
          )}>${copied ? W.copied : W.copy}</button></p>`
        : html`<p class="row"><button disabled=${desk.readOnly} onClick=${() => ask(true)}>${W.stop}</button><span class="soft">${W.stopHint}</span></p>`
    }
    ${
      asking
        ? html`<${Dialog} title=${W.stopAsk} close=${() => ask(false)}>
      <p>${W.stopSays}</p>${error ? html`<${Failure} error=${error} />` : null}
      <p class="actions"><button class="primary" autofocus onClick=${write}>${W.stopDo}</button><button onClick=${() => ask(false)}>${WORDS.cancel}</button></p>
    <//>`
        : null
    }
  </section>`;
}

/** @param {{lists: any[]}} props */
function PerList({ lists }) {
  return html`<section><h2>${W.perList}</h2><div class="scroll" tabindex="0" role="region" aria-label=${W.perList}><table>
    <thead><tr><th scope="col">${W.list}</th><th scope="col" class="number">${W.items}</th><th scope="col" class="number">${W.read}</th><th scope="col" class="number">${W.found}</th><th scope="col" class="number">${W.judged10}</th></tr></thead>
    <tbody>${lists.map((l) => html`<tr><th scope="row">${l.qid}</th><td class="number">${count(l.n_items)}</td><td class="number">${count(l.n_read)}</td><td class="number">${count(l.n_found)}</td><td class="number">${percent(l.judged10)}</td></tr>`)}</tbody>
  </table></div></section>`;
}
