"""A file of a few bytes that spans a sheet of gaps is refused before it is written out."""

import io

import pytest
import xlsxwriter

from tests.worker.converters.table.conftest import Converting


def sparse_workbook() -> bytes:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "first")
        sheet.write(1_048_575, 16_383, "last")
    return content.getvalue()


def lines_without_a_common_key() -> bytes:
    return b"".join(b'{"k%d": 1}\n' % number for number in range(20_000))


def short_rows_below_a_wide_one() -> bytes:
    return b"," * 30_000 + b"\n" + b"a\n" * 300_000


@pytest.mark.parametrize(
    ("content", "source"),
    [
        (sparse_workbook(), "xlsx"),
        (lines_without_a_common_key(), "ndjson"),
        (short_rows_below_a_wide_one(), "csv"),
    ],
    ids=["workbook", "lines", "rows"],
)
def test_a_table_that_is_nearly_all_gaps_is_refused(
    converting: Converting, content: bytes, source: str
) -> None:
    refused = converting(content, source, "tsv").refused
    assert refused.code == "inflates_too_much"
    assert f"{len(content):,} bytes spans" in str(refused.detail)
    assert "ROWMILL_MAX_ZIP_RATIO" in str(refused.detail)


def test_a_table_may_have_many_gaps(converting: Converting) -> None:
    content = b"a,b,c\n" + b"1,,\n" * 5000
    assert len(converting(content, "csv", "tsv").tsv) == 5001


@pytest.mark.parametrize("delimiter", ["é", "§", "\u2028", "💥"])
def test_a_result_is_delimited_by_one_byte(converting: Converting, delimiter: str) -> None:
    refused = converting(b"a,b\n1,2\n", "csv", "csv", result_delimiter=delimiter).refused
    assert refused.code == "bad_options"
    assert "of ASCII" in str(refused.detail)
