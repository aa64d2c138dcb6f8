"""CSV as people send it: ragged, badly quoted, without names, without anything."""

from collections.abc import Iterator

import pytest

from tests.worker.converters.table.conftest import Converting
from worker.converters.limits import Limits
from worker.converters.table.lenient import rows as lenient_rows


def test_short_rows_are_filled_up_and_long_ones_get_columns(converting: Converting) -> None:
    result = converting("a,b,c\n1,2\n3,4,5,6,7\n8,9,10\n", "csv", "json")

    assert result.json == [
        {"a": "1", "b": "2", "c": "", "column_4": "", "column_5": ""},
        {"a": "3", "b": "4", "c": "5", "column_4": "6", "column_5": "7"},
        {"a": "8", "b": "9", "c": "10", "column_4": "", "column_5": ""},
    ]
    assert "2 rows with more or fewer cells than 3" in result.notes


def test_a_title_above_the_table_loses_no_column(converting: Converting) -> None:
    result = converting("Report\n\nid,name\n1,x\n2,y\n", "csv", "csv")

    assert result.csv == [["Report", "column_2"], ["id", "name"], ["1", "x"], ["2", "y"]]
    assert "1 empty line left out" in result.notes


def test_names_that_stand_twice_or_not_at_all(converting: Converting) -> None:
    content = "a,a,,a_2,\n1,2,3,4,5\n"

    assert converting(content, "csv", "csv").content.decode() == content
    result = converting(content, "csv", "json")
    assert result.json == [{"a": "1", "a_3": "2", "column_3": "3", "a_2": "4", "column_5": "5"}]
    assert "3 columns without a name" in result.notes
    for typed in ("parquet", "arrow"):
        assert converting(content, "csv", typed).frame.columns == list(result.json[0])


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ('5" pipe,x', ['5" pipe', "x"]),
        ('"5" pipe,x', ['"5" pipe', "x"]),
        ('"say "hi" now",x', ['say "hi" now', "x"]),
        ('"abc"def,"x"', ['"abc"def', "x"]),
        ('"open,x', ['"open', "x"]),
        ('a,"', ["a", '"']),
        ('"a""b",x', ['a"b', "x"]),
        ('"" ,x', ['"" ', "x"]),
    ],
)
def test_a_stray_quote_is_kept_as_text(converting: Converting, line: str, cells: list[str]) -> None:
    result = converting(f'p,q\n{line}\n"two\nlines",y\nlast,"z"\n', "csv", "json")

    assert result.texts == [["p", "q"], cells, ["two\nlines", "y"], ["last", "z"]]


def test_a_file_with_stray_quotes_says_so(converting: Converting) -> None:
    assert "quotation marks" in converting('a,b\n"x,y\n1,2\n', "csv", "json").notes
    assert "quotation marks" not in converting('a,b\n"x",y\n', "csv", "json").notes


def test_a_quote_that_is_never_closed_does_not_swallow_the_file(converting: Converting) -> None:
    content = "a,b\n" + "".join(f"{n},x\n" for n in range(500)) + '"open,y\n'
    content += "".join(f"{n},x\n" for n in range(5000))

    result = converting(content, "csv", "json")

    assert len(result.json) == 5501
    assert result.json[500] == {"a": '"open', "b": "y"}


def test_an_open_quote_is_looked_after_for_some_lines_only() -> None:
    pulled = 0

    def lines() -> Iterator[str]:
        nonlocal pulled
        yield '"open,x\n'
        for _ in range(10_000):
            pulled += 1
            yield "1,2\n"

    assert next(lenient_rows(lines(), ",")) == ['"open', "x"]
    assert pulled < 100


def test_a_cell_may_hold_more_than_the_csv_module_is_used_to(converting: Converting) -> None:
    long = "x" * 300_000

    result = converting(f"a,b\n{long},1\n", "csv", "json")

    assert result.json == [{"a": long, "b": "1"}]
    assert result.notes == ""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(converting: Converting, end: str) -> None:
    result = converting(end.join(["a,b", "1,2", "3,4"]), "csv", "json")

    assert result.json == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


def test_excels_line_about_the_delimiter_is_no_row(converting: Converting) -> None:
    assert converting("sep=;\r\na;b\r\n1,0;2\r\n", "csv", "json").json == [{"a": "1,0", "b": "2"}]


def test_a_delimiter_that_is_named_is_used(converting: Converting) -> None:
    assert converting("a^b\n1,2^3\n", "csv", "json", delimiter="^").json == [{"a": "1,2", "b": "3"}]


def test_a_first_row_of_data_is_not_taken_for_names(converting: Converting) -> None:
    content = "1,17.5,Oslo\n2,18.5,Bergen\n"

    result = converting(content, "csv", "json")

    assert [list(row.values()) for row in result.json] == [["1", "17.5", "Oslo"],
                                                          ["2", "18.5", "Bergen"]]  # fmt: skip
    assert list(result.json[0]) == ["column_1", "column_2", "column_3"]
    assert "header=true" in result.notes
    assert converting(content, "csv", "csv").content.decode() == content


