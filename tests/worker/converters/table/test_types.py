"""types=auto: columns of text become numbers, dates and truths, and the result says which."""

from typing import Any

import polars as pl
import pytest

from tests.worker.converters.table.conftest import Converting
from tests.worker.converters.table.workbooks import xlsx


def _typed(converting: Converting, *values: str, target: str = "parquet") -> Any:
    content = "key,value\n" + "".join(f'k,"{value}"\n' for value in values)
    return converting(content, "csv", target, types="auto")


@pytest.mark.parametrize(
    ("values", "dtype", "read"),
    [
        (["1", "-20", ""], pl.Int64(), [1, -20, None]),
        (["0", "999999999999999999"], pl.Int64(), [0, 999999999999999999]),
        (["1", "2.5", "-0.25"], pl.Float64(), [1.0, 2.5, -0.25]),
        (["true", "FALSE", ""], pl.Boolean(), [True, False, None]),
        (["2024-02-29", "1999-12-31"], pl.Date(), None),
        (["2024-02-29 12:30:15", "2024-02-29T12:30:15.5"], pl.Datetime("us"), None),
    ],
)
def test_a_column_becomes_what_all_its_values_are(
    converting: Converting, values: list[str], dtype: pl.DataType, read: list[Any] | None
) -> None:
    frame = _typed(converting, *values).frame

    assert frame["value"].dtype == dtype
    assert frame["value"].null_count() == values.count("")
    assert read is None or frame["value"].to_list() == read
    assert frame["key"].dtype == pl.String


@pytest.mark.parametrize(
    "value",
    [
        "00123", "+49", "1E5", "1e5", "-0", "12345678901234567890123", "1.23456789012345678",
        "9223372036854775808", ".5", "5.", "1,5", "1 000", "NA", "null", "Yes", "2024-02-30",
        "2024-13-01", "01/02/2024", "24-01-01", "2024-01-01T12:00:00Z", " 1", "٣", "1\n2",
    ],
)  # fmt: skip
def test_what_would_come_out_as_something_else_stays_text(
    converting: Converting, value: str
) -> None:
    result = _typed(converting, "1" if value[0] in "0+-159. ٣" else "2024-01-01", value)

    assert result.frame["value"].dtype == pl.String
    assert result.frame["value"].to_list()[1] == value
    assert "value" in result.facts["kept_as_text"]


def test_the_result_says_what_changed(converting: Converting) -> None:
    content = "id,price,code,none\n" + "".join(f"{n},{n}.50,0{n},\n" for n in range(1, 10))

    facts = converting(content, "csv", "json", types="auto").facts

    assert facts["types"] == {
        "id": {"type": "whole number", "values": 9, "empty": 0},
        "price": {"type": "number", "values": 9, "empty": 0, "rewritten": 9,
                  "example": "1.50 is now 1.5"},
    }  # fmt: skip
    assert facts["kept_as_text"] == {"code": "01", "none": ""}


def test_the_value_that_spoke_against_is_named(converting: Converting) -> None:
    result = _typed(converting, *map(str, range(100, 200)), "unknown")

    assert result.facts["kept_as_text"]["value"] == "unknown"


def test_a_value_far_down_is_seen(converting: Converting) -> None:
    values = [str(number) for number in range(30_000)]

    assert _typed(converting, *values).frame["value"].dtype == pl.Int64
    assert _typed(converting, *values, "x").frame["value"].to_list() == [*values, "x"]


def test_numbers_are_numbers_in_json_and_in_a_workbook(converting: Converting) -> None:
    assert [row["value"] for row in _typed(converting, "1", "2.5", target="json").json] == [1, 2.5]
    assert [row[1] for row in _typed(converting, "1", "2.5", target="xlsx").sheet[1:]] == [1, 2.5]


def test_text_in_a_workbook_may_become_numbers_too(converting: Converting) -> None:
    made = xlsx([["a", "b"], ["1", 7], ["2", "x"]])

    assert converting(made, "xlsx", "json", types="auto").json == [
        {"a": 1, "b": "7"}, {"a": 2, "b": "x"},
    ]  # fmt: skip
    assert converting(made, "xlsx", "json").json == [{"a": "1", "b": 7}, {"a": "2", "b": "x"}]


def test_csv_stays_byte_for_byte_and_says_why(converting: Converting) -> None:
    result = converting("a,b\n1.50,TRUE\n", "csv", "csv", types="auto")

    assert result.content == b"a,b\n1.50,TRUE\n"
    assert "types=auto changed nothing" in result.notes


def test_the_report_stays_small_however_wide_the_table_is(converting: Converting) -> None:
    wide = ",".join(f"{at} {'long name ' * 30}" for at in range(300))

    facts = converting(f"{wide}\n{','.join('1' * 300)}\n", "csv", "json", types="auto").facts

    assert len(str(facts)) < 30_000
