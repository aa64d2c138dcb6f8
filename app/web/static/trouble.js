/** What troubles the whole page, not one file: said in one place, over the page, until it is over. */

import { say } from "./words.js";

const troubled = new Map();

/** Say that the service does not answer to `key`; it is asked again without anybody's help. */
export function isInTrouble(key, problem) {
  troubled.set(key, problem.message);
  show();
}

export function isWell(key) {
  if (troubled.delete(key)) show();
}

function show() {
  const [message] = troubled.values();
  const sign = document.getElementById("trouble");
  const text = message ? say("network.asked_again", { message }) : "";
  if (sign.textContent !== text) sign.textContent = text;
}
