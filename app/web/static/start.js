/** The start page: choose, say what it should become, send, and keep every card true. */

import { watchChoices } from "./choose.js";
import { Chosen, MOST } from "./chosen.js";
import { countDoubleClicksOnce } from "./clicks.js";
import { fittingOptions, learn, optionsFor } from "./formats.js";
import { Halfway } from "./halfway.js";
import { List, Place } from "./list.js";
import { Mine } from "./mine.js";
import { chosenOptions, drawOptions, explainOptions, wrongOption } from "./options.js";
import { amount } from "./sentences.js";
import { Sending } from "./sending.js";
import { answerTabs } from "./tabs.js";
import { beginMany } from "./tally.js";
import { Targets } from "./targets.js";
import { say } from "./words.js";

const at = (id) => document.getElementById(id);
const [form, input, select, optionFields] = ["send", "file", "to", "option-fields"].map(at);
const list = new List({ section: at("yours"), cards: at("cards"), more: at("more"), otherwise: input });
const mine = new Mine(list, { resume: goOn, refused: ({ message }) => warn(message) });
const targets = new Targets(select);
const chosen = new Chosen(at("chosen"), drawControls);

function drawControls(files) {
  at("go").textContent = files.length > 1 ? say("choose.convert_many", { count: files.length }) : say("choose.convert");
  at("chosen").classList.toggle("several", files.length > 1);
  targets.draw(files);
  drawOptionFields();
}

function drawOptionFields() {
  const { files } = chosen;
  if (files.length) drawOptions(optionFields, optionsFor(files, select.value));
}

function warn(text) {
  at("warning").textContent = text;
}

function taken(files, unread) {
  const halfway = list.places.filter(({ holder }) => holder instanceof Halfway);
  const fresh = files.filter((file) => !goesOn(halfway, file));
  const limit = Number(form.dataset.limit);
  const large = fresh.find((file) => file.size > limit);
  const left = chosen.add(fresh.filter((file) => file.size <= limit));
  const said = [
    large && say("choose.too_large", { name: large.name, most: amount(limit) }),
    left && say("choose.left_out", { most: MOST, count: left }),
    unread && say("choose.unread", { count: unread }),
  ];
  warn(said.filter(Boolean).join(" "));
}

/** Go on with the upload that this file is the rest of, if there is one. */
function goesOn(halfway, file) {
  const place = halfway.find(({ holder }) => holder instanceof Halfway && holder.isOf(file));
  if (!place) return false;
  goOn(place, file, place.holder.letGo());
  return true;
}

function goOn(place, file, { address, to }) {
  sendFrom(place, file, { to, address });
}

function submit(event) {
  event.preventDefault();
  const wrong = wrongOption(optionFields);
  if (!chosen.known.size) {
    warn(say("choose.no_file"));
    input.focus();
  } else if (wrong) {
    at("options").open = true;
    wrong.reportValidity();
  } else {
    sendChosen();
  }
}

function sendChosen() {
  const [common, options] = [select.value, chosenOptions(optionFields)];
  warn("");
  const files = chosen.take();
  beginMany(files.length);
  const places = files.map(({ file, to }) => {
    const place = new Place();
    const target = to ?? common;
    sendFrom(place, file, { to: target, options: fittingOptions(file, target, options) });
    return place;
  });
  list.putFirst(places);
}

function sendFrom(place, file, how) {
  const arrived = (upload) => mine.keep(place, upload, { isNew: true });
  place.held(new Sending(file, { ...how, arrived, left: () => list.remove(place) }));
}

form.noValidate = true; // what is wrong is said here, where it is, not by a bubble on a hidden field
explainOptions(optionFields, at("option-help"));
watchChoices({ input, folder: at("folder"), button: at("choose-folder"), zone: at("zone"), taken });
form.addEventListener("submit", submit);
select.addEventListener("change", drawOptionFields);
answerTabs((address) => list.find(address)?.holder.isGoing);
countDoubleClicksOnce();
mine.begin();
learn().then(() => chosen.refresh(), () => warn(say("choose.no_formats")));