def test_names_that_are_years_are_names(converting: Converting) -> None:
    result = converting("country,2019,2020,2021\nNorway,1,2,3\n", "csv", "json")

    assert result.json == [{"country": "Norway", "2019": "1", "2020": "2", "2021": "3"}]


@pytest.mark.parametrize(("header", "count"), [(True, 1), (False, 2)])
def test_whether_the_first_row_holds_names_can_be_said(
    converting: Converting, header: bool, count: int
) -> None:
    assert len(converting("1,2\n3,4\n", "csv", "json", header=header).json) == count


@pytest.mark.parametrize(
    ("target", "content"),
    [("json", b"[]\n"), ("csv", b"a,b\n"), ("tsv", b"a\tb\n")],
)
def test_names_without_rows_are_an_empty_table(
    converting: Converting, target: str, content: bytes
) -> None:
    result = converting("a,b\n", "csv", target)

    assert result.content == content
    assert result.facts["rows"] == 0


@pytest.mark.parametrize("target", ["parquet", "arrow", "xlsx"])
def test_names_without_rows_stay_names(converting: Converting, target: str) -> None:
    assert converting("a,b\n", "csv", target).texts == [["a", "b"]]


@pytest.mark.parametrize("content", ["", "\n\n\n", "\ufeff"])
def test_a_file_with_nothing_in_it_is_refused(converting: Converting, content: str) -> None:
    refused = converting(content, "csv", "json").refused

    assert refused.code == "corrupt_input"
    assert "empty" in str(refused.detail) or "nothing in it" in str(refused.detail)


def test_empty_lines_of_a_single_column_are_empty_cells(converting: Converting) -> None:
    result = converting("name\nx\n\ny\n", "csv", "json")

    assert result.json == [{"name": "x"}, {"name": ""}, {"name": "y"}]
    assert converting("name\nx\n\ny\n", "csv", "csv").csv == [["name"], ["x"], [""], ["y"]]


def test_more_rows_than_allowed_are_refused_with_the_number(converting: Converting) -> None:
    refused = converting("a,b\n" + "1,2\n" * 9_000, "csv", "json", Limits(max_rows=8000)).refused

    assert refused.code == "too_many_rows"
    assert "8,000" in str(refused.detail)
    assert "ROWMILL_MAX_ROWS" in str(refused.detail)


def test_more_columns_than_allowed_are_refused_with_the_number(converting: Converting) -> None:
    refused = converting("x," * 60_000 + "\n", "csv", "json").refused

    assert refused.code == "too_many_columns"
    assert "60,001" in str(refused.detail)


@pytest.mark.parametrize(
    ("option", "given"), [("types", "guess"), ("delimiter", "ab"), ("colour", "red")]
)
def test_wrong_options_are_refused(converting: Converting, option: str, given: str) -> None:
    assert converting("a,b\n1,2\n", "csv", "json", **{option: given}).refused.code == "bad_options"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_nul_behind_a_byte_order_mark_is_part_of_its_cell(
    converting: Converting, encoding: str
) -> None:
    result = converting("\ufeffa,b\n1,x\0y\n2,z\n".encode(encoding), "csv", "json")

    assert result.json == [{"a": "1", "b": "x\0y"}, {"a": "2", "b": "z"}]


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("id,flag\n", "1,\0\n2,\0\n3,\0\n"),
        ("id,b\n", "1,\0\n2,\0\n"),
        ("a,b\n", "1,\0\n\0,2\n"),
        ("id,b,c\n", "1,\0,2\n" * 4),
        ("id,flag,more\n" + "1,2\n" * 100_000, "1,\0\n" * 50),
    ],
    ids=["even", "odd", "both", "three", "late"],
)
def test_a_nul_in_each_row_is_no_utf_16(converting: Converting, head: str, rows: str) -> None:
    """Databases write a bit so; where each row has the same length, half of the pairs have one."""
    result = converting(head + rows, "csv", "tsv")

    assert result.facts["encoding"] == "UTF-8"
    last = rows.splitlines()[-1].split(",")
    assert result.tsv[-1][: len(last)] == last


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "rows",
    [
        [["name", "city"]],
        [["a", "b"], ["1", "2"]],
        [["名前"], ["三上"], ["主"]],
        [["Report"], ["a", "b"], ["1", "2"]],
        [["a, b", "c"], ["x, y", "z"]],
    ],
    ids=str,
)
def test_utf_16_without_a_mark_may_have_few_rows(
    converting: Converting, encoding: str, rows: list[list[str]]
) -> None:
    content = "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows).encode(encoding)

    result = converting(content, "csv", "csv", header=False)

    assert [[cell for cell in row if cell] for row in result.csv] == rows
