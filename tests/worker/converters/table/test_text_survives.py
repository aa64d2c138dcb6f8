"""Text stays text: what stands in a cell comes out the same, through every format and back."""

import csv
import io
from pathlib import Path

import pytest

from app.formats.table import TABLE
from tests.worker.converters.table.conftest import Converting

TRICKY = [
    "00123", "1E5", "1e5", "+491701234567", "-0", "1.50", ".5", "1,5", "01/02/2024", "13/02/2024",
    "2024-02-30", "2024-01-01", "Yes", "NO", "TRUE", "false", "NA", "null", "NULL", "None", "nan",
    "inf", "12345678901234567890123", "0x1F", "=1+1", "=cmd|'/c calc'!A1", "@SUM(A1)", "-1+2",
    "http://example.org/", "mailto:a@example.org", "internal:Sheet1!A1", " lead", "trail ", "  ",
    "a,b", "a;b", "a\tb", "a|b", 'say "hi"', '"', "''", "line\nbreak", "carriage\rreturn",
    "both\r\nends", "\n", "naïve Ω 名前 😀", "e\u0301", "\ufeffmark", "\u2028", "\x7f", "\\N", "\\",
    '{"a": 1}', "[1]", "<b>&amp;</b>", "]]>", "_x000D_", "_x0041_", "_", "#N/A", "#DIV/0!",
    "\x01\x02\x1e\x1f", "\x00", "\ufffe", "sep=;", "x" * 32_767, "",
]  # fmt: skip
HEADER = ["name", "first value", "second"]
ROWS = [[text, f"row {at}", text] for at, text in enumerate(TRICKY)]


def written(rows: list[list[str]], delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode(encoding)


@pytest.mark.parametrize("through", TABLE.targets)
def test_every_text_survives_a_format_and_the_way_back(
    converting: Converting, tmp_path: Path, through: str
) -> None:
    there = converting(written([HEADER, *ROWS]), "csv", through)
    kept = tmp_path / "kept"
    kept.write_bytes(there.content)

    back = converting(kept, through, "csv", delimiter=None if through != "tsv" else "tab")

    assert back.csv == [HEADER, *ROWS]


@pytest.mark.parametrize("target", ["json", "ndjson", "parquet", "arrow", "xlsx", "tsv"])
def test_other_readers_see_the_same_text(converting: Converting, target: str) -> None:
    """Calamine drops a carriage return at a line's end and cannot show every control character."""
    plain = [row for row in ROWS if target != "xlsx" or row[0].isprintable()]

    result = converting(written([HEADER, *plain]), "csv", target)

    assert result.texts == [HEADER, *plain]


@pytest.mark.parametrize(
    "cell", ["x\r", "\ufeffx", "x\x1ey", "x\x1fy", "\x1e\x1f", "x\x1fy\x1ez\x1f"]
)
def test_a_mark_that_polars_would_take_for_its_own_stays(converting: Converting, cell: str) -> None:
    rows = [["name", "city"], [cell, "Oslo"], ["Bergen", cell]]

    assert converting(written(rows), "csv", "json").texts == rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(converting: Converting, delimiter: str) -> None:
    rows = [["id", "name", "price"], ["1", "a, b; c", "1,5"], ["2", "d", "2,75"], ["3", "", "0"]]

    result = converting(written(rows, delimiter), "csv", "json")

    assert result.texts == rows
    assert result.facts["delimiter"] in ("comma", "semicolon", "tab", "pipe")


def test_decimal_commas_do_not_hide_a_semicolon(converting: Converting) -> None:
    rows = [["1,5", "2,5"], ["1,6", "2,6"], ["1,7", "2,7"]]

    result = converting("1,5;2,5\n1,6;2,6\n1,7;2,7\n", "csv", "json", header=False)

    assert result.texts[1:] == rows


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("target", ["csv", "json", "parquet"])
def test_the_encoding_is_found(converting: Converting, encoding: str, target: str) -> None:
    rows = [["name", "city"], ["Zoë", "Zürich"], ["Søren", "Århus"], ["山田", "東京"]]

    result = converting(written(rows, encoding=encoding), "csv", target)

    assert result.texts == rows
    assert result.facts["encoding"] in ("UTF-8", "UTF-16")


@pytest.mark.parametrize(
    ("encoding", "title", "rows"),
    [
        ("cp1252", "Windows-1252", [["name", "price"], ["Café Zürich", "5 €"], ["Müller", "7"]]),
        (
            "cp932",
            "Shift JIS",
            [["名前", "住所"], ["佐藤太郎", "東京都港区"], ["三木英子", "大阪"]],
        ),
    ],
)
def test_an_older_encoding_is_found(
    converting: Converting, encoding: str, title: str, rows: list[list[str]]
) -> None:
    result = converting(written(rows, encoding=encoding), "csv", "json")

    assert result.texts == rows
    assert result.facts["encoding"] == title


def test_an_encoding_that_is_named_is_used(converting: Converting) -> None:
    rows = [["имя", "город"], ["Анна", "Москва"]]

    result = converting(written(rows, encoding="koi8-r"), "csv", "json", encoding="KOI8-R")

    assert result.texts == rows


def test_a_wrong_byte_far_down_is_refused_with_its_place(converting: Converting) -> None:
    content = b"name,city\n" + b"Zo\xc3\xab,Bern\n" * 100_000 + b"Zo\xeb,Bern\n"

    refused = converting(content, "csv", "json").refused

    assert refused.code == "encoding_unknown"
    assert "not UTF-8 throughout" in str(refused.detail)
    assert "option encoding" in str(refused.detail)


def test_what_no_encoding_explains_is_refused(converting: Converting) -> None:
    noise = bytes(range(128, 256)) * 40

    assert converting(noise, "csv", "json").refused.code == "encoding_unknown"


def test_a_result_can_have_another_delimiter_and_a_mark(converting: Converting) -> None:
    result = converting("a,b\n1,x;y\n", "csv", "csv", result_delimiter="semicolon", bom=True)

    assert result.content == b'\xef\xbb\xbfa;b\n1;"x;y"\n'
