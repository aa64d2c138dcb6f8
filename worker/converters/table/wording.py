"""Writes columns that a target does not know (dates, spans, lists, bytes) as text or as JSON."""

from collections.abc import Callable
from datetime import date

import polars as pl

from worker.converters.table.cells import as_json, clock

_DATE_AND_TIME = "%Y-%m-%dT%H:%M:%S%.f"
_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
_NUMBERS = (*_INTEGERS, pl.Float32, pl.Float64)
_IN_JSON = (pl.String, pl.Boolean, pl.Null, *_NUMBERS)
_AS_TEXT = (pl.Date, pl.Datetime, pl.Time, pl.Duration, pl.Categorical, pl.Enum, pl.Binary)
_NESTED = (pl.List, pl.Array, pl.Struct)


def textual(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with every column as text."""
    return _mapped(frame, _text)


def for_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame so that its rows hold nothing that has lost digits or its zone."""
    return _mapped(frame, _for_cells)


def is_plain(schema: dict[str, pl.DataType]) -> bool:
    """Whether `json_lines` can write this; the others are written value by value."""
    return all(isinstance(dtype, (*_IN_JSON, *_AS_TEXT)) for dtype in schema.values())


def json_lines(frame: pl.DataFrame) -> bytes:
    """Return the rows as lines of JSON."""
    return _mapped(frame, _for_json).write_ndjson().encode()


def _mapped(frame: pl.DataFrame, change: Callable[[pl.Series], pl.Series]) -> pl.DataFrame:
    return frame.with_columns([change(column) for column in frame.iter_columns()])


def _text(column: pl.Series) -> pl.Series:
    match column.dtype:
        case pl.String():
            return column
        case pl.Datetime() as moment:
            zone = "%:z" if moment.time_zone else ""
            return column.dt.strftime(_DATE_AND_TIME + zone)
        case pl.Time():
            return column.dt.strftime("%H:%M:%S%.f")
        case pl.Duration():
            return _each(column, clock)
        case pl.Binary():
            return column.bin.encode("base64")
        case pl.List() | pl.Array() | pl.Struct():
            return _each(column, as_json)
        case _:
            return column.cast(pl.String)


def _for_json(column: pl.Series) -> pl.Series:
    return _text(column) if isinstance(column.dtype, _AS_TEXT) else column


def _for_cells(column: pl.Series) -> pl.Series:
    match column.dtype:
        case pl.Float32():
            return column.cast(pl.String).cast(pl.Float64)  # 0.1, and not 0.10000000149011612
        case pl.Datetime() as moment if moment.time_zone or not _is_short(column):
            return _text(column)
        case pl.Date() | pl.Datetime() if not _fits(column):
            return _text(column)
        case pl.Categorical() | pl.Enum() | pl.Binary():
            return _text(column)
        case _:
            return column


def _is_short(column: pl.Series) -> bool:
    """Whether no moment has parts of a microsecond, which Python's own type would drop."""
    is_fine = isinstance(column.dtype, pl.Datetime) and column.dtype.time_unit == "ns"
    return not is_fine or not (column.dt.nanosecond() % 1000 != 0).any()


def _fits(column: pl.Series) -> bool:
    """Whether each year is one that Python's own type knows."""
    years = column.dt.year()
    return not ((years < date.min.year) | (years > date.max.year)).any()


def _each(column: pl.Series, write: Callable[..., str]) -> pl.Series:
    written = [None if value is None else write(value) for value in column.to_list()]
    return pl.Series(column.name, written, dtype=pl.String)
