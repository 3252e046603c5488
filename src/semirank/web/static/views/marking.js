/** Words marked in a text: text nodes in elements, never markup. */
import { html } from "../html.js";

/** @param {string} word */
const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ /g, "[\\s\\-,;:()]+");

/**
 * @param {string} text @param {{word: string, amount: number}[]} words those that count most
 * @returns {any} the text, with <mark> around the words
 */
export function marked(text, words) {
  if (!words.length || !text) return text;
  const amounts = new Map(words.map(({ word, amount }) => [word.toLowerCase(), amount]));
  const longest = [...amounts.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longest.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const amount = amounts.get(match[0].toLowerCase().replace(/[\s\-,;:()]+/g, " ")) ?? 0;
    parts.push(text.slice(end, match.index), html`<mark class=${amount >= 0 ? "for" : "against"}>${match[0]}</mark>`);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}
