"""Even tables are read in one pass, and come out as a careful look at all of them would have it."""

import csv
import io
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.worker.converters.table.conftest import Converting
from tests.worker.converters.table.quickly import Seen, read_at_once, read_with_care
from worker.converters.limits import Limits

MANY = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
# What splits a text, what polars or the csv module may take for more than text, and some letters.
LETTERS = st.sampled_from(
    [*"ab01,;\t \"\n\r#\\'-", "\ufeff", "\x1e", "\x1f", "\0", "é", "日", "\u2028"]
)
CELLS = st.text(LETTERS, max_size=4)
PIECES = st.sampled_from([1, 9, 40, 4 * 1024**2])
ROW = f"1,2,{'x' * 200}\n"  # 25,000 of them are more than one piece
HEADERS = st.sampled_from([None, True, False])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """Draw a table as a program would write it; every row is as wide as the first."""
    width = draw(st.integers(2, 4))
    row = st.lists(CELLS, min_size=width, max_size=width)
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter=draw(st.sampled_from(",;\t")),
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerows([["name", "city", "when", "what"][:width], *draw(st.lists(row, max_size=12))])
    return out.getvalue().encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Draw a table in which some bytes were left out, put in or written over."""
    data = bytearray(draw(tables()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        taken = draw(st.integers(0, 3))
        data[at : at + taken] = draw(st.text(LETTERS, max_size=2)).encode()
    return bytes(data[: draw(st.integers(0, len(data)))]) if draw(st.booleans()) else bytes(data)


@MANY
@given(content=tables() | damaged(), piece_bytes=PIECES, header=HEADERS)
@example(content=b"a,b\n1,2\n\n3\n", piece_bytes=40, header=None)
@example(content=b"a,b,c\n1,2\n1,2,3,", piece_bytes=40, header=None)
@example(content=b"a,b,c\n1,2\n1,2,3,\n", piece_bytes=40, header=None)
@example(content=b"a,b\n1,2\n\xef\xbb\xbf3,4\n5\n6\n7\n", piece_bytes=9, header=None)
@example(content=b"a,b\n1\r,2\r\n3,4\n", piece_bytes=40, header=None)
@example(content=b"a,b\r\n1\r,2\n3,4\r\n", piece_bytes=40, header=None)
def test_what_is_read_at_once_is_what_care_would_have_found(
    tmp_path: Path, content: bytes, piece_bytes: int, header: bool | None
) -> None:
    source = tmp_path / "input.csv"
    source.write_bytes(content)

    at_once = read_at_once(source, piece_bytes=piece_bytes, header=header)

    if at_once is not None:
        assert at_once == read_with_care(source, header=header)


EVEN = {
    "plain": b"a,b\n1,2\n3,4\n",
    "no last line end": b"a,b\n1,2\n3,4",
    "windows line ends": b"a,b\r\n1,2\r\n3,4\r\n",
    "mixed line ends": b"a,b\n1,2\r\n3,4\n",
    "semicolons": b"a;b\n1,5;2\n",
    "quotes": b'a,b\n"1,5","say ""hi"""\n3,4\n',
    "line ends in quotes": b'a,b\n"1\n\n2",3\n"4\r\n5",6\n',
    "quotes in a cell": b'a,b\n5" pipe,6" pipe\n3,4\n',
    "quotes around names": b'"a","b"\n1,2\n',
    "a byte order mark": b"\xef\xbb\xbfa,b\n1,2\n",
    "a mark further down": b"a,b\n\xef\xbb\xbf1,2\n",
    "cells without anything": b"a,b\n,\n1,\n",
    "letters beyond ASCII": "a,b\nZoë,東京\n".encode(),
    "marks of control": b"a,b\n\x1e,\x1f\n\x01,\x7f\n",
    "lines about nothing": b"a,b\n#,\n \t,\n",
    "no names": b"1,2\n3,4\n",
    "names alone": b"a,b\n",
    "names that stand twice": b"a,a\n1,2\n",
    "a line about the delimiter": b"sep=;\na;b\n1;2\n",
}
UNEVEN = {
    "nothing": b"",
    "a short row": b"a,b,c\n1,2\n3,4,5\n",
    "a long row": b"a,b\n1,2,3\n4,5\n",
    "a long row with nothing in it": b"a,b\n1,2,\n4,5\n",
    "a long row at the end": b"a,b\n1,2\n3,4,",
    "a short row and a long one": b"a,b,c\n1,2\n3,4,5,6\n",
    "a short row and a long one at the end": b"a,b,c\n1,2\n3,4,5,",
    "an empty line": b"a,b\n1,2\n\n3,4\n",
    "an empty line first": b"\na,b\n1,2\n",
    "an empty line behind the names": b"a,b\n\n1,2\n",
    "an empty line at the end": b"a,b\n1,2\n\n",
    "empty lines at the end": b"a,b\n1,2\n\n\n",
    "an empty line and a long row": b"a,b\n1,2\n\n3,4,5\n",
    "an empty line of Windows": b"a,b\r\n1,2\r\n\r\n3,4\r\n",
    "an empty line among quotes": b'a,b\n"1",2\n\n3,4\n',
    "a short row among quotes": b'a,b\n"1,2"\n3,4\n',
    "a mark and short rows": b"a,b\n\xef\xbb\xbf1,2\n3\n4\n5\n",
    "old line ends": b"a,b\r1,2\r3,4\r",
    "an old line end": b"a,b\n1\r,2\n3,4\n",
    "an old line end among those of Windows": b"a,b\r\n1\r,2\n3,4\r\n",
    "two returns": b"a,b\r\n1,2\r\r\n3,4\r\n",
    "a NUL": b"a,b\n1,\x00\n3,4\n",
    "a stray quote": b'a,b\n"1"x,2\n3,4\n',
    "an open quote": b'a,b\n"1,2\n3,4\n',
    "an open quote in a name": b'a,"b\n1,2\n3,4\n',
    "another encoding": "a,b\nZoë,Köln\n".encode("cp1252"),
    "UTF-16": "a,b\n1,2\n".encode("utf-16"),
    "a wrong byte far down": b"a,b\n" + b"1,%s\n" % (b"x" * 20_000) * 6 + b"\xff,2\n",
    "a single column": b"a\n1\n",
    "a title above": b"Report\na,b\n1,2\n",
    "a title of two cells above": b"Report,2026\na,b,c\n1,2,3\n",
}


