/** The server, by HTTP and JSON. */
import { WORDS } from "./words.js";

/** An answer that says no, in the server's words: what is wrong, where, and what to do. */
export class Refusal extends Error {
  /** @param {number} status @param {{error?: string, where?: string, what_to_do?: string}} said */
  constructor(status, said) {
    super(said.error || WORDS.error.status(status));
    this.status = status;
    this.where = said.where || "";
    this.whatToDo = said.what_to_do || "";
  }
}

/** @param {Response} response */
async function read(response) {
  if (response.ok) return response.status === 204 ? null : response.json();
  const said = await response.json().catch(() => ({}));
  throw new Refusal(response.status, said && typeof said === "object" ? said : {});
}

/** @param {Record<string, any>} fields */
export function query(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== "" && value != null);
  return given.length ? "?" + new URLSearchParams(given.map(([k, v]) => [k, String(v)])) : "";
}

const PAUSE = 3000;
const WRITES = { "X-Semirank": "1" };

/** @param {string} path @param {Record<string, any>} [fields] @param {AbortSignal} [signal] */
export const get = async (path, fields = {}, signal) => read(await fetch(path + query(fields), { signal }));

/** @param {string} method @param {string} path @param {any} body @param {AbortSignal} [signal] */
async function send(method, path, body, signal) {
  const headers = { ...WRITES, "Content-Type": "application/json" };
  return read(await fetch(path, { method, headers, body: JSON.stringify(body), signal }));
}

/** @param {string} path @param {any} body @param {AbortSignal} [signal] */
export const post = (path, body, signal) => send("POST", path, body, signal);
/** @param {string} path @param {any} body */
export const put = (path, body) => send("PUT", path, body);
/** @param {string} path */
export const remove = (path) => send("DELETE", path, {});

/** @param {File} file @param {string | null} into the project that it is added to @param {string | null} beside the file that it belongs to */
export async function upload(file, into = null, beside = null) {
  const headers = { ...WRITES, "Content-Type": "application/octet-stream" };
  const path = "/api/imports" + query({ name: file.name, into, beside });
  return read(await fetch(path, { method: "PUT", headers, body: file }));
}

/** @param {string} key */
export const of = (key) => `/api/p/${encodeURIComponent(key)}`;

/**
 * Listen to the server; it is asked again when the line breaks.
 * @param {string} path
 * @param {Record<string, (data: any) => void>} handlers by name of the event; "again": the line is back
 * @returns {() => void} what ends it
 */
export function listen(path, handlers) {
  let broken = false;
  let timer = 0;
  /** @type {EventSource} */
  let source;
  const open = () => {
    source = new EventSource(path);
    source.onerror = () => {
      broken = true;
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, PAUSE); // the browser has given up
    };
    source.onopen = () => {
      if (broken) handlers.again?.(null);
      broken = false;
    };
    for (const [name, handle] of Object.entries(handlers))
      source.addEventListener(name, (event) => handle(JSON.parse(/** @type {MessageEvent} */ (event).data)));
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
