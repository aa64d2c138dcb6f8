/** Copying the address of an upload, which is all that a friend needs to fetch it. */

import { announce } from "./announce.js";
import { say } from "./words.js";

/** Copy the address; `tell(text)` shows whether it worked. */
export async function copyLink(path, tell) {
  const link = new URL(path, location.href).href;
  const text = (await isCopied(link)) ? say("card.copied") : say("card.not_copied", { link });
  tell(text);
  announce(text);
}

async function isCopied(link) {
  try {
    await navigator.clipboard.writeText(link);
    return true;
  } catch {
    return isCopiedTheOldWay(link); // on a page that came over plain HTTP there is no clipboard
  }
}

function isCopiedTheOldWay(link) {
  const before = document.activeElement;
  const field = Object.assign(document.createElement("textarea"), { value: link, className: "unseen" });
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  before?.focus();
  return copied;
}
