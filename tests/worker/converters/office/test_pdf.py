"""What a document becomes as PDF: which pages, of which kind, and how many at most."""

import re
from collections.abc import Callable

import pytest

from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.documents import WORDS
from tests.worker.converters.office.reader import text_of

pytestmark = pytest.mark.office

BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
FIVE = documents.zipped(
    documents.docx_parts(BREAK.join(documents.paragraph(f"sheet {n}") for n in range(1, 6)))
)


def test_all_pages_are_there_and_counted(converting: Converting) -> None:
    result = converting(FIVE, "docx", "pdf")

    assert result.facts["pages"] == 5
    assert [f"sheet {n}" in text_of(result.path, "pdf") for n in range(1, 6)] == [True] * 5


@pytest.mark.parametrize(
    ("pages", "written"),
    [
        ("2, 4-5", [2, 4, 5]),
        ("3-", [3, 4, 5]),
        ("4,1-2", [4, 1, 2]),
        ("1,1,1-2,2-", [1, 2, 3, 4, 5]),
    ],
)
def test_the_pages_that_were_asked_for_once_each_in_their_order(
    converting: Converting, pages: str, written: list[int]
) -> None:
    result = converting(FIVE, "docx", "pdf", pages=pages)

    assert result.facts["pages"] == len(written)
    assert re.findall(r"sheet (\d)", text_of(result.path, "pdf")) == [str(n) for n in written]


@pytest.mark.parametrize(("pages", "named"), [("7-8", 7), ("2,4-99", 99), ("6-", 6), ("5,6", 6)])
def test_pages_that_are_not_there_are_named(converting: Converting, pages: str, named: int) -> None:
    """In the words of the PDF family."""
    refused = converting(FIVE, "docx", "pdf", pages=pages).refused

    assert refused.code == "bad_options"
    assert refused.detail == (
        f"The document has 5 pages, and the option pages asks for page {named}. Choose from 1 to 5."
    )


def test_pages_beyond_those_that_are_counted_are_refused_too(converting: Converting) -> None:
    refused = converting(FIVE, "docx", "pdf", {"max_pages": 3}, pages="2,9").refused

    assert refused.code == "bad_options"
    assert "lacks some of the pages 2,9" in str(refused.detail)


def test_a_few_pages_of_very_many_are_fine(converting: Converting) -> None:
    assert converting(FIVE, "docx", "pdf", {"max_pages": 3}, pages="3-5").facts["pages"] == 3


def test_too_many_pages_are_refused_with_the_number(converting: Converting) -> None:
    refused = converting(FIVE, "docx", "pdf", {"max_pages": 4}).refused

    assert refused.code == "too_many_pages"
    assert "4 pages" in str(refused.detail)
    assert "ROWMILL_MAX_PAGES" in str(refused.detail)


@pytest.mark.parametrize("pages", ["1-5", "2-"])
def test_too_many_chosen_pages_are_refused(converting: Converting, pages: str) -> None:
    refused = converting(FIVE, "docx", "pdf", {"max_pages": 3}, pages=pages).refused

    assert refused.code == "too_many_pages"


def test_as_many_pages_as_allowed_are_fine(converting: Converting) -> None:
    assert converting(FIVE, "docx", "pdf", {"max_pages": 5}).facts["pages"] == 5


def test_an_archive_says_what_it_is(converting: Converting) -> None:
    content = converting(documents.sample("odt"), "odt", "pdf", archive=True).path.read_bytes()

    assert b"<pdfaid:part>2</pdfaid:part>" in content
    assert b"<pdfaid:conformance>B</pdfaid:conformance>" in content


def test_a_formula_shows_its_value(converting: Converting, sample: Callable[[str], bytes]) -> None:
    assert "24" in text_of(converting(sample("xls"), "xls", "pdf").path, "pdf")


@pytest.mark.parametrize("name", ["docx", "pptx"])
def test_characters_that_no_font_has_are_told(converting: Converting, name: str) -> None:
    """The last of those that everybody may use for himself, which no font has."""
    parts = documents.parts_of(name)
    main = "word/document.xml" if name == "docx" else "ppt/slides/slide1.xml"
    parts[main] = str(parts[main]).replace(WORDS, f"{WORDS} \U0010fffd")

    result = converting(documents.zipped(parts), name, "pdf")

    assert WORDS in text_of(result.path, "pdf")
    assert "such as U+10FFFD: boxes stand in their places" in result.notes
