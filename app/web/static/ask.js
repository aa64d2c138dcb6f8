/** Questions to the service, and its refusals as errors that a person can read. */

import { tokenFor } from "./tokens.js";
import { coded, entryOf, explained, say } from "./words.js";

// A connection that has died says nothing: a held answer comes sooner than this, or it never comes.
const PATIENCE_MS = 29_000;

// Refusals that only mean that somebody was faster, or that the page was behind.
const PASSING = new Set(["wrong_offset", "key_in_use"]);

/** A refusal: what happened (message), what to do about it (hint), and when to come back. */
export class Problem extends Error {
  constructor(message, { status = 0, code = "", hint = "", retryAfter = null } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may well succeed later. */
  get passes() {
    return [0, 408, 423, 429].includes(this.status) || this.status >= 500 || PASSING.has(this.code);
  }

  /** Whether what was asked for is not there any more; a log-in or a limit on the way says nothing of it. */
  get isGone() {
    return [404, 410].includes(this.status);
  }

  get text() {
    return [this.message, this.hint].filter(Boolean).join(" ");
  }
}

/**
 * Send a request and return what the service says; throw a Problem if it refuses.
 * Past the browser's cache, as a rule: there a held answer in one tab keeps the others from asking the same.
 */
export async function ask(path, { method = "GET", fields = null, headers = {}, signal, keepalive = false, cache = "no-store" } = {}) {
  const body = fields && new URLSearchParams(fields);
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const ends = signal ? (AbortSignal.any?.([signal, patience]) ?? signal) : patience;
  const ours = { Accept: "application/json", ...(method === "GET" ? {} : tokenFor(path)) };
  let response;
  let text;
  try {
    response = await fetch(path, { method, body, signal: ends, keepalive, cache, headers: { ...ours, ...headers } });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
  if (response.status === 304) return { response, said: null };
  if (!response.ok) throw problemFrom(response.status, text, response.headers.get("Retry-After"));
  return { response, said: text ? read(text) : null };
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(say("network.impostor"), { hint: say("network.impostor_hint") });
  }
}

/** Make a Problem of an answer, which may come from a proxy that speaks only HTML. */
export function problemFrom(status, text, retryAfter) {
  let said = {};
  try {
    said = JSON.parse(text);
  } catch {
    // Not ours: a proxy's page says nothing that would help a person.
  }
  const patience = { status, retryAfter: seconds(retryAfter) };
  if (said.detail ?? said.title) return refusal({ ...said, detail: said.detail ?? said.title }, patience);
  const hint = entryOf(`refused_hints.${status}`);
  return new Problem(entryOf(`refused.${status}`) ?? say("network.answered", { status }), { ...patience, hint });
}

/** Make a Problem of what the API says of a refusal, in the language of the page. */
export function refusal({ code = "", detail, hint = "" }, { status, retryAfter = null }) {
  const message = explained(`problems.${code}`, detail).join(" ");
  return new Problem(message, { status, code, hint: coded(`problem_hints.${code}`, hint), retryAfter });
}

export function unreachable() {
  return new Problem(say("network.unreachable"), { hint: say("network.unreachable_hint") });
}

/** Read Retry-After, which names seconds; a date there is taken as "soon". */
export function seconds(header) {
  const value = Number.parseFloat(header ?? "");
  return Number.isFinite(value) ? Math.max(0, value) : null;
}
