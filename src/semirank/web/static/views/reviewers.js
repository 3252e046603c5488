/** Reviewers: invite, progress, agreement, conflicts side by side. */
import { get, post, put, remove } from "../api.js";
import { html, useState } from "../html.js";
import { useAnswer } from "../store.js";
import { WORDS, count, fixed, percent } from "../words.js";
import { Failure, Mark, Select, Title } from "./parts.js";

const W = WORDS.reviewers;

/** @param {{desk: import("../desk.js").Desk}} props */
export function Reviewers({ desk }) {
  const { value, error, again } = useAnswer(() => get(`${desk.path}/agreement`), [desk, desk.state.counts.n_read]);
  const owner = desk.state.project.role === "owner";
  return html`<main class="page reviewers"><${Title}>${W.title}<//>
    ${desk.state.project.users ? null : html`<p>${W.single}</p>`}
    ${error ? html`<${Failure} error=${error} again=${again} />` : null}
    <div class="two">
      ${owner ? html`<${Invitations} desk=${desk} /><${Double} desk=${desk} />` : null}
      ${value ? html`<${Progress} desk=${desk} reviewers=${value.reviewers} /><${Agreement} desk=${desk} value=${value} />` : null}
    </div>
    ${owner || !desk.state.project.blind ? html`<${Conflicts} desk=${desk} again=${again} />` : null}
  </main>`;
}

/** @param {{desk: import("../desk.js").Desk}} props */
function Invitations({ desk }) {
  const { value, again } = useAnswer(() => get(`${desk.path}/invitations`), [desk]);
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [error, fail] = useState(/** @type {any} */ (null));
  const invite = (/** @type {any} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    post(`${desk.path}/invitations`, { name: form.elements.name.value.trim(), role: form.elements.role.value }).then(
      (answer) => (setMade(answer), form.reset(), again()),
      fail,
    );
  };
  return html`<section><h2>${W.invite}</h2>
    <form class="row" onSubmit=${invite}>
      <label class="field"><span>${W.name}</span><input name="name" required maxlength="60" /></label>
      <label class="select"><span>${W.role}</span><select name="role"><option value="reviewer">${W.roles.reviewer}</option><option value="reader">${W.roles.reader}</option></select></label>
      <button type="submit" class="primary">${W.invite}</button>
    </form>
    ${error ? html`<${Failure} error=${error} />` : null}
    ${made ? html`<p role="status">${W.link}</p><p><input readonly aria-label=${W.link} value=${new URL(made.link, location.href).href} onFocus=${(/** @type {any} */ e) => e.currentTarget.select()} /></p>` : null}
    ${value?.length ? html`<h3>${W.invitations}</h3><ul class="lines">${value.map((/** @type {any} */ one) => html`<li>${one.name} (${W.roles[/** @type {"reviewer"} */ (one.role)] ?? one.role}) <button class="link" onClick=${() => remove(`${desk.path}/invitations/${one.id}`).then(again, fail)}>${W.withdraw}</button></li>`)}</ul>` : null}
  </section>`;
}

/** @param {{desk: import("../desk.js").Desk}} props */
function Double({ desk }) {
  const { value, again } = useAnswer(() => get(`${desk.path}/settings`), [desk]);
  if (!value) return null;
  const save = (/** @type {any} */ change) =>
    put(`${desk.path}/settings`, { ...value, ...change }).then(again, () => null);
  return html`<section><h2>${W.double}</h2><p class="soft">${W.blind}</p>
    <${Select} label=${W.double} value=${value.double} options=${[
      ["none", W.none],
      ["all", W.all],
      ["first", W.first],
    ]} change=${(/** @type {string} */ double) => save({ double })} />
    ${value.double === "first" ? html`<label class="field"><span>${W.n}</span><input type="number" min="1" value=${value.double_n} onChange=${(/** @type {any} */ e) => save({ double_n: Number(e.currentTarget.value) })} /></label>` : null}
  </section>`;
}

