/** The files that were chosen and not sent yet, as a list that can be corrected. */

import { announce } from "./announce.js";
import { formatOfName, targetsOf } from "./formats.js";
import { amount } from "./sentences.js";
import { targetOption } from "./targets.js";
import { say } from "./words.js";

export const MOST = 10_000;
const STEP = 50;

export class Chosen {
  constructor(list, changed) {
    Object.assign(this, { list, changed, known: new Map(), most: STEP });
    this.more = element("button", "quiet", "");
    this.more.type = "button";
    list.after(this.more);
    this.more.addEventListener("click", () => this.showMore());
  }

  get files() {
    return [...this.known.values()].map(({ file }) => file);
  }

  /** Add files; one that is already there is not taken twice. Returns how many found no place. */
  add(files) {
    let left = 0;
    for (const file of files) {
      const marks = marksOf(file);
      if (this.known.has(marks)) continue;
      if (this.known.size < MOST) this.known.set(marks, { file, to: null, row: null });
      else left += 1;
    }
    this.redraw();
    return left;
  }

  /** Return what was chosen, each with the format chosen for it alone, and start with an empty list. */
  take() {
    const taken = [...this.known.values()].map(({ file, to }) => ({ file, to }));
    this.known.clear();
    this.most = STEP;
    this.list.replaceChildren();
    this.redraw();
    return taken;
  }

  /** The formats are known now: rows that were drawn without them are drawn anew. */
  refresh() {
    for (const one of this.known.values()) one.row = null;
    this.list.replaceChildren();
    this.redraw();
  }

  /** Draw no more rows than are looked at, and those only once. */
  redraw() {
    const fresh = [];
    let seen = 0;
    for (const one of this.known.values()) {
      if (seen >= this.most) break;
      seen += 1;
      if (!one.row) fresh.push((one.row = this.row(one)));
    }
    this.list.append(...fresh);
    const left = this.known.size - seen;
    this.more.textContent = say("files.more_of", { count: Math.min(left, STEP) });
    this.more.hidden = !left;
    this.list.parentElement.hidden = !this.known.size;
    this.changed(this.files);
  }

  showMore() {
    const last = this.list.childElementCount;
    this.most += STEP;
    this.redraw();
    this.list.children[last]?.querySelector("select, button")?.focus();
  }

  row(one) {
    const { file } = one;
    const row = document.createElement("li");
    const badge = element("span", "badge small", (formatOfName(file.name) ?? "?").toUpperCase().slice(0, 4));
    badge.setAttribute("aria-hidden", "true");
    const name = element("span", "name", file.name);
    name.title = file.webkitRelativePath || file.name;
    const remove = element("button", "quiet", say("choose.remove"));
    remove.type = "button";
    remove.setAttribute("aria-label", say("choose.remove_file", { name: file.name }));
    remove.addEventListener("click", () => this.remove(one));
    row.append(badge, name, element("span", "facts", amount(file.size)), targetFor(one), remove);
    return row;
  }

  remove(one) {
    const place = [...this.list.children].indexOf(one.row);
    one.row.remove();
    this.known.delete(marksOf(one.file));
    this.redraw();
    announce(say("choose.not_taken", { name: one.file.name }));
    const buttons = this.list.querySelectorAll("li > button");
    (buttons[Math.min(place, buttons.length - 1)] ?? document.getElementById("file")).focus();
  }
}

/** Return the select of the format for one file alone; it is of use only among several. */
function targetFor(one) {
  const select = element("select", "own", "");
  select.setAttribute("aria-label", say("choose.target_of", { name: one.file.name }));
  select.append(new Option(say("choose.as_all"), ""), ...targetsOf(formatOfName(one.file.name)).map(targetOption));
  select.value = one.to ?? "";
  select.addEventListener("change", () => (one.to = select.value || null));
  return select;
}

function marksOf(file) {
  return [file.webkitRelativePath, file.name, file.size, file.lastModified].join("/");
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
