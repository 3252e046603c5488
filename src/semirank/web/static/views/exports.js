/** Export: formats, which items, in which order; everything, always. */
import { get, query } from "../api.js";
import { html, useState } from "../html.js";
import { useAnswer } from "../store.js";
import { WORDS, count } from "../words.js";
import { Select, Title } from "./parts.js";

const W = WORDS.export;

/** @param {{desk: import("../desk.js").Desk}} props */
export function Exports({ desk }) {
  const [items, setItems] = useState("all");
  const [order, setOrder] = useState("rank");
  const { value: prisma } = useAnswer(() => get(`${desk.path}/export/prisma`), [desk]);
  const link = (/** @type {string} */ format) => `${desk.path}/export/${format}${query({ items, order })}`;
  return html`<main class="page export">
    <${Title}>${W.title}<//><p class="soft">${W.lead}</p>
    <div class="row">
      <${Select} label=${W.which} value=${items} options=${Object.entries(W.whichNames)} change=${setItems} />
      <${Select} label=${W.order} value=${order} options=${[
        ["rank", W.rank],
        ["file", W.file],
      ]} change=${setOrder} />
    </div>
    <ul class="tiles">
      ${W.formats.map(([format, name, says]) => html`<li><a class="tile" href=${link(format)} download><strong>${name}</strong><span>${says}</span></a></li>`)}
      <li><a class="tile" href="${desk.path}/backup" download><strong>${W.backup}</strong><span>${W.backupSays}</span></a></li>
      ${desk.state.project.stop ? html`<li><a class="tile" href="${desk.path}/export/stop" download><strong>${W.stop}</strong></a></li>` : null}
    </ul>
    ${
      prisma
        ? html`<section><h2>${W.prisma}</h2><table class="narrow"><tbody>
      ${Object.entries(prisma)
        .filter(([, n]) => typeof n === "number")
        .map(
          ([name, n]) =>
            html`<tr><th scope="row">${name.replaceAll("_", " ")}</th><td class="number">${count(n)}</td></tr>`,
        )}
    </tbody></table></section>`
        : null
    }
  </main>`;
}
