/** The operator's page, told anew each five seconds while somebody looks at it. */

import { say } from "./words.js";

const EVERY_MS = 5_000;
const stale = document.querySelector("#stale");

/** Return what the service draws now; that it is safe to take over is the escaping of its templates. */
async function fetched() {
  const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(say("network.answered", { status: answer.status }));
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Put what is new into the parts that change: the frames around them keep their scrolling and focus. */
function renew(page) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = page.querySelector(`[data-live="${part.dataset.live}"]`);
    const focused = part.contains(document.activeElement) && keyOf(document.activeElement);
    for (const folded of now.querySelectorAll("details")) {
      folded.open = [...part.querySelectorAll("details")].find((one) => keyOf(one) === keyOf(folded))?.open ?? folded.open;
    }
    part.replaceChildren(...now.childNodes);
    if (focused) [...part.querySelectorAll("details")].find((one) => keyOf(one) === focused)?.firstElementChild.focus({ preventScroll: true });
  }
}

function keyOf(element) {
  return element.closest("details")?.dataset.key;
}

async function look() {
  // Whoever marks something to copy it is not disturbed.
  if (!document.hidden && document.getSelection().isCollapsed) {
    try {
      renew(await fetched());
      stale.textContent = "";
    } catch (error) {
      stale.textContent = say("network.may_be_old", { reason: error.message });
    }
  }
  setTimeout(look, EVERY_MS);
}

setTimeout(look, EVERY_MS);
