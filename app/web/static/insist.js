/** A question that is asked until it is answered; the page says meanwhile that the service is away. */

import { ask } from "./ask.js";
import { backoff, pause } from "./pause.js";
import { isInTrouble, isWell } from "./trouble.js";

/** Return what the service says; throw a Problem only if it refuses. */
export async function insist(path) {
  try {
    return await askAgain(path);
  } finally {
    isWell(path);
  }
}

async function askAgain(path) {
  for (let failures = 1; ; failures += 1) {
    try {
      const { said } = await ask(path);
      return said;
    } catch (problem) {
      if (!problem.passes) throw problem;
      isInTrouble(path, problem);
      await pause(backoff(failures, problem.retryAfter));
    }
  }
}
