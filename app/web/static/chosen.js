/** The files that were chosen and not sent yet, as a short list that can be corrected. */

import { announce } from "./announce.js";
import { formatOfName } from "./formats.js";
import { amount } from "./sentences.js";

export const MOST = 100;

export class Chosen {
  constructor(list, changed) {
    Object.assign(this, { list, changed, files: [] });
  }

  /** Add files; one that is already there is not taken twice. Returns how many found no place. */
  add(files) {
    const fresh = files.filter((file) => !this.files.some((other) => isSame(file, other)));
    const taken = fresh.slice(0, MOST - this.files.length);
    this.files.push(...taken);
    this.redraw();
    return fresh.length - taken.length;
  }

  /** Return what was chosen and start with an empty list. */
  take() {
    const files = this.files;
    this.files = [];
    this.redraw();
    return files;
  }

  redraw() {
    this.list.hidden = !this.files.length;
    this.list.replaceChildren(...this.files.map((file) => this.row(file)));
    this.changed(this.files);
  }

  row(file) {
    const row = document.createElement("li");
    const badge = element("span", "badge small", (formatOfName(file.name) ?? "?").toUpperCase().slice(0, 4));
    badge.setAttribute("aria-hidden", "true");
    const name = element("span", "name", file.name);
    name.title = file.name;
    const remove = element("button", "quiet", "Remove");
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${file.name}`);
    remove.addEventListener("click", () => this.remove(file));
    row.append(badge, name, element("span", "facts", amount(file.size)), remove);
    return row;
  }

  remove(file) {
    const place = this.files.indexOf(file);
    this.files.splice(place, 1);
    this.redraw();
    announce(`${file.name} is not taken.`);
    const buttons = this.list.querySelectorAll("button");
    (buttons[Math.min(place, buttons.length - 1)] ?? document.getElementById("file")).focus();
  }
}

function isSame(one, other) {
  return one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
