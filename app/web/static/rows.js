/** The first rows of a table, from the first 4 KiB of its file or as the worker told them: all of it goes in as text. */

import { say } from "./words.js";

const BYTES = 4096;
const MOST_ROWS = 8;
const MOST_COLUMNS = 12;

/** Fetch the beginning of a result and return it as a table element. */
export async function firstRows(source, name) {
  const response = await fetch(source, { headers: { Range: `bytes=0-${BYTES - 1}` } });
  if (!response.ok) throw new Error(String(response.status));
  const size = Number(response.headers.get("Content-Range")?.split("/")[1] ?? 0);
  const text = new TextDecoder().decode((await response.arrayBuffer()).slice(0, BYTES));
  const rows = rowsOf(text, { isWhole: size <= BYTES, name });
  return drawnRows(rows, name);
}

/** Return rows as a table element, or the word that there are none. */
export function drawnRows(rows, name) {
  return rows.length ? tableOf(rows, name) : Object.assign(document.createElement("p"), { textContent: say("look.no_rows") });
}

/** Return the cells of the first rows; one that is cut off is left out, unless it is the only one. */
export function rowsOf(text, { isWhole, name }) {
  const rows = /\.(nd)?jsonl?$/.test(name) ? records(text).map((line) => [line]) : cells(text, separatorOf(text, name));
  if (!isWhole && rows.length > 1) rows.pop();
  return rows.filter((row) => row.join("")).slice(0, MOST_ROWS).map((row) => row.slice(0, MOST_COLUMNS));
}

/** Return the lines of records; what holds them together in one array is none of them. */
function records(text) {
  return text.split("\n").map((line) => line.replace(/,$/, "")).filter((line) => !["[", "]"].includes(line));
}

function separatorOf(text, name) {
  if (name.endsWith(".tsv")) return "\t";
  const [line] = text.split("\n", 1);
  const count = (sign) => line.split(sign).length;
  return [",", ";", "\t", "|"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** Split as RFC 4180 says: in quotes a separator or the end of a line is a part of the cell, and two quotes are one. */
function cells(text, separator) {
  const rows = [[""]];
  const add = (sign) => (rows.at(-1)[rows.at(-1).length - 1] += sign);
  let isQuoted = false;
  let before = "";
  for (const sign of text.replaceAll("\r\n", "\n")) {
    if (sign === '"') {
      isQuoted = !isQuoted;
      if (isQuoted && before === '"') add(sign);
    } else if (sign === separator && !isQuoted) rows.at(-1).push("");
    else if (sign === "\n" && !isQuoted) rows.push([""]);
    else add(sign);
    before = sign;
  }
  return rows;
}

function tableOf(rows, name) {
  const table = document.createElement("table");
  table.append(Object.assign(document.createElement("caption"), { className: "unseen", textContent: say("look.first_rows", { name }) }));
  for (const row of rows) {
    const line = table.insertRow();
    for (const cell of row) line.insertCell().textContent = cell;
  }
  return table;
}
