"""What the API says of refusals and failures stands in the table, under its codes."""

from typing import Any

import pytest

from app import failures
from app.api import errors, sentences
from app.words import CODED, ENGLISH, Words
from tests.app.words.tables import pseudo

STRANGE = Words("en-XA", pseudo(ENGLISH.table))
SENTENCE = failures.CATALOGUE["corrupt_input"].sentence
HINT = failures.CATALOGUE["corrupt_input"].hint
KNOWN: dict[str, dict[str, str]] = {
    "problems": {code: one.title for code, one in errors.CATALOGUE.items()},
    "problem_hints": {code: one.hint for code, one in errors.CATALOGUE.items()},
    "failures": {code: one.sentence for code, one in failures.CATALOGUE.items()},
    "failure_hints": {code: one.hint for code, one in failures.CATALOGUE.items()},
}


@pytest.mark.parametrize("group", CODED)
def test_the_english_of_a_code_is_what_the_api_says(group: str) -> None:
    assert ENGLISH.table[group] == KNOWN[group]


def test_in_the_language_of_the_api_all_is_as_it_says() -> None:
    for text in (SENTENCE, "It ends at byte 7."):
        assert ENGLISH.explained("failures.corrupt_input", text) == [text]
        assert ENGLISH.coded("failures.corrupt_input", text) == text


def test_elsewhere_the_sentence_of_the_code_comes_first_and_values_after_it() -> None:
    (known,) = STRANGE.explained("failures.corrupt_input", SENTENCE)
    assert known.startswith("⟦")
    assert STRANGE.explained("failures.corrupt_input", "It ends at byte 7.") == [
        known,
        "It ends at byte 7.",
    ]
    assert STRANGE.coded("failure_hints.corrupt_input", "Raise LIMIT.") == "Raise LIMIT."
    assert STRANGE.coded("failure_hints.corrupt_input", HINT).startswith("⟦")


def test_a_code_of_another_release_is_told_as_it_came() -> None:
    for words in (ENGLISH, STRANGE):
        assert words.explained("failures.unheard_of", "It fell over.") == ["It fell over."]
        assert words.coded("failures.unheard_of", "It fell over.") == "It fell over."


@pytest.mark.parametrize("code", sorted(errors.CATALOGUE))
def test_a_refusal_is_said_whole_in_another_language(code: str) -> None:
    told = sentences.refusal(STRANGE, errors.Problem(code).document)
    assert told["title"].startswith("⟦")
    assert told["hint"].startswith("⟦")
    assert told["detail"] == ""


def test_a_failed_job_is_said_in_another_language() -> None:
    error: dict[str, Any] = failures.failure("corrupt_input", "It ends at byte 7.")
    told = sentences.tell(STRANGE, {"status": "failed", "error": error}, None)
    assert told.status.startswith("⟦")
    assert told.note.startswith("It ends at byte 7. ⟦")
