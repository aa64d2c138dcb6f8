"""Parquet, Arrow and Feather: typed columns of every kind become text that means the same."""

import io
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from tests.worker.converters.table.conftest import Converting
from tests.worker.converters.table.feathers import feather

NOON = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)
COLUMNS: dict[str, tuple[pl.Series, Any, Any]] = {
    # what it holds, as text in csv, as a value in JSON
    "int": (pl.Series([1], dtype=pl.Int32), "1", 1),
    "long": (pl.Series([2**63 - 1]), "9223372036854775807", 2**63 - 1),
    "unsigned": (pl.Series([2**64 - 1], dtype=pl.UInt64), "18446744073709551615", 2**64 - 1),
    "float": (pl.Series([0.1]), "0.1", 0.1),
    "short float": (pl.Series([0.1], dtype=pl.Float32), "0.1", 0.1),
    "truth": (pl.Series([True]), "true", True),
    "text": (pl.Series(["00123"]), "00123", "00123"),
    "decimal": (pl.Series([Decimal("12.30")], dtype=pl.Decimal(10, 2)), "12.30", 12.3),
    "date": (pl.Series([date(2024, 2, 29)]), "2024-02-29", "2024-02-29"),
    "moment": (
        pl.Series([NOON.replace(tzinfo=None)]), "2024-03-01T12:00:00", "2024-03-01T12:00:00",
    ),
    "nanoseconds": (
        pl.Series([1709294400000000001]).cast(pl.Datetime("ns")),
        "2024-03-01T12:00:00.000000001", "2024-03-01T12:00:00.000000001",
    ),
    "zoned": (
        pl.Series([NOON]).dt.convert_time_zone("Europe/Berlin"),
        "2024-03-01T13:00:00+01:00", "2024-03-01T13:00:00+01:00",
    ),
    "time": (pl.Series([time(13, 5, 0, 500_000)]), "13:05:00.500", "13:05:00.500"),
    "span": (pl.Series([timedelta(hours=30, microseconds=5)]), "30:00:00.000005",
             "30:00:00.000005"),
    "category": (pl.Series(["x"], dtype=pl.Categorical), "x", "x"),
    "enum": (pl.Series(["x"], dtype=pl.Enum(["x", "y"])), "x", "x"),
    "bytes": (pl.Series([b"\xff\x00"]), "/wA=", "/wA="),
    "old text": (pl.Series([b"na\xc3\xafve"]), "naïve", "naïve"),
    "list": (pl.Series([[1, None]]), "[1,null]", [1, None]),
    "array": (pl.Series([[1.5, 2.0]], dtype=pl.Array(pl.Float64, 2)), "[1.5,2.0]", [1.5, 2.0]),
    "object": (
        pl.Series([{"a": date(2024, 1, 1), "b": [b"\xff"], "c": Decimal("1.50")}]),
        '{"a":"2024-01-01","b":["/w=="],"c":1.50}',
        {"a": "2024-01-01", "b": ["/w=="], "c": 1.5},
    ),
    "nothing": (pl.Series([None]), "", None),
}  # fmt: skip


