/** Drawing one upload into its card. Whatever strangers wrote goes in as text, never as markup. */

import { announceMove, announceOne } from "./announce.js";
import { targetsOf } from "./formats.js";
import { drawLook, drawThumb } from "./look.js";
import { facts, problemOf, tell } from "./sentences.js";
import { tellArriving } from "./told.js";
import { say } from "./words.js";

/** Return a new, empty card. */
export function newCard() {
  return copyOf("card-template");
}

/** Draw the whole document; elements stay the same, so focus and screen readers keep their place. */
export function draw(card, upload) {
  drawHead(card, upload);
  if (!isArriving(upload)) keepingFocus(card, () => dropRows(card, upload));
  upload.jobs.forEach((job) => drawJob(card, upload, job, tell(job, upload.size)));
  if (isArriving(upload)) drawJob(card, upload, { number: 1, to: "…" }, tellArriving({ there: upload.received, total: upload.size }));
  drawAnother(card, upload);
  drawAll(card, upload);
  const newest = upload.jobs.findLast((job) => job.result);
  drawThumb(part(card, "badge"), newest);
  drawLook(part(card, "look"), upload.name, newest);
}

/** Draw a file that the service does not know yet. */
export function drawSending(card, file, to, told, address = null) {
  const { name, size } = file;
  drawHead(card, { id: "", name, error: null, size, format: extensionOf(name), links: { self: address } });
  drawJob(card, { name: file.name, links: {} }, { number: 1, to: to || "…" }, told);
}

/** Change a card; where that takes away what has the focus, its name gets it, or the way out of it. */
export function keepingFocus(card, change) {
  const before = document.activeElement;
  const isWithin = card.contains(before);
  change();
  if (!isWithin || (card.contains(before) && !before.closest("[hidden], [data-still]"))) return;
  const name = part(card, "name");
  (name.href ? name : part(card, "delete")).focus();
}

/** Show a trouble that is not the file's own: a lost network, a refusal. */
export function drawTrouble(card, text) {
  const problem = part(card, "problem");
  problem.hidden = !text;
  problem.textContent = text;
}

export function part(element, name) {
  return element.querySelector(`[data-part="${name}"]`);
}

/** Whether its bytes are still on their way, so that there is no job yet. */
function isArriving({ status, error, jobs }) {
  return status === "receiving" && !error && !jobs.length;
}

function drawHead(card, upload) {
  card.dataset.upload = upload.id;
  put(part(card, "badge").firstElementChild, (upload.format || "?").toUpperCase().slice(0, 4));
  const name = part(card, "name");
  put(name, upload.name);
  name.title = upload.name;
  if (upload.id) name.href = upload.links.self; // what is on its way ought not to be left for it
  else name.removeAttribute("href");
  put(part(card, "facts"), facts(upload));
  part(card, "delete").setAttribute("aria-label", say("card.delete_file", { name: upload.name }));
  part(card, "copy").toggleAttribute("data-still", !upload.links.self);
  part(card, "copy").setAttribute("aria-label", named(say("card.copy"), upload.name));
  drawTrouble(card, problemOf(upload));
}

function drawJob(card, upload, job, told) {
  const row = rowOf(card, job.number);
  const into = say("card.into", { name: upload.name, to: job.to.toUpperCase() });
  row.dataset.tone = told.tone;
  put(part(row, "to"), job.to.toUpperCase());
  put(part(row, "status"), told.status);
  put(part(row, "note"), told.note);
  const progress = part(row, "progress");
  progress.value = told.percent;
  progress.toggleAttribute("data-still", !told.moving);
  progress.setAttribute("aria-label", into);
  drawActions(row, upload, job, told, into);
  announceMove(row, into, told);
}

function drawActions(row, upload, job, told, into) {
  const download = part(row, "download");
  download.hidden = !told.download;
  download.setAttribute("aria-label", say("card.download_as", { name: upload.name, to: job.to.toUpperCase() }));
  if (told.download) download.href = job.result.href;
  for (const name of ["again", "cancel"]) {
    const form = part(row, name);
    form.hidden = !told[name];
    form.action = `${upload.links.self ?? ""}/jobs/${job.number}/${name}`;
    const button = form.querySelector("button");
    button.setAttribute("aria-label", named(button.textContent, into));
  }
  const pause = part(row, "pause");
  const word = told.goOn ? say("send.go_on") : say("send.pause");
  pause.hidden = !(told.pause || told.goOn);
  put(pause, word);
  pause.setAttribute("aria-label", named(word, into));
  keepFocus(row);
}

/** Give the focus to the row's next button if its own has just gone: its place must not be lost. */
function keepFocus(row) {
  if (!row.contains(document.activeElement) || !document.activeElement.closest("[hidden]")) return;
  const next = [...row.querySelectorAll("a, button")].find((element) => !element.closest("[hidden]"));
  next?.focus();
}

function drawAll(card, upload) {
  const all = part(card, "all");
  all.href = `${upload.links.self}/results.zip`;
  all.hidden = upload.jobs.filter(({ result }) => result).length < 2;
  all.setAttribute("aria-label", say("card.download_all_of", { name: upload.name }));
}

function drawAnother(card, upload) {
  const another = part(card, "another");
  const select = part(another, "targets");
  part(another, "convert").action = `${upload.links.self}/jobs`;
  select.setAttribute("aria-label", say("card.another_for", { name: upload.name }));
  const targets = targetsOf(upload.format); // none before the formats have come
  another.toggleAttribute("data-still", Boolean(upload.error) || !(targets.length || select.options.length));
  const names = targets.map((target) => target.name).join();
  if (!targets.length || select.dataset.names === names) return;
  const chosen = select.value; // of what the service has drawn, before the formats came
  select.dataset.names = names;
  select.replaceChildren(...targets.map(({ name, title }) => new Option(title, name)));
  const done = new Set(upload.jobs.map((job) => job.to));
  const next = targets.find(({ name }) => name === chosen) ?? targets.find(({ name }) => !done.has(name));
  select.value = next?.name ?? select.value;
}

/** Take away the row of the sending if the service made no job of it, and say why it did not. */
function dropRows(card, upload) {
  const numbers = new Set(upload.jobs.map((job) => String(job.number)));
  const rows = [...part(card, "jobs").querySelectorAll("[data-number]")].filter((row) => !numbers.has(row.dataset.number));
  rows.forEach((row) => row.remove());
  if (rows.length && upload.error) announceOne(named(upload.name, problemOf(upload)));
}

function rowOf(card, number) {
  const jobs = part(card, "jobs");
  const known = jobs.querySelector(`[data-number="${number}"]`);
  if (known) return known;
  const row = copyOf("job-template");
  row.dataset.number = number;
  jobs.append(row);
  return row;
}

function copyOf(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

function named(what, name) {
  return say("list.named", { what, name });
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function extensionOf(name) {
  return /\.([^.\s]{1,5})$/.exec(name)?.[1] ?? "";
}
