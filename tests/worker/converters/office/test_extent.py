"""No row and no column of a workbook is lost without a word: what does not fit is refused."""

import io
import zipfile

import pytest
from python_calamine import CalamineWorkbook

from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.locking import locked_parts
from tests.worker.converters.office.test_refusals import refused_unstarted
from worker.converters.office.cells import OoxmlCells
from worker.converters.office.extent import Extent, Room, room_of
from worker.converters.office.glance import Glance

SHEET = "xl/worksheets/sheet1.xml"


def xlsx(rows: str, *, encoding: str = "UTF-8") -> bytes:
    """Return the usual workbook with these rows below its own."""
    parts = documents.xlsx_parts()
    sheet = str(parts[SHEET]).replace("</sheetData>", f"{rows}</sheetData>")
    parts[SHEET] = sheet.replace('encoding="UTF-8"', f'encoding="{encoding}"').encode(encoding)
    return documents.zipped(parts)


def ods(rows: str) -> bytes:
    parts = documents.parts_of("ods")
    parts["content.xml"] = str(parts["content.xml"]).replace(
        "</table:table>", f"{rows}</table:table>"
    )
    return documents.zipped(parts)


def row(number: int, column: str = "A", inside: str = "<v>7</v>") -> str:
    return f'<row r="{number}"><c r="{column}{number}" s="0">{inside}</c></row>'


def rows(inside: str, count: int = 1) -> str:
    times = f'table:number-rows-repeated="{count}"'
    return f"<table:table-row {times}>{inside}</table:table-row>"


LONG = "🦆" * 16_384  # two letters each, as these programs count
NOTHING = "<table:table-cell/>"
WIDE = '<table:table-cell table:number-columns-repeated="300"/>'
SEVEN = '<table:table-cell office:value-type="float" office:value="7"/>'


def text(words: str) -> str:
    return (
        f'<table:table-cell office:value-type="string"><text:p>{words}</text:p></table:table-cell>'
    )


def inline(words: str) -> str:
    return f"<is><t>{words}</t></is>"


def runs(words: str) -> str:
    return f"<r><t>{words[:20_000]}</t></r><r><t>{words[20_000:]}</t></r>"


def shared(words: str, *, in_runs: bool = False) -> bytes:
    """Return the usual workbook with a text that stands where texts are shared."""
    parts = documents.xlsx_parts()
    spaces = "http://schemas.openxmlformats.org"
    parts["xl/sharedStrings.xml"] = (
        f'<sst xmlns="{spaces}/spreadsheetml/2006/main"><si><t>{words[:20_000]}</t></si>'
        f"<si>{runs(words) if in_runs else f'<t>{words}</t>'}</si></sst>"
    )
    relations = documents.relationship("rId1", "worksheet", "worksheets/sheet1.xml")
    relations += documents.relationship("rId2", "sharedStrings", "sharedStrings.xml")
    parts["xl/_rels/workbook.xml.rels"] = documents.relationships(relations)
    sheet = str(parts[SHEET]).replace("</sheetData>", f"{row(3, inside='<v>1</v>')}</sheetData>")
    parts[SHEET] = sheet.replace('r="A3"', 'r="A3" t="s"')
    types = "[Content_Types].xml"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    parts[types] = str(parts[types]).replace("</Types>", override)
    return documents.zipped(parts)


# What is too large, by what is: the source, the target, the code, and the number that is told.
TOO_LARGE = {
    "row": (xlsx(row(65_537)), "xlsx", "xls", "too_many_rows", "65,536"),
    "column": (xlsx(row(3, "IW")), "xlsx", "xls", "too_many_columns", "256"),
    "row in UTF-16": (xlsx(row(65_537), encoding="UTF-16"), "xlsx", "xls", "too_many_rows", "65,5"),
    "row of no sheet": (xlsx(row(1_048_577)), "xlsx", "ods", "too_many_rows", "1,048,576"),
    "column of no sheet": (xlsx(row(3, "XFE")), "xlsx", "pdf", "too_many_columns", "16,384"),
    "row behind a gap": (
        ods(rows(NOTHING, 70_000) + rows(SEVEN)), "ods", "xls", "too_many_rows", "65,536",
    ),
    "repeated rows": (ods(rows(SEVEN, 2_000_000)), "ods", "xlsx", "too_many_rows", "1,048,576"),
    "column behind a gap": (ods(rows(WIDE + SEVEN)), "ods", "xls", "too_many_columns", "256"),
    "text": (ods(rows(text(LONG))), "ods", "xlsx", "cell_too_long", "32,768"),
    "inline text": (xlsx(row(3, inside=inline(LONG))), "xlsx", "xls", "cell_too_long", "32,768"),
    "shared text": (shared("x" * 32_768), "xlsx", "xls", "cell_too_long", "32,768"),
    "text in runs": (
        shared("x" * 32_768, in_runs=True), "xlsx", "xls", "cell_too_long", "32,768",
    ),
}  # fmt: skip


@pytest.mark.office
@pytest.mark.parametrize("what", sorted(TOO_LARGE))
def test_what_does_not_fit_is_refused_with_the_number(converting: Converting, what: str) -> None:
    content, source, target, code, number = TOO_LARGE[what]

    assert number in refused_unstarted(converting(content, source, target), code)