def _parquet(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def _arrow(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_ipc(out)
    return out.getvalue()


MAKERS: dict[str, Callable[[pl.DataFrame], bytes]] = {"parquet": _parquet, "arrow": _arrow}


@pytest.fixture(params=sorted(MAKERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_every_type_becomes_text(converting: Converting, kind: str, name: str) -> None:
    column, text, _ = COLUMNS[name]
    frame = pl.DataFrame({"key": ["a", "b"], name: pl.concat([column, column.clear(1)])})

    result = converting(MAKERS[kind](frame), kind, "csv")

    assert result.csv == [["key", name], ["a", text], ["b", ""]]


@pytest.mark.parametrize("name", sorted(COLUMNS))
@pytest.mark.parametrize("target", ["json", "ndjson"])
def test_every_type_becomes_json(converting: Converting, target: str, name: str) -> None:
    column, _, value = COLUMNS[name]
    frame = pl.DataFrame({name: pl.concat([column, column.clear(1)])})

    result = converting(_parquet(frame), "parquet", target)

    rows = result.json if target == "json" else result.ndjson
    assert rows == [{name: value}, {name: None}]


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_every_type_becomes_a_cell(converting: Converting, name: str) -> None:
    column, text, _ = COLUMNS[name]
    frame = pl.DataFrame({"key": ["a"], name: column})

    cell = converting(_parquet(frame), "parquet", "xlsx").sheet[1][1:]

    shown = {"date": date(2024, 2, 29), "moment": NOON.replace(tzinfo=None), "truth": True,
             "time": time(13, 5, 0, 500_000), "decimal": 12.3, "int": 1, "float": 0.1,
             "short float": 0.1, "span": timedelta(hours=30)}  # fmt: skip
    assert cell == [shown.get(name, text)]


def test_types_stay_what_they_are_between_the_two(converting: Converting) -> None:
    frame = pl.DataFrame({name: column for name, (column, _, _) in COLUMNS.items()})
    frame = frame.drop("nothing", "old text")

    there = converting(_arrow(frame), "arrow", "parquet").frame

    assert there.schema == frame.schema
    assert there.equals(frame)


def test_bytes_that_are_text_in_some_rows_only_are_bytes_in_all(converting: Converting) -> None:
    frame = pl.DataFrame({"a": [b"text", b"\xff"]})

    result = converting(_parquet(frame), "parquet", "csv")

    assert result.csv == [["a"], ["dGV4dA=="], ["/w=="]]
    assert "Base64" in result.notes


def test_what_json_has_no_number_for_is_null_and_said_to_be(converting: Converting) -> None:
    frame = pl.DataFrame({"a": [1.5, float("nan"), float("inf")]})

    result = converting(_parquet(frame), "parquet", "json")

    assert result.json == [{"a": 1.5}, {"a": None}, {"a": None}]
    assert "became null" in result.notes
    assert converting(_parquet(frame), "parquet", "csv").csv[1:] == [["1.5"], ["NaN"], ["inf"]]


def test_rows_in_many_groups_keep_their_order(converting: Converting, kind: str) -> None:
    frame = pl.DataFrame({"n": range(300_000), "t": pl.Series(range(300_000)).cast(pl.String)})

    result = converting(MAKERS[kind](frame), kind, "csv")

    assert [int(row[0]) for row in result.csv[1:]] == list(range(300_000))


def test_years_that_python_does_not_know_are_written(converting: Converting) -> None:
    frame = pl.DataFrame({"d": pl.Series([4_000_000, 0], dtype=pl.Int32).cast(pl.Date)})

    for target in ("csv", "xlsx", "json"):
        assert "12921" in str(converting(_parquet(frame), "parquet", target).texts[1])


def test_a_table_without_rows_or_columns(converting: Converting, kind: str) -> None:
    empty = pl.DataFrame(schema={"a": pl.Int64, "b": pl.String})

    assert converting(MAKERS[kind](empty), kind, "csv").csv == [["a", "b"]]
    assert converting(MAKERS[kind](empty), kind, "json").json == []


def test_a_feather_1_file_of_every_type(converting: Converting) -> None:
    made = feather(
        {
            "text": ("text", ["a", None, "ü"]),
            "bytes": ("bytes", [b"\xff", None, b"x"]),
            "n": ("q", [1, 2, 3]),
            "real": ("d", [0.5, None, 1.0]),
            "truth": ("bool", [True, None, False]),
            "category": ("i", [1, None, 0]),
            "moment": ("q", [1709294400000, None, 0]),
            "day": ("i", [19_782, None, 0]),
            "time": ("q", [3_600_000_000, None, 0]),
        },
        category=("category", ["x", "y"]),
        moment=("timestamp", "Europe/Berlin"),
        day=("date", None),
        time=("time", None),
    )

    frame = converting(made, "feather", "parquet").frame

    berlin = ZoneInfo("Europe/Berlin")
    assert frame.rows() == [
        ("a", b"\xff", 1, 0.5, True, "y", NOON.astimezone(berlin), date(2024, 2, 29), time(1)),
        (None, None, 2, None, None, None, None, None, None),
        ("ü", b"x", 3, 1.0, False, "x", datetime(1970, 1, 1, 1, tzinfo=berlin), date(1970, 1, 1),
         time()),
    ]  # fmt: skip


def test_a_long_feather_1_file_is_read_slice_by_slice(converting: Converting) -> None:
    values = [None if n % 7 == 0 else f"t{n}" for n in range(120_001)]
    made = feather({"n": ("q", range(120_001)), "t": ("text", values)})

    frame = converting(made, "feather", "arrow").frame

    assert frame["n"].to_list() == list(range(120_001))
    assert frame["t"].to_list() == values
