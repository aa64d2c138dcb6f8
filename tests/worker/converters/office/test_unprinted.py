"""What a PDF does not show is told: hidden sheets, hidden slides, notes for the speaker."""

from collections.abc import Callable

import pytest

from app.formats.office import LOCKED, OLD
from tests.worker.converters.office import unprinted
from tests.worker.converters.office.conftest import FROM, Converting
from tests.worker.converters.office.documents import WORDS
from tests.worker.converters.office.locking import locked
from tests.worker.converters.office.reader import text_of
from tests.worker.converters.office.unprinted import HIDDEN, with_hidden, with_speaker_notes
from worker.converters.office.seen import Unprinted

pytestmark = pytest.mark.office

SHEETS, SLIDES = ["xlsx", "xls", "ods"], ["pptx", "ppt", "odp"]


@pytest.mark.parametrize("source", [*SHEETS, *SLIDES])
def test_what_is_hidden_is_told(converting: Converting, source: str) -> None:
    result = converting(made(converting, source, with_hidden), source, "pdf")

    written = text_of(result.path, "pdf")
    assert WORDS in written
    assert HIDDEN not in written
    told = Unprinted.SHEETS if source in SHEETS else Unprinted.SLIDES
    assert result.facts["notes"] == [told]


@pytest.mark.parametrize("source", SLIDES)
def test_what_the_speaker_sees_is_told(converting: Converting, source: str) -> None:
    result = converting(made(converting, source, with_speaker_notes), source, "pdf")

    assert HIDDEN not in text_of(result.path, "pdf")
    assert result.facts["notes"] == [Unprinted.SPEAKER_NOTES]


@pytest.mark.parametrize("source", SLIDES)
def test_notes_without_words_are_none(converting: Converting, source: str) -> None:
    """Only the number of the page stands on them."""
    result = converting(made(converting, source, unprinted.with_empty_notes), source, "pdf")

    assert result.facts["notes"] == []


def test_what_is_hidden_under_a_password_is_told(converting: Converting) -> None:
    content = locked(with_hidden("xlsx", {"xl/media/n.png": bytes(range(256)) * 40}), "geese")

    result = converting(content, LOCKED, "pdf", password="geese")

    assert result.facts["notes"] == [Unprinted.SHEETS]


@pytest.mark.parametrize(("source", "target"), [("xlsx", "ods"), ("pptx", "odp")])
def test_what_stays_hidden_is_not_told(converting: Converting, source: str, target: str) -> None:
    assert converting(with_hidden(source), source, target).facts["notes"] == []


def made(converting: Converting, name: str, make: Callable[[str], bytes]) -> bytes:
    if name not in OLD:
        return make(name)
    newer = FROM[name]
    return converting(make(newer), newer, name).content
