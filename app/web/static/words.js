/** What the scripts say: the texts of the one table that the templates and Python read too (app/words). */

import { API, ENGLISH, LANGUAGE, TABLE } from "./table.js";

// The digits are those of the service, which writes numbers beside these.
const numbers = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1, useGrouping: true, numberingSystem: "latn" });
const plurals = new Intl.PluralRules(LANGUAGE);

/** Return the text of `group.name`; `count` chooses among plural forms, and is written as a number. */
export function say(key, values = {}) {
  const entry = entryOf(key);
  const { count } = values;
  const text = typeof entry === "string" ? entry : entry[plurals.select(count)];
  const written = count === undefined ? values : { ...values, count: number(count) };
  return text.replace(/\{(\w+)\}/g, (_, name) => written[name]);
}

/** Return what stands in the table: a text as it is, a list, or nothing. */
export function entryOf(key) {
  const [group, name] = key.split(".");
  return TABLE[group][name];
}

/** Return those parts that there are in one line: a, b, c. */
export function together(parts) {
  return parts.filter(Boolean).reduce((before, following) => say("list.comma", { before, following }));
}

/** Return what somebody else says in English in this language, as it is if nobody knows. */
export function translated(text) {
  return Object.hasOwn(TABLE.elsewhere, text) ? TABLE.elsewhere[text] : text;
}

/** Return what the API says of a code in this language, if it says no more than the table. */
export function coded(key, text) {
  return text && text === ofCode(ENGLISH, key) ? ofCode(TABLE, key) : text;
}

/**
 * Return the sentence of a code, and what the API says of it where that is more: its values. In the API's own
 * language that says it all, as in any for a code that nobody knows.
 */
export function explained(key, text) {
  const known = ofCode(TABLE, key);
  if (LANGUAGE === API || !known) return [text];
  return text === ofCode(ENGLISH, key) ? [known] : [known, text];
}

export function number(value) {
  return numbers.format(value);
}

function ofCode(table, key) {
  const [group, code] = key.split(".");
  return Object.hasOwn(table[group], code) ? table[group][code] : "";
}
