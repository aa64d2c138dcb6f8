/** Following one upload: asks how far it is until nothing more can change, and never in a hurry. */

import { ask } from "./ask.js";
import { MOST_HELD, takeHold } from "./holds.js";
import { goingNow } from "./line.js";
import { backoff, pause } from "./pause.js";
import { isInTrouble, isWell } from "./trouble.js";

const OPEN = new Set(["receiving", "converting"]);
const MOST_A_SECOND = 8;
const HELD_SECONDS = 20;
const USUAL_SECONDS = 1;

const followed = new Set();

/**
 * Ask for the upload at `path`, first after some seconds, until it is settled, gone or the signal says stop.
 * `changed(document)` gets each new state, and `refused(problem)` why it cannot be followed any
 * more. That the service does not answer is said by the page, once for all.
 */
export async function follow(path, { after, signal, changed, refused }) {
  followed.add(path);
  try {
    await pause(after, signal);
    await askUntilSettled(path, { signal, changed, refused });
  } finally {
    followed.delete(path);
    isWell(path);
  }
}

/** Whether anything about an upload can still change by itself. */
export function isOpen({ status }) {
  return OPEN.has(status);
}

async function askUntilSettled(path, { signal, changed, refused }) {
  let etag = null;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const { response, said } = await asked(path, { signal, etag, mayHold: !failures });
      failures = 0;
      isWell(path);
      etag = response.headers.get("ETag") ?? etag;
      if (said) changed(said);
      if (said && !isOpen(said)) return;
      await pause(rest(response), signal);
    } catch (problem) {
      if (signal.aborted) return;
      if (!problem.passes) {
        refused(problem);
        return;
      }
      failures += 1;
      isInTrouble(path, problem);
      await pause(backoff(failures, problem.retryAfter), signal);
    }
  }
}

/** Ask for news; the answer is held until there is some, as far as held answers leave room for uploads. */
async function asked(path, { signal, etag, mayHold }) {
  const headers = etag ? { "If-None-Match": etag } : {};
  const isCalm = mayHold && etag && followed.size <= MOST_HELD && !goingNow() && !document.hidden;
  const giveBack = isCalm ? await takeHold() : null;
  if (giveBack) headers.Prefer = `wait=${HELD_SECONDS}`;
  return ask(path, { signal, headers }).finally(() => giveBack?.());
}

function rest(response) {
  const asked = Number.parseFloat(response.headers.get("Retry-After") ?? "");
  const usual = Number.isFinite(asked) ? asked : USUAL_SECONDS;
  return Math.max(usual, followed.size / MOST_A_SECOND) * (document.hidden ? 5 : 1);
}
