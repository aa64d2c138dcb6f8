/** The options of a conversion: fields drawn from its JSON Schema, and what a person set in them. */

import { say, translated } from "./words.js";

/** Draw a field for each option; what was typed before stays where the option still exists. */
export function drawOptions(container, schema) {
  const typed = new Map([...container.querySelectorAll("[name]")].map((field) => [field.name, valueOf(field)]));
  const entries = Object.entries(schema?.properties ?? {});
  entries.sort(([, one], [, other]) => isTick(one) - isTick(other)); // ticks last, or the grid has holes
  container.replaceChildren(...entries.map(([name, option]) => labelled(name, option, typed.get(name))));
  if (!entries.length) container.append(note(say("choose.nothing_to_set")));
}

/** Show below the fields what the one that has the focus is for. */
export function explainOptions(container, help) {
  container.addEventListener("focusin", (event) => {
    help.textContent = document.getElementById(event.target.getAttribute("aria-describedby"))?.textContent ?? "";
  });
}

/** Return only what differs from the defaults, as the service takes it in a query. */
export function chosenOptions(container) {
  const fields = [...container.querySelectorAll("[name]")];
  return Object.fromEntries(
    fields.filter((field) => valueOf(field) !== field.dataset.usual && !field.disabled).map((field) => [field.name, valueOf(field)]),
  );
}

/** Return the first field whose value cannot be meant, or null. */
export function wrongOption(container) {
  return [...container.querySelectorAll("[name]")].find((field) => !field.checkValidity()) ?? null;
}

function labelled(name, option, typed) {
  const field = fieldOf(option);
  Object.assign(field, { name, id: `option-${name}` });
  field.dataset.usual = String(option.default ?? "");
  setValue(field, typed ?? field.dataset.usual);
  const label = document.createElement("label");
  label.htmlFor = field.id;
  label.textContent = translated(option.title ?? name);
  const box = document.createElement("div");
  box.className = isTick(option) ? "option tick" : "option";
  box.append(...(isTick(option) ? [field, label] : [label, field]), description(field, translated(option.description ?? "")));
  return box;
}

/** Return what is read out with the field; it is shown below the fields while this has the focus. */
function description(field, text) {
  const about = document.createElement("span");
  Object.assign(about, { id: `about-${field.name}`, hidden: true, textContent: text });
  field.setAttribute("aria-describedby", about.id);
  return about;
}

function fieldOf(option) {
  if (option.enum) return selectOf(option.enum);
  const field = document.createElement("input");
  if (isTick(option)) {
    field.type = "checkbox";
  } else if (option.type === "integer" || option.type === "number") {
    Object.assign(field, { type: "number", min: option.minimum ?? "", max: option.maximum ?? "", placeholder: say("choose.automatic") });
    field.step = option.type === "integer" ? 1 : "any";
  } else {
    Object.assign(field, { type: "text", placeholder: say("choose.automatic"), maxLength: option.maxLength ?? 200 });
  }
  return field;
}

function selectOf(values) {
  const select = document.createElement("select");
  select.append(...values.map((value) => new Option(translated(value[0].toUpperCase() + value.slice(1)), value)));
  return select;
}

function setValue(field, value) {
  if (field.type === "checkbox") field.checked = value === "true";
  else field.value = value;
}

function isTick(option) {
  return option.type === "boolean";
}

function valueOf(field) {
  return field.type === "checkbox" ? String(field.checked) : field.value.trim();
}

function note(text) {
  const paragraph = document.createElement("p");
  paragraph.className = "soft";
  paragraph.textContent = text;
  return paragraph;
}
