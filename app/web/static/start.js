/** The start page: choose, say what it should become, send, and keep every card true. */

import { draw, newCard } from "./card.js";
import { watchChoices } from "./choose.js";
import { Chosen, MOST } from "./chosen.js";
import { commonTargets, learn, optionsFor, usualTarget } from "./formats.js";
import { keepTrue } from "./keeper.js";
import { chosenOptions, drawOptions, explainOptions, wrongOption } from "./options.js";
import { amount } from "./sentences.js";
import { sendInto } from "./sending.js";
import { keep, kept } from "./shelf.js";

const at = (id) => document.getElementById(id);
const [form, input, select, optionFields, cards] = ["send", "file", "to", "option-fields", "cards"].map(at);
const everyTarget = [...select.children].map((child) => child.cloneNode(true));
const chosen = new Chosen(at("chosen"), drawControls);

let targetsDrawn = "";

function drawControls(files) {
  at("go").textContent = files.length > 1 ? `Convert ${files.length} files` : "Convert";
  drawTargets(files);
  drawOptionFields();
}

function drawTargets(files) {
  const targets = commonTargets(files);
  const names = targets?.map((target) => target.name).join() ?? "all";
  if (names === targetsDrawn) return;
  targetsDrawn = names;
  const before = select.value;
  if (targets) select.replaceChildren(new Option("Whatever suits each file", ""), ...targets.map(optionOf));
  else select.replaceChildren(...everyTarget.map((child) => child.cloneNode(true)));
  const usual = usualTarget(files);
  const stays = before && [...select.options].some((option) => option.value === before);
  select.value = stays ? before : (usual ?? "");
}

function optionOf({ name, title, available }) {
  return new Option(available === false ? `${title} (no worker for it now)` : title, name);
}

function drawOptionFields() {
  if (chosen.files.length) drawOptions(optionFields, optionsFor(chosen.files, select.value));
}

function warn(text) {
  at("warning").textContent = text;
}

function taken(files) {
  const limit = Number(form.dataset.limit);
  const large = files.find((file) => file.size > limit);
  const left = chosen.add(files.filter((file) => file.size <= limit));
  const tooLarge = large ? `${large.name} is larger than ${amount(limit)}, the most that is taken here. ` : "";
  warn(tooLarge + (left > 0 ? `${MOST} files at a time: the last ${left} were left out.` : ""));
}

function submit(event) {
  event.preventDefault();
  const wrong = wrongOption(optionFields);
  if (!chosen.files.length) {
    warn("Choose a file first.");
    input.focus();
  } else if (wrong) {
    at("options").open = true;
    wrong.reportValidity();
  } else {
    sendChosen();
  }
}

function sendChosen() {
  const how = { to: select.value, options: chosenOptions(optionFields) };
  warn("");
  for (const file of chosen.take()) {
    const card = addCard();
    const arrived = (upload) => settle(card, upload, { isNew: true });
    sendInto(card, file, { ...how, to: how.to || "", arrived, left });
  }
}

function settle(card, upload, { isNew = false } = {}) {
  keep(upload);
  draw(card, upload);
  keepTrue(card, upload, { isNew, left });
}

function addCard({ last = false } = {}) {
  const card = newCard();
  if (last) cards.append(card);
  else cards.prepend(card);
  at("yours").hidden = false;
  return card;
}

function left(card) {
  const next = card.nextElementSibling ?? card.previousElementSibling;
  card.remove();
  at("yours").hidden = !cards.childElementCount;
  (next?.querySelector("a[href], button") ?? input).focus();
}

form.noValidate = true; // what is wrong is said here, where it is, not by a bubble on a hidden field
explainOptions(optionFields, at("option-help"));
watchChoices({ input, zone: at("zone"), taken });
form.addEventListener("submit", submit);
select.addEventListener("change", drawOptionFields);
for (const upload of kept()) settle(addCard({ last: true }), upload);
learn().then(() => chosen.redraw(), () => warn("The list of formats did not come. Files can be sent all the same; the service chooses what suits them."));
