"""What stands in the cells of xlsx, xls and ods: numbers, dates, errors, formulas, texts."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import polars as pl
import pytest

from tests.worker.converters.table.conftest import Converting
from tests.worker.converters.table.workbooks import Fault, ods, patched, xls, xlsx

MAKERS: dict[str, Callable[..., bytes]] = {"xlsx": xlsx, "xls": xls, "ods": ods}
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture(params=sorted(MAKERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _table(*cells: Any) -> list[list[Any]]:
    return [["name", "value"], *(["x", cell] for cell in cells)]


def test_an_id_is_1_and_not_1_0(converting: Converting, kind: str) -> None:
    made = MAKERS[kind](_table(1, 2.5, 1e15, -3))

    assert converting(made, kind, "csv").csv[1:] == [
        ["x", "1"], ["x", "2.5"], ["x", "1000000000000000"], ["x", "-3"],
    ]  # fmt: skip
    assert [row["value"] for row in converting(made, kind, "json").json] == [1, 2.5, 10**15, -3]


def test_text_stays_text(converting: Converting, kind: str) -> None:
    texts = ["00123", "1E5", "+49170", "TRUE", "NA", "=1+1", "2024-01-01", "a\nb", "naïve 名前 😀"]

    assert [row[1] for row in converting(MAKERS[kind](_table(*texts)), kind, "csv").csv[1:]] == (
        texts
    )


def test_dates_are_iso_text_and_never_a_number(converting: Converting, kind: str) -> None:
    made = MAKERS[kind](_table(date(2024, 2, 29), date(1999, 12, 31)))

    assert [row[1] for row in converting(made, kind, "csv").csv[1:]] == ["2024-02-29", "1999-12-31"]
    assert converting(made, kind, "parquet").frame["value"].dtype == pl.Date


@pytest.mark.parametrize("made_by", ["xlsx", "ods"])
def test_moments_times_and_spans(converting: Converting, made_by: str) -> None:
    cells = [datetime(2024, 3, 1, 12, 30, 15), time(13, 5), timedelta(hours=30)]  # noqa: DTZ001

    result = converting(MAKERS[made_by](_table(*cells)), made_by, "csv")

    assert [row[1] for row in result.csv[1:]] == ["2024-03-01T12:30:15", "13:05:00", "30:00:00"]


def test_errors_are_kept_as_text_and_counted(converting: Converting, kind: str) -> None:
    made = MAKERS[kind](_table(1, Fault("#DIV/0!"), Fault("#N/A")))

    result = converting(made, kind, "csv")

    assert [row[1] for row in result.csv[1:]] == ["1", "#DIV/0!", "#N/A"]
    assert "In 2 cells an error such as #DIV/0! was kept as text." in result.notes


def test_an_error_that_a_formula_of_an_old_workbook_made_is_kept(converting: Converting) -> None:
    made = xls([["a", "b"], [1, Fault("#REF!")], [Fault("#N/A")]], by_formula=True)

    assert converting(made, "xls", "csv").csv == [["a", "b"], ["1", "#REF!"], ["#N/A", ""]]


def test_booleans(converting: Converting, kind: str) -> None:
    made = MAKERS[kind](_table(True, False))

    assert [row["value"] for row in converting(made, kind, "json").json] == [True, False]
    assert [row[1] for row in converting(made, kind, "csv").csv[1:]] == ["true", "false"]


@pytest.mark.parametrize("made_by", ["xlsx", "ods"])
def test_a_huge_number_keeps_its_digits(converting: Converting, made_by: str) -> None:
    made = MAKERS[made_by](_table(77))
    part, mark = (SHEET, b"<v>77</v>") if made_by == "xlsx" else ("content.xml", b'value="77"')
    huge = mark.replace(b"77", b"12345678901234567890123")

    result = converting(patched(made, part, lambda old: old.replace(mark, huge)), made_by, "csv")

    assert result.csv[1] == ["x", "12345678901234567890123"]


def test_a_number_with_an_exponent_is_written_out(converting: Converting) -> None:
    made = xlsx(_table(1.5e20, 0.125, 1e-7))

    assert [row[1] for row in converting(made, "xlsx", "csv").csv[1:]] == [
        "150000000000000000000", "0.125", "0.0000001",
    ]  # fmt: skip


def test_a_formula_shows_its_stored_result(converting: Converting) -> None:
    made = patched(
        xlsx(_table("here", 7)),
        SHEET,
        lambda old: old.replace(b"<v>7</v>", b"<f>3+4</f><v>7</v>"),
    )

    assert converting(made, "xlsx", "csv").csv == [["name", "value"], ["x", "here"], ["x", "7"]]


def test_a_formula_without_a_result_is_empty_and_said_to_be(converting: Converting) -> None:
    made = patched(
        xlsx(_table("here", 7)), SHEET, lambda old: old.replace(b"<v>7</v>", b"<f>3+4</f>")
    )

    result = converting(made, "xlsx", "csv")

    assert result.csv[2] == ["x", ""]
    assert "1 formula without a stored result" in result.notes


def test_days_are_counted_from_1904_where_the_workbook_says_so(converting: Converting) -> None:
    made = xlsx(_table(date(2024, 2, 29)), date_1904=True)

    assert converting(made, "xlsx", "csv").csv[1] == ["x", "2024-02-29"]


@pytest.mark.parametrize(
    ("code", "days", "text"),
    [
        ("General", "45351", "45351"),
        ("0.00", "45351", "45351"),
        ('"day" 0', "45351", "45351"),
        ("[Red]0", "45351", "45351"),
        ("[$-409]mmmm d, yyyy;@", "45351", "2024-02-29"),
        ("d/m/yy h:mm", "45351.5", "2024-02-29T12:00:00"),
        ("mm:ss", "0.5", "12:00:00"),
        ("[mm]:ss", "2", "48:00:00"),
        ("yyyy", "61", "1900-03-01"),
        ("yyyy", "1", "1900-01-01"),
        ("yyyy", "60", "60"),
        ("yyyy", "-5", "-5"),
        ("yyyy", "99999999", "99999999"),
        ("yyyy-mm-dd", "45351.999999999", "2024-03-01"),
    ],
)
def test_a_format_tells_what_a_number_means(
    converting: Converting, code: str, days: str, text: str
) -> None:
    made = patched(
        xlsx(_table(date(2024, 2, 29), "an end")),
        "xl/styles.xml",
        lambda old: old.replace(b'"yyyy-mm-dd"', f'"{code}"'.replace('"day"', "&quot;day&quot;")
                                .encode()),
    )  # fmt: skip
    made = patched(made, SHEET, lambda old: old.replace(b"<v>45351</v>", f"<v>{days}</v>".encode()))

    assert converting(made, "xlsx", "csv").csv[1] == ["x", text]


def test_texts_in_parts_with_reading_aids_are_one_text(converting: Converting) -> None:
    rich = (
        b"<si><r><t>na</t></r><r><rPr><b/></rPr><t xml:space='preserve'> me</t></r>"
        b"<rPh sb='0' eb='1'><t>furigana</t></rPh></si>"
    )
    made = patched(
        xlsx([["name", "other"], ["x", "y"]]),
        "xl/sharedStrings.xml",
        lambda old: old.replace(b"<si><t>x</t></si>", rich),
    )

    assert converting(made, "xlsx", "csv").csv == [["name", "other"], ["na me", "y"]]


def test_markup_with_prefixes_and_gaps_is_read(converting: Converting) -> None:
    sheet = (
        b'<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        b'<x:sheetData><x:row r="3"><x:c r="C3" t="inlineStr"><x:is><x:t>a &amp; b</x:t></x:is>'
        b'</x:c><x:c r="E3" t="str"><x:v>c</x:v></x:c></x:row><x:row r="5"><x:c r="D5"><x:v>7'
        b"</x:v></x:c></x:row></x:sheetData></x:worksheet>"
    )

    result = converting(patched(xlsx([["x"]]), SHEET, lambda _old: sheet), "xlsx", "csv")

    assert result.csv == [["a & b", "", "c"], ["", "", ""], ["", "7", ""]]


def test_spaces_tabs_and_comments_of_an_opendocument_cell(converting: Converting) -> None:
    raw = (
        '<table:table-row><table:table-cell office:value-type="string"><office:annotation>'
        '<text:p>a comment</text:p></office:annotation><text:p>a<text:s text:c="3"/>b<text:tab/>c'
        "<text:line-break/>d <text:span>e</text:span></text:p></table:table-cell>"
        "</table:table-row>"
    )

    result = converting(ods([["name"]], raw=raw), "ods", "csv")

    assert result.csv == [["name"], ["a   b\tc\nd e"]]


def test_repeated_cells_and_rows_of_an_opendocument_sheet(converting: Converting) -> None:
    cell = '<table:table-cell office:value-type="float" office:value="{}"{}/>'
    raw = (
        '<table:table-row table:number-rows-repeated="2">'
        + cell.format(1, "")
        + cell.format(2, ' table:number-columns-repeated="3"')
        + '<table:table-cell table:number-columns-repeated="16380"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="1048572"><table:table-cell/>'
        "</table:table-row>"
    )

    result = converting(ods([["a", "b", "c", "d"]], raw=raw), "ods", "csv")

    assert result.csv == [["a", "b", "c", "d"], ["1", "2", "2", "2"], ["1", "2", "2", "2"]]


def test_what_surrounds_a_table_is_left_out(converting: Converting, kind: str) -> None:
    rows = [[None], [None], [None, "a", "b"], [None, 1, None], [None], [None, None, 2]]

    result = converting(MAKERS[kind](rows), kind, "csv")

    assert result.csv == [["a", "b"], ["1", ""], ["", ""], ["", "2"]]


def test_a_column_of_several_kinds_is_text_where_a_column_has_one_type(
    converting: Converting, kind: str
) -> None:
    made = MAKERS[kind](_table(1, "one", 2.5))

    result = converting(made, kind, "parquet")

    assert result.frame["value"].to_list() == ["1", "one", "2.5"]
    assert "became text: value" in result.notes
    assert [row["value"] for row in converting(made, kind, "json").json] == [1, "one", 2.5]