/** @param {{desk: import("../desk.js").Desk, reviewers: any[]}} props */
function Progress({ desk, reviewers }) {
  const n = desk.state.counts.n_items;
  return html`<section><h2>${W.progress}</h2>${reviewers.length ? null : html`<p class="soft">${W.nobody}</p>`}<table class="progress"><tbody>${reviewers.map(
    (one) => html`<tr><th scope="row">${one.name}</th>
    <td><progress aria-label="${one.name}: ${WORDS.top.read}" max=${n || 1} value=${one.n_read}></progress></td><td class="number nowrap">${count(one.n_read)} ${WORDS.top.read}${one.n_found == null ? "" : `, ${count(one.n_found)} ${WORDS.top.found}`}</td></tr>`,
  )}</tbody></table></section>`;
}

/** @param {{desk: import("../desk.js").Desk, value: any}} props */
function Agreement({ desk, value }) {
  return html`<section><h2>${W.agreement}</h2>
    ${
      value.pairs.length
        ? value.pairs.map(
            (
              /** @type {any} */ pair,
            ) => html`<div class="pair"><p><b>${pair.a}</b> ${W.with} <b>${pair.b}</b>: ${W.agree} ${percent(pair.percent > 1 ? pair.percent / 100 : pair.percent)} ${WORDS.top.of} ${count(pair.n)}</p>
      <p>${W.kappa} <b>${fixed(pair.kappa)}</b> <span class="soft">${W.interval(pair.kappa_low, pair.kappa_high)}</span></p>
      <${Matrix} desk=${desk} pair=${pair} /></div>`,
          )
        : html`<p class="soft">${W.none2}</p>`
    }
    ${value.alpha != null ? html`<p>${W.alpha} <b>${fixed(value.alpha)}</b> <span class="soft">${W.interval(value.alpha_low, value.alpha_high)}</span></p>` : null}
  </section>`;
}

/** Who said what how often: rows are the first reviewer's verdicts. @param {{desk: import("../desk.js").Desk, pair: any}} props */
function Matrix({ desk, pair }) {
  const values = Object.keys(desk.state.project.scale.names).map(Number);
  const name = (/** @type {number} */ i) =>
    values.length === pair.table.length ? desk.nameOf({ kind: "label", value: values[i] }) : String(i);
  return html`<table class="matrix"><caption>${W.table(pair.a, pair.b)}</caption>
    <thead><tr><td></td>${pair.table.map((/** @type {any} */ _, /** @type {number} */ i) => html`<th scope="col" class="number">${name(i)}</th>`)}</tr></thead>
    <tbody>${pair.table.map((/** @type {number[]} */ row, /** @type {number} */ i) => html`<tr><th scope="row">${name(i)}</th>${row.map((n) => html`<td class="number">${count(n)}</td>`)}</tr>`)}</tbody></table>`;
}

/** @param {import("../desk.js").Desk} desk @param {any} item @returns {any[]} all verdicts on it, one's own first */
const saidOf = (desk, item) => [
  ...(item.verdict ? [{ ...item.verdict, reviewer: desk.state.project.reviewer }] : []),
  ...item.by,
];

/** @param {{desk: import("../desk.js").Desk, again: () => void}} props */
function Conflicts({ desk, again }) {
  const { value, again: reload } = useAnswer(() => get(`${desk.path}/conflicts`), [desk, desk.state.counts.n_read]);
  if (!value) return null;
  const decide = async (/** @type {any} */ item, /** @type {number} */ grade) => {
    await desk.write("adjudicate", item, grade);
    setTimeout(() => (reload(), again()), 300);
  };
  const grades = Object.keys(desk.state.project.scale.names).map(Number);
  return html`<section><h2>${W.conflicts} (${count(value.items.length)})</h2>
    ${value.items.length ? null : html`<p class="soft">${W.noConflicts}</p>`}
    ${value.items.map(
      (/** @type {any} */ item) => html`<article class="conflict" key=${item.row}>
      <h3>${item.title || item.id}</h3>
      <div class="sides">${saidOf(desk, item).map((/** @type {any} */ by) => html`<div class="side"><b>${by.reviewer}</b> ${W.said} <${Mark} verdict=${by} desk=${desk} /></div>`)}</div>
      ${item.text ? html`<details><summary>${WORDS.card.read}</summary><p class="text">${item.text}</p></details>` : null}
      ${desk.state.project.role === "owner" ? html`<p class="actions"><span>${W.decide}:</span>${grades.map((grade) => html`<button onClick=${() => decide(item, grade)}>${desk.nameOf({ kind: "label", value: grade })}</button>`)}</p>` : null}
    </article>`,
    )}
  </section>`;
}
