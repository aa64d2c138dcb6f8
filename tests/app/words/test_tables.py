"""Another language is one more file: it has what English has, and it can be chosen."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from app import words
from app.settings import BadSetting, from_environment
from app.words import ENGLISH, Words, languages, speaking
from tests.app.words.tables import faults, outside, pseudo


@pytest.mark.parametrize("language", languages())
def test_every_table_has_what_the_english_one_has(language: str) -> None:
    table = speaking(language).table
    assert [*faults(table, ENGLISH.table)] == []
    if language != "en":
        assert outside() - table["elsewhere"].keys() == set()


def test_a_language_that_nobody_speaks_is_no_worse() -> None:
    table = pseudo(ENGLISH.table)
    assert [*faults(table, ENGLISH.table)] == []
    assert Words("en-XA", table).say("span.day", count=2) == "⟦2 đàýš⟧"


@pytest.mark.parametrize(
    ("group", "name", "value", "says"),
    [
        ("job", "ready", None, "job.ready: only in one of them"),
        ("job", "more", "more", "job.more: only in one of them"),
        ("job", "ready", "Fertig", "job.ready: names set(), not {'size'}"),
        ("job", "ready", {"one": "{size}", "other": "{size}"}, "job.ready: has plural forms of"),
        ("span", "day", {"one": "{count}"}, "span.day: has the plural forms one"),
        ("date", "months", ["January"], "date.months: is no list of the same length"),
        ("language", "decimal", None, "language: {'decimal'}"),
    ],
)
def test_what_a_table_lacks_is_said(group: str, name: str, value: Any, says: str) -> None:
    table: dict[str, Any] = copy.deepcopy({**ENGLISH.table})
    table[group][name] = value
    if value is None:
        del table[group][name]
    (fault,) = faults(table, ENGLISH.table)
    assert fault.startswith(says)


def test_a_plural_may_be_needed_where_english_needs_none() -> None:
    table: dict[str, Any] = copy.deepcopy({**ENGLISH.table})
    table["tally"]["ready"] = {"one": "{count} klar", "other": "{count} klara"}
    assert [*faults(table, ENGLISH.table)] == []
    assert Words("sv", table).say("tally.ready", count=2) == "2 klara"


def test_numbers_and_plural_forms_are_those_of_the_language() -> None:
    table: dict[str, Any] = copy.deepcopy({**ENGLISH.table})
    table["language"] |= {"decimal": ",", "thousands": ".", "plurals": ["one", "few", "other"]}
    table["language"]["plural"] = "n == 1 ? 0 : n % 10 >= 2 && n % 10 <= 4 ? 1 : 2"
    table["span"]["day"] = {"one": "{count} den", "few": "{count} dny", "other": "{count} dní"}
    czech = Words("cs", table)
    said = [czech.say("span.day", count=count) for count in (1, 3, 7, 1002)]
    assert said == ["1 den", "3 dny", "7 dní", "1.002 dny"]
    assert czech.number("1,234.5") == "1.234,5"


def test_a_text_that_is_put_in_is_not_read_as_a_sentence() -> None:
    assert ENGLISH.say("card.deleted", name="{name} {count}") == "{name} {count} is deleted."


def test_a_value_that_is_missing_is_a_fault() -> None:
    with pytest.raises(KeyError):
        ENGLISH.say("card.deleted")


def test_a_language_is_chosen_among_those_that_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert from_environment({}).language == "en"
    for language in ("en", "nb"):
        (tmp_path / f"{language}.json").write_text(json.dumps(ENGLISH.table))
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    assert from_environment({"ROWMILL_LANGUAGE": "nb"}).language == "nb"
    with pytest.raises(BadSetting, match=r"ROWMILL_LANGUAGE='\.\./en' .* there is en, nb"):
        from_environment({"ROWMILL_LANGUAGE": "../en"})
