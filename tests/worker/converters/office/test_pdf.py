"""What a document becomes as PDF: which pages, of which kind, and how many at most."""

from collections.abc import Callable

import pytest

from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
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


def test_only_the_pages_that_were_asked_for(converting: Converting) -> None:
    result = converting(FIVE, "docx", "pdf", pages="2, 4-9")

    written = text_of(result.path, "pdf")
    assert result.facts["pages"] == 3
    assert [f"sheet {n}" in written for n in range(1, 6)] == [False, True, False, True, True]


def test_pages_that_are_not_there_are_named(converting: Converting) -> None:
    refused = converting(FIVE, "docx", "pdf", pages="7-8").refused

    assert refused.code == "bad_options"
    assert "7-8" in str(refused.detail)


def test_too_many_pages_are_refused_with_the_number(converting: Converting) -> None:
    refused = converting(FIVE, "docx", "pdf", {"max_pages": 4}).refused

    assert refused.code == "too_many_pages"
    assert "4 pages" in str(refused.detail)
    assert "ROWMILL_MAX_PAGES" in str(refused.detail)


def test_as_many_pages_as_allowed_are_fine(converting: Converting) -> None:
    assert converting(FIVE, "docx", "pdf", {"max_pages": 5}).facts["pages"] == 5


def test_an_archive_says_what_it_is(converting: Converting) -> None:
    content = converting(documents.sample("odt"), "odt", "pdf", archive=True).path.read_bytes()

    assert b"<pdfaid:part>2</pdfaid:part>" in content
    assert b"<pdfaid:conformance>B</pdfaid:conformance>" in content


def test_a_formula_shows_its_value(converting: Converting, sample: Callable[[str], bytes]) -> None:
    assert "24" in text_of(converting(sample("xls"), "xls", "pdf").path, "pdf")
