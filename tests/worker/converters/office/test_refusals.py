"""What cannot be converted is refused before LibreOffice starts, and for the right reason."""

import re
from collections.abc import Callable

import pytest

from app.formats.office import OFFICE, OLD
from tests.worker.converters.cells import Said
from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.locking import compound

pytestmark = pytest.mark.office

SOURCES = sorted(OFFICE.sources)
PLAIN = [source for source in SOURCES if source != "encrypted-office"]
MAIN = {
    "docx": "word/document.xml",
    "xlsx": "xl/worksheets/sheet1.xml",
    "pptx": "ppt/slides/slide1.xml",
    "odt": "content.xml",
    "ods": "content.xml",
    "odp": "styles.xml",
}


def refused_unstarted(result: Said, code: str = "corrupt_input") -> str:
    """Return why it was refused, by a cell that did not start LibreOffice."""
    assert result.refused.code == code
    assert not {"starting", "reading", "writing"} & {stage for _, stage in result.told}
    return str(result.refused.detail)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("content", [b"", b"\0", bytes(range(256)) * 20, b"<html>Geese</html>"])
def test_nonsense_is_refused(converting: Converting, source: str, content: bytes) -> None:
    assert "damaged" in refused_unstarted(converting(content, source, "pdf"))


@pytest.mark.parametrize("source", PLAIN)
def test_another_document_under_this_name_is_refused(
    converting: Converting, sample: Callable[[str], bytes], source: str
) -> None:
    others = {"doc": "xls", "xls": "ppt", "ppt": "doc", "docx": "xlsx", "xlsx": "pptx"}
    others |= {"pptx": "docx", "odt": "ods", "ods": "odp", "odp": "odt", "rtf": "docx"}

    result = converting(sample(others[source]), source, "pdf")

    assert "damaged" in refused_unstarted(result)


@pytest.mark.parametrize("source", PLAIN)
@pytest.mark.parametrize("part", [0.3, 0.7, 0.95])
def test_a_document_that_ends_early_is_refused(
    converting: Converting, sample: Callable[[str], bytes], source: str, part: float
) -> None:
    whole = sample(source)

    result = converting(whole[: int(len(whole) * part)], source, "pdf")

    assert "damaged or incomplete" in refused_unstarted(result)


@pytest.mark.parametrize("source", sorted(MAIN))
def test_xml_that_breaks_off_is_not_taken_for_a_shorter_document(
    converting: Converting, source: str
) -> None:
    """LibreOffice makes a page of what it could read of a sheet or a slide, and calls it done."""
    parts = documents.parts_of(source)
    name = MAIN[source]
    parts[name] = parts[name][: len(parts[name]) * 3 // 4]

    result = converting(documents.zipped(parts), source, "pdf")

    assert "breaks off" in refused_unstarted(result)


@pytest.mark.parametrize("source", ["xlsx", "pptx"])
def test_a_sheet_or_slide_that_is_not_there_is_missed(converting: Converting, source: str) -> None:
    parts = documents.parts_of(source)
    del parts[MAIN[source]]

    assert "missing" in refused_unstarted(converting(documents.zipped(parts), source, "pdf"))


@pytest.mark.parametrize("source", ["docx", "odt"])
def test_a_changed_byte_is_noticed(converting: Converting, source: str) -> None:
    content = bytearray(documents.sample(source))
    name = MAIN[source].encode()
    content[content.index(name) + len(name) + 40] ^= 0x55

    refused_unstarted(converting(bytes(content), source, "pdf"))


def test_a_bomb_is_refused(converting: Converting) -> None:
    parts = documents.docx_parts("<w:p/>" * 200_000)

    result = converting(documents.zipped(parts), "docx", "pdf", {"max_inflated_bytes": 1_000_000})

    assert "1,000,000" in refused_unstarted(result, "inflates_too_much")


def test_entities_are_refused(converting: Converting) -> None:
    parts = documents.parts_of("docx")
    declared = '<!DOCTYPE w [<!ENTITY a "goose"><!ENTITY b "&a;&a;&a;">]>'
    parts["word/document.xml"] = re.sub(
        r"\?>\n", f"?>{declared}", str(parts["word/document.xml"]), count=1
    )

    result = converting(documents.zipped(parts), "docx", "pdf")

    assert "XML entities" in refused_unstarted(result, "unsupported_content")


@pytest.mark.parametrize("source", OLD)
def test_a_compound_file_of_something_else_is_refused(converting: Converting, source: str) -> None:
    result = converting(compound({"Contents": b"geese" * 1000}), source, "pdf")

    assert "is no" in refused_unstarted(result)


def test_a_stream_that_breaks_off_behind_its_head_is_noticed(converting: Converting) -> None:
    """Here the streams lie last in the file; what LibreOffice writes has its map there."""
    whole = compound({"Workbook": b"\x09\x08\x10\x00\x00\x06".ljust(9000, b"\0")})

    result = converting(whole[:-600], "xls", "pdf")

    assert "damaged or incomplete" in refused_unstarted(result)


@pytest.mark.parametrize("options", [{"pages": "1"}, {"archive": True}])
def test_options_of_a_pdf_mean_nothing_elsewhere(
    converting: Converting, options: dict[str, object]
) -> None:
    result = converting(documents.sample("docx"), "docx", "odt", **options)

    assert "only for PDF" in refused_unstarted(result, "bad_options")
