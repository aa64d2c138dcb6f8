"""JSON: arrays, lines, single objects; keys that differ, values inside values, every digit."""

import json

import polars as pl
import pytest

from tests.worker.converters.table.conftest import Converting
from worker.converters.limits import Limits


def test_objects_with_different_keys_share_all_columns(converting: Converting) -> None:
    result = converting('[{"a": 1}, {"b": "x", "a": null}, {"c": true}]', "json", "csv")

    assert result.csv == [["a", "b", "c"], ["1", "", ""], ["", "x", ""], ["", "", "true"]]


def test_a_key_that_comes_late_is_a_column_all_the_same(converting: Converting) -> None:
    lines = '{"a": 1}\n' * 30_000 + '{"late": 2}\n'

    result = converting(lines, "ndjson", "parquet")

    assert result.frame.columns == ["a", "late"]
    assert result.frame["late"].drop_nulls().to_list() == [2]


def test_values_inside_values_are_json_and_not_python(converting: Converting) -> None:
    content = '[{"a": {"b": [1, null, true, "é\\""], "c": 1.50}, "d": []}]'

    result = converting(content, "json", "csv")

    assert result.csv[1] == ['{"b":[1,null,true,"é\\""],"c":1.50}', "[]"]
    assert "Lists and objects" in result.notes


@pytest.mark.parametrize(("source", "target"), [("json", "ndjson"), ("ndjson", "json")])
def test_between_json_and_its_lines_nothing_changes(
    converting: Converting, source: str, target: str
) -> None:
    values = [
        '{"b": 1.50, "a": 1E5, "big": 12345678901234567890123, "b": 2}',
        '{"text": "\\u00e9\\ud83d\\ude00 \\n \\/", "none": null, "deep": {"x": [1, 2]}}',
        "[1, 2]",
        '"alone"',
        "3.10",
        "null",
    ]
    joined = {"json": "[\n" + ",\n".join(values) + "\n]\n", "ndjson": "\n".join(values) + "\n"}

    assert converting(joined[source], source, target).content.decode() == joined[target]


def test_indented_json_becomes_lines(converting: Converting) -> None:
    rows = [{"a": [1, {"b": "x  y"}], "c": "line\nbreak"}, {"a": [], "c": ""}]

    result = converting(json.dumps(rows, indent=4), "json", "ndjson")

    assert result.ndjson == rows
    assert len(result.content.splitlines()) == 2


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ('{"a": 1, "b": [2]}', [["a", "b"], ["1", "[2]"]]),
        ("[[1, 2], [3, 4, 5]]", [["column_1", "column_2", "column_3"], ["1", "2", ""],
                                 ["3", "4", "5"]]),
        ('["x", 5]', [["value"], ["x"], ["5"]]),
        ('[{"a": 1}, "x"]', [["a", "value"], ["1", ""], ["", "x"]]),
        ("[]  ", None),
        ("[{}]", None),
    ],
)  # fmt: skip
def test_every_shape_of_json_is_a_table_or_none(
    converting: Converting, content: str, rows: list[list[str]] | None
) -> None:
    result = converting(content, "json", "csv")

    if rows is None:
        assert result.refused.code == "corrupt_input"
    else:
        assert result.csv == rows


@pytest.mark.parametrize(("content", "source"), [("[]", "json"), ("a,b\n", "csv")])
def test_no_rows_are_no_lines_and_no_empty_one(
    converting: Converting, content: str, source: str
) -> None:
    """An empty line is no JSON, and an empty file no result."""
    refused = converting(content, source, "ndjson").refused

    assert refused.code == "output_empty"
    assert "no rows" in str(refused.detail)


@pytest.mark.parametrize("target", ["csv", "parquet", "xlsx"])
def test_a_name_that_stands_twice_in_an_object_is_told(converting: Converting, target: str) -> None:
    result = converting('[{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}]', "json", target)

    assert [cell.removesuffix(".0") for cell in result.texts[1]] == ["3", '{"c":2}']
    assert "the last one was kept: c, a." in result.notes


def test_a_name_that_stands_twice_is_told_of_lines_only_if_it_is_lost(
    converting: Converting,
) -> None:
    kept = converting('[{"a": 1, "a": 2}]', "json", "ndjson")
    assert (kept.content, kept.facts["notes"]) == (b'{"a": 1, "a": 2}\n', [])

    lost = converting('[{"a": 1, "a": NaN}]', "json", "ndjson")
    assert "the last one was kept: a." in lost.notes


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_json_in_another_encoding(converting: Converting, encoding: str) -> None:
    content = '[{"name": "Zoë"}, {"name": "山田"}]'.encode(encoding)

    assert converting(content, "json", "csv").csv == [["name"], ["Zoë"], ["山田"]]


def test_an_array_in_a_file_of_lines_is_the_list_of_rows(converting: Converting) -> None:
    content = '[{"a": 1}, {"a": 2}]\n'

    assert converting(content, "ndjson", "csv").csv == [["a"], ["1"], ["2"]]