@pytest.mark.office
@pytest.mark.parametrize(
    ("content", "source", "target"),
    [
        (ods(rows(text("x" * 32_767))), "ods", "xlsx"),
        (shared("x" * 32_767), "xlsx", "xls"),
        (shared("x" * 32_768), "xlsx", "ods"),
    ],
    ids=["ods", "shared", "unbounded"],
)
def test_the_longest_text_is_all_there(
    converting: Converting, content: bytes, source: str, target: str
) -> None:
    made = converting(content, source, target).content

    sheet = CalamineWorkbook.from_filelike(io.BytesIO(made)).get_sheet_by_index(0).to_python()
    assert str(sheet[2][0]).count("x") == (32_768 if target == "ods" else 32_767)


@pytest.mark.office
def test_what_a_password_hid_is_looked_at_when_it_is_open(converting: Converting) -> None:
    parts = documents.parts_of("ods")
    small = documents.zipped(locked_parts(parts, "geese"))
    with zipfile.ZipFile(io.BytesIO(ods(rows(NOTHING, 70_000) + rows(SEVEN)))) as archive:
        parts["content.xml"] = archive.read("content.xml").decode()
    large = documents.zipped(locked_parts(parts, "geese"))

    assert converting(small, "ods", "xls", password="geese").content
    assert converting(large, "ods", "xlsx", password="geese").content
    refused = converting(large, "ods", "xls", password="geese").refused
    assert refused.code == "too_many_rows"
    assert "65,536" in str(refused.detail)


@pytest.mark.office
def test_what_just_fits_is_all_there(converting: Converting) -> None:
    made = converting(xlsx(row(65_535, "IV") + row(65_536)), "xlsx", "xls").content

    sheet = CalamineWorkbook.from_filelike(io.BytesIO(made)).get_sheet_by_index(0).to_python()
    assert len(sheet) == 65_536
    assert (sheet[65_534][255], sheet[65_535][0]) == (7, 7)


@pytest.mark.office
@pytest.mark.parametrize(
    ("content", "source"),
    [
        (xlsx(row(70_000, inside="") + row(80_000, "ZZ", inside="")), "xlsx"),
        (ods(rows(NOTHING, 1_048_574)), "ods"),
    ],
    ids=["coloured", "rest"],
)
def test_empty_cells_far_away_are_no_loss(
    converting: Converting, content: bytes, source: str
) -> None:
    made = converting(content, source, "xls").content

    sheet = CalamineWorkbook.from_filelike(io.BytesIO(made)).get_sheet_by_index(0).to_python()
    assert sheet[0][0] == documents.WORDS


@pytest.mark.parametrize(
    "sheet",
    [
        b'<row r="65537">',
        b'<row spans="1:2" r="70000" ht="3">',
        b"<row r='123456'>",
        b'<c r="IW1">',
        b'<c s="1" r="AAA1" t="s">',
        b'<c t="s" r="JA12"/>',
        b"<c/>",
        b"<row><c>",
        b'<row r="1"><c t="s">',
        '<row r="1">'.encode("utf-16-le"),
    ],
)
def test_a_glance_notices_what_may_lie_beyond_wherever_it_is_cut(sheet: bytes) -> None:
    for at in range(len(sheet)):
        glance = Glance(room_of("xls"))
        glance.take("worksheet", b'<worksheet><row r="1"><c r="A1">' + sheet[:at])
        glance.take("worksheet", sheet[at:] + b"<v>7</v>")
        assert glance.is_suspicious


def test_a_glance_passes_what_lies_within_wherever_it_is_cut() -> None:
    sheet = b'<cols><col min="1"/></cols><row r="9999" spans="1:9"><c r="IV9999" t="s"/></row>'
    for at in range(len(sheet)):
        glance = Glance(room_of("xls"))
        glance.take("worksheet", sheet[:at])
        glance.take("worksheet", sheet[at:])
        assert not glance.is_suspicious


def test_a_glance_sees_nothing_behind_prefixes_and_says_so() -> None:
    glance = Glance(room_of("xls"))
    glance.take("worksheet", b'<x:worksheet xmlns:x="y"><x:row r="1"><x:c r="A1">')
    assert glance.is_suspicious


def test_a_text_without_end_is_not_carried_along() -> None:
    glance = Glance(Room())
    for _ in range(40):
        glance.take("worksheet", b"x" * 100_000)
    assert glance.is_suspicious


@pytest.mark.parametrize(
    ("sheet", "extent"),
    [
        ([("row", "5"), ("c", "B5"), ("v", None), ("row", "9"), ("c", "ZZ9")], Room(5, 2)),
        ([("row", None), ("c", None), ("v", None), ("c", None), ("is", None)], Room(1, 2)),
        ([("row", "7"), ("row", None), ("c", "C8"), ("c", None), ("f", None)], Room(8, 4)),
        ([("row", "1"), ("c", "XFD1"), ("v", None)], Room(1, 16_384)),
    ],
)
def test_cells_are_counted_that_say_where_they_are_and_that_do_not(
    sheet: list[tuple[str, str | None]], extent: Room
) -> None:
    found = Extent()
    cells = OoxmlCells(found)
    for name, at in sheet:
        cells.start(name, {"r": at} if at else {})
    assert (found.rows, found.columns) == (extent.rows, extent.columns)
