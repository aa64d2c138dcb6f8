/** The menu of formats: everything at first, then only what the chosen files can become. */

import { commonTargets, usualTarget } from "./formats.js";
import { say } from "./words.js";

/** Return an option of the menu; what cannot be had now says why, and can be chosen all the same: it waits. */
export function targetOption({ name, title, available, reason }) {
  return new Option(available === false ? say("choose.not_now", { title, reason: reason || say("choose.no_worker") }) : title, name);
}

export class Targets {
  constructor(select) {
    Object.assign(this, { select, every: [...select.children].map((child) => child.cloneNode(true)), drawn: "all" });
  }

  /** Show what these files can become; what was chosen before stays if it still can be. */
  draw(files) {
    const targets = commonTargets(files);
    const names = targets?.map((target) => `${target.name}${target.available}`).join() ?? "all";
    if (names === this.drawn) return;
    this.drawn = names;
    const { select } = this;
    const before = select.value;
    if (targets) select.replaceChildren(new Option(say("choose.suits_each"), ""), ...targets.map(targetOption));
    else select.replaceChildren(...this.every.map((child) => child.cloneNode(true)));
    const stays = before && [...select.options].some((option) => option.value === before);
    select.value = stays ? before : (usualTarget(files) ?? "");
  }
}
