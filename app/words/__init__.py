"""Every sentence of the pages: one table for each language, read by templates, Python and scripts.

A table is `<language>.json`, named by its BCP 47 tag: groups of entries, each a text with
`{placeholders}`, a list, or the plural forms of a text of which `{count}` decides. The group
`language` says how the language writes; `elsewhere` holds, by their English, words that come from
outside of the pages: the titles of formats and options, the stages of conversions. What the API
says of refusals and failures stands under its codes.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from gettext import c2py
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
API = "en"  # the language of the API, whatever the pages speak
CODED = ("problems", "problem_hints", "failures", "failure_hints")
PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, eq=False)
class Words:
    """The table of one language."""

    language: str
    table: Mapping[str, Mapping[str, Any]]

    def say(self, key: str, write: Callable[[object], str] = str, /, **values: object) -> str:
        """Return the text of `group.name`, in which `write` has written everything.

        `count` chooses among plural forms, and is written as a number. KeyError if there is no
        such text, or if a value that it names is missing.
        """
        entry = self._entry(key)
        if "count" in values:
            count = int(str(values["count"]))
            entry = entry if isinstance(entry, str) else entry[self._form(count)]
            values["count"] = self.number(f"{count:,}")
        return PLACEHOLDER.sub(lambda found: write(values[found[1]]), write(entry))

    def listed(self, key: str) -> list[str]:
        return list(self._entry(key))

    def number(self, english: str) -> str:
        """Return a number that is written as in English (1,234.5) as this language writes it."""
        said = self.table["language"]
        return english.translate(str.maketrans({".": said["decimal"], ",": said["thousands"]}))

    def translated(self, text: str) -> str:
        """Return what somebody else says in English in this language, as it is if nobody knows."""
        return str(self.table["elsewhere"].get(text, text))

    def coded(self, key: str, text: str) -> str:
        """Return what the API says of a code in this language, as it is if the table says less."""
        return _of_code(self.table, key) if text == _of_code(ENGLISH.table, key) else text

    def explained(self, key: str, text: str) -> list[str]:
        """Return the sentence of a code, and after it what the API says beyond that: its values.

        In the API's own language that says it all, as in any for a code that nobody knows.
        """
        known = _of_code(self.table, key)
        if self.language == API or not known:
            return [text]
        return [known] if text == _of_code(ENGLISH.table, key) else [known, text]

    @property
    def direction(self) -> str:
        return str(self.table["language"]["direction"])

    def _entry(self, key: str) -> Any:
        group, _, name = key.partition(".")
        return self.table[group][name]

    def _form(self, count: int) -> str:
        return str(self.table["language"]["plurals"][self._rule(count)])

    @cached_property
    def _rule(self) -> Callable[[int], int]:
        return c2py(self.table["language"]["plural"])


def languages() -> list[str]:
    """Return the tags of the languages that there is a table for."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


@cache
def speaking(language: str) -> Words:
    """Return the words of a language, FileNotFoundError if there is no table for it."""
    return Words(language, json.loads((FOLDER / f"{language}.json").read_bytes()))


def _of_code(table: Mapping[str, Mapping[str, Any]], key: str) -> str:
    """Return the text of a code as it stands, empty if there is none: rows outlive releases."""
    group, _, code = key.partition(".")
    return str(table[group].get(code, ""))


ENGLISH = speaking(API)
