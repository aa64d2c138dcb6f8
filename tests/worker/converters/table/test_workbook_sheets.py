"""Which sheet is taken, and which workbooks are refused before they are read."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.worker.converters.table.conftest import Converting
from tests.worker.converters.table.workbooks import compound, ods, patched, xls, xlsx
from worker.converters.limits import Limits
from worker.converters.refusal import Refusal
from worker.converters.table.workbook import biff

MAKERS: dict[str, Callable[..., bytes]] = {"xlsx": xlsx, "xls": xls, "ods": ods}
SHEET = "xl/worksheets/sheet1.xml"
ONE: list[list[Any]] = [["a", "b"], [1, "x"]]
TWO: list[list[Any]] = [["c"], ["two"]]
ENCRYPTED = (
    '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry>'
    "<m:encryption-data/></m:file-entry></m:manifest>"
)


@pytest.fixture(params=sorted(MAKERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_first_sheet_is_taken_and_the_others_are_named(
    converting: Converting, kind: str
) -> None:
    result = converting(MAKERS[kind](ONE, TWO), kind, "csv")

    assert result.csv == [["a", "b"], ["1", "x"]]
    assert result.facts["sheets"] == ["Sheet1", "Sheet2"]
    assert result.facts["sheet"] == "Sheet1"
    assert "2 sheets" in result.notes


@pytest.mark.parametrize("wish", ["Sheet2", "2", 2])
def test_a_sheet_is_chosen_by_name_or_number(
    converting: Converting, kind: str, wish: object
) -> None:
    assert converting(MAKERS[kind](ONE, TWO), kind, "csv", sheet=wish).csv == [["c"], ["two"]]


def test_a_sheet_that_is_not_there_is_answered_with_those_that_are(
    converting: Converting, kind: str
) -> None:
    refused = converting(MAKERS[kind](ONE, TWO), kind, "csv", sheet="Third").refused

    assert refused.code == "bad_options"
    assert "'Third'" in str(refused.detail)
    assert "'Sheet1', 'Sheet2'" in str(refused.detail)


def test_all_sheets_are_a_zip_of_files(converting: Converting, kind: str) -> None:
    result = converting(MAKERS[kind](ONE, [], TWO), kind, "json", sheet="all")

    with zipfile.ZipFile(io.BytesIO(result.content)) as package:
        assert package.namelist() == ["1-Sheet1.json", "2-Sheet3.json"]
        assert package.read("2-Sheet3.json") == b'[\n{"c":"two"}\n]\n'
    assert result.outcome.format == "zip"  # type: ignore[union-attr]
    assert result.facts["rows"] == 2
    assert "'Sheet2' is empty" in result.notes


def test_all_sheets_fit_into_one_workbook(converting: Converting, kind: str) -> None:
    result = converting(MAKERS[kind](ONE, TWO), kind, "xlsx", sheet="all")

    assert result.sheets == {"Sheet1": [["a", "b"], [1, "x"]], "Sheet2": [["c"], ["two"]]}
    assert result.outcome.format is None  # type: ignore[union-attr]


def test_names_of_sheets_are_no_paths(converting: Converting) -> None:
    made = patched(
        xlsx(ONE, TWO, names=("A", "B")),
        "xl/workbook.xml",
        lambda old: old.replace(b'name="B"', b'name="../../b/&lt;c&gt;"'),
    )

    result = converting(made, "xlsx", "csv", sheet="all")

    with zipfile.ZipFile(io.BytesIO(result.content)) as package:
        assert package.namelist() == ["1-A.csv", "2-______b__c_.csv"]


def test_a_hidden_sheet_is_not_the_first(converting: Converting) -> None:
    made = xlsx(TWO, ONE, names=("Hidden", "Seen"))
    made = patched(
        made,
        "xl/workbook.xml",
        lambda old: old.replace(b'name="Hidden"', b'name="Hidden" state="veryHidden"'),
    )

    result = converting(made, "xlsx", "csv")

    assert result.facts["sheet"] == "Seen"
    assert result.facts["sheets"] == ["Hidden", "Seen"]


def test_an_empty_sheet_is_refused(converting: Converting, kind: str) -> None:
    refused = converting(MAKERS[kind]([], TWO), kind, "csv").refused

    assert refused.code == "corrupt_input"
    assert "'Sheet1' is empty" in str(refused.detail)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("xlsx", compound(EncryptionInfo=b"x", EncryptedPackage=b"y" * 5000)),
        ("xls", xls(ONE, is_locked=True)),
        ("xls", compound(EncryptionInfo=b"x", EncryptedPackage=b"y" * 5000)),
        ("ods", ods(ONE, manifest=ENCRYPTED)),
    ],
)
def test_a_password_is_asked_for(converting: Converting, kind: str, content: bytes) -> None:
    refused = converting(content, kind, "csv").refused

    assert refused.code == "password_required"
    assert "without" in str(refused.detail)


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_a_bomb_is_refused_before_it_is_read(converting: Converting, kind: str) -> None:
    part = "xl/worksheets/sheet1.xml" if kind == "xlsx" else "content.xml"
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(part, b"<a/>" * 10_000_000)

    refused = converting(bomb.getvalue(), kind, "csv").refused

    assert refused.code == "inflates_too_much"
    assert "ROWMILL_MAX_ZIP_RATIO" in str(refused.detail)


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_declarations_that_could_be_a_bomb_are_refused(converting: Converting, kind: str) -> None:
    part = SHEET if kind == "xlsx" else "content.xml"
    declared = b'<!DOCTYPE a [<!ENTITY b "ha">]>'

    made = patched(MAKERS[kind](ONE), part, lambda old: old.replace(b"<", declared + b"<", 1))
    if kind == "xlsx":  # behind its XML declaration
        made = patched(MAKERS[kind](ONE), part, lambda old: old.replace(b"?>", b"?>" + declared, 1))

    assert "declares" in str(converting(made, kind, "csv").refused.detail)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'row r="2"', b'row r="2000000000"'),
        (b'row r="2"', b'row r="1048577"'),
        (b'r="B2"', b'r="XFE2"'),
        (b'r="B2"', b'r="ABCD2"'),
        (b'r="B2"', b'r="2"'),
        (b'r="B2"', b'r="b2"'),
    ],
)
def test_a_row_or_a_column_that_no_sheet_has_is_refused(
    converting: Converting, old: bytes, new: bytes
) -> None:
    made = patched(xlsx(ONE), SHEET, lambda sheet: sheet.replace(old, new))

    assert converting(made, "xlsx", "csv").refused.code == "corrupt_input"


def test_repetitions_in_opendocument_cannot_fill_the_memory(converting: Converting) -> None:
    cell = '<table:table-cell office:value-type="float" office:value="1"{}/>'
    wide = cell.format(' table:number-columns-repeated="9999999"')
    high = (
        f'<table:table-row table:number-rows-repeated="9999999">{cell.format("")}</table:table-row>'
    )

    for raw in (f"<table:table-row>{wide}</table:table-row>", high):
        assert converting(ods([["a"]], raw=raw), "ods", "csv").refused.code == "corrupt_input"


def test_more_rows_than_allowed_are_refused(converting: Converting, kind: str) -> None:
    made = MAKERS[kind]([["a"], *([n] for n in range(1, 30))])

    refused = converting(made, kind, "csv", Limits(max_rows=20)).refused

    assert refused.code == "too_many_rows"
    assert "20 rows" in str(refused.detail)


def test_a_cell_outside_of_its_sheet_is_refused_before_it_is_read(tmp_path: Path) -> None:
    content = bytearray(xls(ONE))
    content[content.index(b"\x04\x02", 512) + 4 + 3] = (
        0x7F  # the column of a text, [MS-XLS] 2.4.148
    )
    book = tmp_path / "input.xls"
    book.write_bytes(content)

    with pytest.raises(Refusal, match="outside of its sheet"):
        biff.look(book)


@pytest.mark.parametrize("at", [3, 7, 9, 11])
def test_a_sheet_that_says_it_is_endless_is_refused_before_it_is_read(
    tmp_path: Path, at: int
) -> None:
    """Calamine would ask for the memory for it, and end the process that does not get it."""
    content = bytearray(xls(ONE))
    content[content.index(b"\x00\x02\x0e\x00") + 4 + at] = (
        0x40  # of the dimensions, [MS-XLS] 2.4.90
    )
    book = tmp_path / "input.xls"
    book.write_bytes(content)

    with pytest.raises(Refusal, match="larger than a sheet can be"):
        biff.look(book)
