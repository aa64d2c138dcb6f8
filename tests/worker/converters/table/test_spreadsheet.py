"""What is written to xlsx: nothing runs, nothing is cut off, every value is what it is."""

import re
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from tests.worker.converters.table.conftest import Converting
from worker.converters.table import spreadsheet

SHEET = "xl/worksheets/sheet1.xml"


def _parquet(tmp_path: Path, **columns: Any) -> bytes:
    place = tmp_path / "made"
    pl.DataFrame(columns).write_parquet(place)
    return place.read_bytes()


@pytest.mark.parametrize(
    "cell", ["=1+1", "=cmd|'/c calc'!A0", "+1", "-1", "@SUM(A1)", "http://example.org", "1E5"]
)
def test_text_that_looks_like_a_formula_a_link_or_a_number_is_text(
    converting: Converting, cell: str
) -> None:
    result = converting(f'a,b\n"{cell}",x\n', "csv", "xlsx")

    assert result.sheet == [["a", "b"], [cell, "x"]]
    sheet = ET.fromstring(result.part(SHEET))
    kinds = {one.get("t") for one in sheet.findall(".//{*}c")}
    assert kinds == {"inlineStr"}
    assert not sheet.findall(".//{*}f")
    assert not sheet.findall(".//{*}hyperlink")


def test_values_of_a_typed_table_are_numbers_dates_and_truths(
    converting: Converting, tmp_path: Path
) -> None:
    made = _parquet(
        tmp_path,
        whole=[1, None],
        real=[2.5, 1e300],
        truth=[True, False],
        day=[date(2024, 2, 29), date(1850, 1, 1)],
        moment=[datetime(2024, 3, 1, 12, 30, 15), None],  # noqa: DTZ001
        time=[time(13, 5), None],
        span=[timedelta(hours=30), timedelta(hours=-1)],
    )

    rows = converting(made, "parquet", "xlsx").sheet

    assert rows[1] == [
        1, 2.5, True, date(2024, 2, 29), datetime(2024, 3, 1, 12, 30, 15), time(13, 5),  # noqa: DTZ001
        timedelta(hours=30),
    ]  # fmt: skip
    assert rows[2] == ["", 1e300, False, "1850-01-01", "", "", "-01:00:00"]


def test_a_number_that_excel_would_round_is_written_as_text(
    converting: Converting, tmp_path: Path
) -> None:
    made = _parquet(tmp_path, id=[1234567890123456789, 123456789012345], n=[1, 2])

    result = converting(made, "parquet", "xlsx")

    assert [row[0] for row in result.sheet[1:]] == ["1234567890123456789", 123456789012345]
    assert "15 that Excel keeps" in result.notes


def test_what_no_number_can_be_is_text(converting: Converting, tmp_path: Path) -> None:
    made = _parquet(tmp_path, n=[float("nan"), float("inf"), 0.5])

    assert [row[0] for row in converting(made, "parquet", "xlsx").sheet[1:]] == ["nan", "inf", 0.5]


@pytest.mark.parametrize(
    ("cell", "length"),
    [("x" * 32_768, "32,768"), ("😀" * 16_384, "32,768"), ("y" * 70_000, "70,000")],
)
def test_a_cell_that_excel_would_cut_is_refused_with_its_place(
    converting: Converting, cell: str, length: str
) -> None:
    refused = converting(f"a,b\n1,2\n3,{cell}\n", "csv", "xlsx").refused

    assert refused.code == "cell_too_long"
    assert "The cell B3 has" in str(refused.detail)
    assert length in str(refused.detail)
    assert "32,767" in str(refused.detail)


@pytest.mark.parametrize("cell", ["x" * 32_767, "😀" * 16_383])
def test_the_longest_cell_fits(converting: Converting, cell: str) -> None:
    assert converting(f"a,b\n1,{cell}\n", "csv", "xlsx").sheet[1] == ["1", cell]


def test_more_columns_than_a_sheet_has_are_refused(converting: Converting) -> None:
    fitting, wide = (",".join(f"c{at}" for at in range(count)) for count in (16_384, 16_385))

    assert len(converting(fitting + "\n", "csv", "xlsx").sheet[0]) == 16_384
    refused = converting(wide + "\n", "csv", "xlsx").refused
    assert refused.code == "too_many_columns"
    assert "16,385 columns" in str(refused.detail)
    assert "16,384" in str(refused.detail)


def test_more_rows_than_a_sheet_has_are_refused(
    converting: Converting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheet, "MOST_ROWS", 100)

    assert len(converting("a\n" + "x\n" * 99, "csv", "xlsx").sheet) == 100
    refused = converting("a\n" + "x\n" * 100, "csv", "xlsx").refused

    assert refused.code == "too_many_rows"
    assert "more rows than the 100" in str(refused.detail)
    assert "split=true" in str(refused.detail)


def test_a_long_table_is_split_into_sheets_that_lose_no_row(
    converting: Converting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheet, "MOST_ROWS", 100)
    rows = [[f"{number}"] for number in range(250)]
    content = "n\n" + "".join(f"{row[0]}\n" for row in rows)

    result = converting(content, "csv", "xlsx", split=True, header=True)

    sheets = result.sheets
    assert list(sheets) == ["Sheet1", "Sheet1 (2)", "Sheet1 (3)"]
    assert [len(sheet) for sheet in sheets.values()] == [100, 100, 53]
    assert all(sheet[0] == ["n"] for sheet in sheets.values())
    assert [row for sheet in sheets.values() for row in sheet[1:]] == rows
    assert "goes on in the next" in result.notes


def test_the_true_limits_are_those_of_excel() -> None:
    assert (spreadsheet.MOST_ROWS, spreadsheet.MOST_COLUMNS) == (2**20, 2**14)


def test_every_cell_says_where_it_stands(converting: Converting) -> None:
    header = ",".join(f"c{at}" for at in range(703))

    sheet = converting(header + "\n", "csv", "xlsx").part(SHEET).decode()

    places = re.findall(r'<c r="([A-Z]+1)"', sheet)
    assert (places[0], places[25], places[26], places[701], places[702]) == (
        "A1", "Z1", "AA1", "ZZ1", "AAA1",
    )  # fmt: skip


def test_lists_and_objects_are_json_and_not_python(converting: Converting, tmp_path: Path) -> None:
    made = _parquet(tmp_path, list=[["é", None]], object=[{"a": True, "b": date(2024, 1, 1)}])

    result = converting(made, "parquet", "xlsx")

    assert result.sheet[1] == ['["é",null]', '{"a":true,"b":"2024-01-01"}']
    assert "written as JSON" in result.notes
