/** Questions to the service, and its refusals as errors that a person can read. */

const TITLES = {
  413: "The file is too large for this service",
  429: "Too much at once",
  502: "The service cannot be reached",
  503: "The service cannot do this right now",
  504: "The service did not answer in time",
};

/** A refusal: what happened (message), what to do about it (hint), and when to come back. */
export class Problem extends Error {
  constructor(message, { status = 0, hint = "", retryAfter = null } = {}) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may well succeed later. */
  get passes() {
    return [0, 408, 429].includes(this.status) || this.status >= 500;
  }
}

/** Send a request and return what the service says; throw a Problem if it refuses. */
export async function ask(path, { method = "GET", fields = null, headers = {}, signal } = {}) {
  const body = fields && new URLSearchParams(fields);
  let response;
  try {
    response = await fetch(path, { method, body, signal, headers: { Accept: "application/json", ...headers } });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
  if (response.status === 304) return { response, said: null };
  const text = await response.text().catch(() => "");
  if (!response.ok) throw problemFrom(response.status, text, response.headers.get("Retry-After"));
  return { response, said: text ? read(text) : null };
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("Something else answers in place of the service.", { hint: "Does this network want you to log in?" });
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
  const message = said.detail ?? said.title ?? TITLES[status] ?? `The service answered ${status}`;
  return new Problem(message, { status, hint: said.hint ?? "", retryAfter: seconds(retryAfter) });
}

export function unreachable() {
  return new Problem("The service cannot be reached.", { hint: "Check the network, then try again." });
}

/** Read Retry-After, which names seconds; a date there is taken as "soon". */
export function seconds(header) {
  const value = Number.parseFloat(header ?? "");
  return Number.isFinite(value) ? Math.max(0, value) : null;
}