def test_objects_over_several_lines_are_read_too(converting: Converting) -> None:
    content = '{"a":\n 1}\n\n{"a": 2}{"a": 3}'

    assert converting(content, "ndjson", "csv").csv == [["a"], ["1"], ["2"], ["3"]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"a": 1}, {"a"', "value 2"),
        ('[{"a": 1}', "not closed"),
        ('[{"a": 1} {"a": 2}]', "comma is missing"),
        ('[{"a": 1}] x', "behind the end"),
        ('{"a": 1}\n{a: 2}\n', "value 2"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"a": "' + "x" * 3_000_000, "value 1 has a text that is not closed"),
    ],
)
def test_broken_json_is_refused_where_it_breaks(
    converting: Converting, content: str, said: str
) -> None:
    refused = converting(content, "ndjson" if "\n" in content else "json", "csv").refused

    assert refused.code in ("corrupt_input", "unsupported_content")
    assert said in str(refused.detail)


def test_values_larger_than_what_is_read_at_once(converting: Converting) -> None:
    long = "y" * 2_500_000
    content = json.dumps([{"a": long}, {"a": "x"}, {"a": long}]) + " " * 2_000_000

    assert [len(row["a"]) for row in converting(content, "json", "ndjson").ndjson] == [
        2_500_000, 1, 2_500_000,
    ]  # fmt: skip


@pytest.mark.parametrize("left", range(1, 9))
def test_a_number_cut_by_the_end_of_a_part_stays_whole(converting: Converting, left: int) -> None:
    """A file is read 256 KiB at a time."""
    head = f'"{"x" * (2**18 - 3 - left)}"\n'

    result = converting(head + "1234567\n89\n", "ndjson", "csv")

    assert result.csv[2:] == [["1234567"], ["89"]]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ("[1, 2, null]", pl.Int64()),
        ("[1, 2.5]", pl.Float64()),
        ("[0.1, 12345.678901]", pl.Float64()),
        ("[true, false]", pl.Boolean()),
        ('["00123", "1E5"]', pl.String()),
        ("[12345678901234567890123]", pl.String()),
        ("[0.1234567890123456789]", pl.String()),
        ("[1, 9007199254740993, 0.5]", pl.String()),
        ('[1, "x"]', pl.String()),
        ("[null]", pl.String()),
    ],
)
def test_a_column_has_the_type_that_holds_every_value_exactly(
    converting: Converting, values: str, dtype: pl.DataType
) -> None:
    result = converting(values, "json", "parquet")

    assert result.frame["value"].dtype == dtype
    texts = [str(value) for value in json.loads(values, parse_float=str, parse_int=str)]
    if dtype == pl.String():
        assert [str(value) for value in result.frame["value"]] == texts


def test_digits_stay_as_they_were_written(converting: Converting) -> None:
    content = '[{"a": 1.50, "b": 1e5, "c": -0, "d": 100000000000000000000, "e": 1E-7}]'

    assert converting(content, "json", "csv").csv[1] == [
        "1.50", "1e5", "-0", "100000000000000000000", "1E-7",
    ]  # fmt: skip


def test_a_number_without_end_is_no_crash(converting: Converting) -> None:
    content = '[{"a": ' + "9" * 10_000 + "}]"

    assert converting(content, "json", "csv").csv[1] == ["9" * 10_000]


def test_nan_is_null_in_json_and_said_to_be(converting: Converting) -> None:
    result = converting('{"a": NaN}\n{"a": -Infinity}\n', "ndjson", "json")

    assert result.json == [{"a": None}, {"a": None}]
    assert "NaN" in result.notes


def test_half_a_letter_breaks_no_target(converting: Converting) -> None:
    content = '[{"a\\ud800": "x\\udfff"}]'

    assert converting(content, "json", "csv").csv == [["a\ufffd"], ["x\ufffd"]]
    assert converting(content, "json", "parquet").frame.rows() == [("x\ufffd",)]
    assert converting(content, "json", "ndjson").content.decode() == content[1:-1] + "\n"


def test_more_values_than_allowed_are_refused(converting: Converting) -> None:
    refused = converting("[1, 2, 3]", "json", "ndjson", Limits(max_rows=2)).refused

    assert refused.code == "too_many_rows"


@pytest.mark.parametrize("target", ["parquet", "arrow", "csv", "xlsx"])
def test_a_list_that_becomes_text_is_said_to_be_json(converting: Converting, target: str) -> None:
    result = converting('[{"a": [1, "x"], "b": 2}]', "json", target)

    assert result.texts[1][0] == '[1,"x"]'
    assert "Lists and objects inside of cells are written as JSON." in result.notes


def test_a_list_that_stays_one_needs_no_word(converting: Converting) -> None:
    assert converting('[{"a": [1, 2]}]', "json", "ndjson").facts["notes"] == []