@pytest.mark.parametrize("piece_bytes", [1, 9, 4 * 1024**2])
@pytest.mark.parametrize("name", EVEN)
def test_an_even_table_needs_no_second_look(tmp_path: Path, name: str, piece_bytes: int) -> None:
    source = tmp_path / "input.csv"
    source.write_bytes(EVEN[name])

    at_once = read_at_once(source, piece_bytes=piece_bytes)

    assert isinstance(at_once, Seen)
    assert at_once == read_with_care(source)


@pytest.mark.parametrize("piece_bytes", [1, 9, 4 * 1024**2])
@pytest.mark.parametrize("name", UNEVEN)
def test_whatever_is_odd_about_a_table_is_left_to_care(
    tmp_path: Path, name: str, piece_bytes: int
) -> None:
    source = tmp_path / "input.csv"
    source.write_bytes(UNEVEN[name])

    assert read_at_once(source, piece_bytes=piece_bytes) is None


@pytest.mark.parametrize(
    "options",
    [{"encoding": "windows-1252"}, {"encoding": "utf-16"}, {"delimiter": "é"}],
    ids=["encoding", "two bytes", "delimiter"],
)
def test_what_polars_does_not_read_is_left_to_care(tmp_path: Path, options: dict[str, str]) -> None:
    source = tmp_path / "input.csv"
    source.write_bytes(b"a,b\n1,2\n")

    assert read_at_once(source, piece_bytes=100, **options) is None


def test_a_row_without_an_end_is_left_to_care(tmp_path: Path) -> None:
    source = tmp_path / "input.csv"
    for content in (b"a,b\n1," + b"x" * 100_000, b'a,b\n1,"' + b"x\n" * 50_000):
        source.write_bytes(content)
        assert read_at_once(source, piece_bytes=100) is None


@pytest.mark.parametrize("target", ["parquet", "ndjson", "csv"])
@pytest.mark.parametrize(
    ("odd", "last", "said"),
    [
        ("7,8\n", ["7", "8", ""], "1 row with more or fewer cells than 3"),
        ("\n7,8,9\n", ["7", "8", "9"], "1 empty line left out"),
        ('7,"8"x,9\n', ["7", '"8"x', "9"], "quotation marks"),
    ],
    ids=["short row", "empty line", "stray quote"],
)
def test_an_odd_row_far_down_changes_nothing_of_the_result(
    converting: Converting, target: str, odd: str, last: list[str], said: str
) -> None:
    result = converting(f"a,b,c\n{ROW * 25_000}{odd}", "csv", target)

    assert said in result.notes
    assert result.facts["rows"] == 25_001
    assert result.texts[0] == ["a", "b", "c"]
    assert result.texts[-1] == last
    values = [value for value, _ in result.stages]
    assert values == sorted(values)
    assert [stage for stage, _ in groupby(stage for _, stage in result.stages)] == [
        "reading", "writing", "reading", "writing",
    ]  # fmt: skip


def test_too_many_rows_are_refused_in_one_pass_too(converting: Converting) -> None:
    content = "a,b\n" + "1,2\n" * 9_000

    refused = converting(content, "csv", "parquet", Limits(max_rows=9_000)).refused

    assert refused.code == "too_many_rows"
    assert "9,000" in str(refused.detail)
    assert converting(content, "csv", "parquet", Limits(max_rows=9_001)).facts["rows"] == 9_000
