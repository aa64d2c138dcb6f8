"""What is wrong with a table of words, and a language that nobody speaks to see what is in none."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from app.formats import catalogue
from app.words import PLACEHOLDER

Table = Mapping[str, Mapping[str, Any]]

FACTS = {"direction", "decimal", "thousands", "plural", "plurals"}
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = "àƀçđéƒğĥîĵķļɱñôþɋŕšţûṽŵẋýžÀƁÇĐÉƑĞĤÎĴĶĻṀÑÔÞɊŔŠŢÛṼŴẊÝŽ"


def faults(table: Table, english: Table) -> Iterator[str]:
    """Yield what keeps a table from standing in for the English one."""
    if table["language"].keys() != FACTS:
        yield f"language: {FACTS ^ table['language'].keys()}"
    for group in {*table, *english} - {"language", "elsewhere"}:
        here, there = table.get(group, {}), english.get(group, {})
        for name in {*here, *there}:
            if name not in here or name not in there:
                yield f"{group}.{name}: only in one of them"
            else:
                why = _difference(here[name], there[name], table["language"]["plurals"])
                yield from [f"{group}.{name}: {why}"] if why else []


def outside() -> set[str]:
    """Return the words of the catalogue that stand on a page: titles, and what options say."""
    pairs = [pair for family in catalogue.families() for pair in family.pairs]
    named = [catalogue.format_named(name) for pair in pairs for name in pair]
    schemas = [family.options.model_json_schema() for family in catalogue.families()]
    options = [option for schema in schemas for option in schema.get("properties", {}).values()]
    chosen = [value for option in options for value in option.get("enum", ())]
    return {
        *(described.title for described in named if described),
        *(str(option.get(key, "")) for option in options for key in ("title", "description")),
        *(value[0].upper() + value[1:] for value in chosen),
    }


def pseudo(english: Table, *also: str) -> dict[str, dict[str, Any]]:
    """Return a table in which each text stands in ⟦ ⟧ and has not one plain letter."""
    made = {
        group: {name: _strange(entry) for name, entry in entries.items()}
        for group, entries in english.items()
    }
    elsewhere = {text: _wrapped(text) for text in (*outside(), *also)}
    return made | {"language": dict(english["language"]), "elsewhere": elsewhere}


def _difference(here: Any, there: Any, plurals: list[str]) -> str | None:
    if isinstance(here, list) or isinstance(there, list):
        alike = isinstance(here, list) and isinstance(there, list) and len(here) == len(there)
        return None if alike else "is no list of the same length"
    if isinstance(here, dict) and set(here) != set(plurals):
        return f"has the plural forms {', '.join(here)}"
    wanted, found = _placeholders(there), _placeholders(here)
    if isinstance(here, dict) and "count" not in wanted:
        return "has plural forms of nothing"
    return None if found == wanted else f"names {found}, not {wanted}"


def _placeholders(entry: Any) -> set[str]:
    texts = entry.values() if isinstance(entry, dict) else [entry]
    return {name for text in texts for name in PLACEHOLDER.findall(text)}


def _strange(entry: Any) -> Any:
    match entry:
        case dict():
            return {form: _wrapped(text) for form, text in entry.items()}
        case list():
            return [_wrapped(text) for text in entry]
        case _:
            return _wrapped(entry)


def _wrapped(text: str) -> str:
    accents = str.maketrans(PLAIN, ACCENTED)
    ends = [0, *(end for found in PLACEHOLDER.finditer(text) for end in found.span()), len(text)]
    parts = [text[start:end] for start, end in pairwise(ends)]
    strange = [part if place % 2 else part.translate(accents) for place, part in enumerate(parts)]
    return f"⟦{''.join(strange)}⟧"
