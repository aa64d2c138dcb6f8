"""Reads Feather 1, the format before Arrow files: columns of bytes and a footer that finds them."""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from worker.converters.refusal import Refusal
from worker.converters.table.flatbuffer import Node
from worker.converters.table.refusal import blamed_on, damaged
from worker.converters.table.request import Request
from worker.converters.table.table import FrameTable, Schema

_MAGIC = b"FEA1"
_SLICE = 50_000
_UTF8, _BINARY = 11, 12
_NUMBERS = {
    1: ("b", pl.Int8()),
    2: ("h", pl.Int16()),
    3: ("i", pl.Int32()),
    4: ("q", pl.Int64()),
    5: ("B", pl.UInt8()),
    6: ("H", pl.UInt16()),
    7: ("I", pl.UInt32()),
    8: ("Q", pl.UInt64()),
    9: ("f", pl.Float32()),
    10: ("d", pl.Float64()),
}
_IN_A_SECOND = (1, 1_000, 1_000_000, 1_000_000_000)


class Feather(FrameTable):
    """A Feather 1 file, mapped into memory and read a slice of rows at a time."""

    has_names = True

    def __init__(self, request: Request) -> None:
        self._request = request
        self._damaged = damaged("feather")
        with request.source.open("rb") as file:
            if request.source.stat().st_size < len(_MAGIC) * 2 + 4:
                raise self._damaged
            self._data = request.keep(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        with blamed_on(self._damaged):
            footer = self._footer()
            self.rows = footer.number(1, "q")
            self._columns = [_column(node) for node in footer.nodes(2)]
            if self.rows < 0 or any(one.length != self.rows for one in self._columns):
                raise self._damaged
            self._schema = [self._read(one, 0, 0).dtype for one in self._columns]
        if not self._columns:
            raise Refusal("corrupt_input", "The file holds no table: it has no columns.")
        request.check_rows(self.rows)
        self.names = tuple(column.name for column in self._columns)

    @property
    def schema(self) -> Schema:
        return dict(zip(self.unique, self._schema, strict=True))

    def frames(self) -> Iterator[pl.DataFrame]:
        with blamed_on(self._damaged):
            for start in range(0, self.rows, _SLICE):
                end = min(self.rows, start + _SLICE)
                self._request.meter.tell(end / self.rows)
                yield pl.DataFrame(
                    [
                        self._read(column, start, end).alias(name)
                        for name, column in zip(self.unique, self._columns, strict=True)
                    ]
                )

    def _footer(self) -> Node:
        if self._data[:4] != _MAGIC or self._data[-4:] != _MAGIC:
            raise self._damaged
        size = int.from_bytes(self._data[-8:-4], "little")
        if size + 12 > len(self._data):
            raise self._damaged
        return Node.root(self._data[-8 - size : -8])

    def _read(self, column: "_Column", start: int, end: int) -> pl.Series:
        values = _values(_Buffers(self._data, column), start, end)
        match column.kind:
            case "category" if column.levels is not None:
                levels = self._read(column.levels, 0, column.levels.length)
                return levels.gather(values) if len(levels) else pl.Series([None] * len(values))
            case "timestamp":
                moments = _scaled(values, column.unit, 6).cast(pl.Datetime("us"))
                if column.zone:
                    return moments.dt.replace_time_zone("UTC").dt.convert_time_zone(column.zone)
                return moments
            case "date":
                return values.cast(pl.Int32).cast(pl.Date)
            case "time":
                return _scaled(values, column.unit, 9).cast(pl.Time)
            case _:
                return values


@dataclass(frozen=True)
class _Column:
    name: str
    type: int
    offset: int
    length: int
    nulls: int
    bytes: int
    kind: str = ""  # what the numbers stand for, if not for themselves
    unit: int = 0
    zone: str = ""
    levels: "_Column | None" = None


def _column(node: Node) -> _Column:
    array, meaning = node.node(1), node.node(3)
    assert array is not None  # noqa: S101 - what is wrong with the file is caught above
    kind = ("", "category", "timestamp", "date", "time")[node.number(2, "b")]
    return _array(
        node.text(0),
        array,
        kind=kind,
        unit=meaning.number(0, "b") if meaning and kind in ("timestamp", "time") else 0,
        zone=meaning.text(1) if meaning and kind == "timestamp" else "",
        levels=_levels(meaning) if kind == "category" else None,
    )


def _levels(meaning: Node | None) -> _Column | None:
    array = meaning.node(0) if meaning else None
    return _array("", array) if array else None


def _array(name: str, node: Node, **more: object) -> _Column:
    numbers = (node.number(field, "q") for field in (2, 3, 4, 5))
    return _Column(name, node.number(0, "b"), *numbers, **more)  # type: ignore[arg-type]


class _Buffers:
    """Where the parts of a column lie: which values are there, where texts end, the values."""

    def __init__(self, data: mmap.mmap, column: _Column) -> None:
        self._data = data
        self.column = column
        if not 0 <= column.offset <= column.offset + column.bytes <= len(data):
            raise ValueError("it points outside of the file")
        at = column.offset
        self.valid = at if column.nulls else None
        at += _padded(-(-column.length // 8)) if column.nulls else 0
        self.ends = at
        self.values = at + _padded(4 * (column.length + 1))

    def numbers(self, kind: str, at: int, start: int, end: int) -> list[int]:
        size = memoryview(b"").cast(kind).itemsize  # type: ignore[call-overload]
        part = self._data[at + start * size : at + end * size]
        return list(memoryview(part).cast(kind))  # type: ignore[call-overload]

    def bits(self, at: int, start: int, end: int) -> list[bool]:
        part = self._data[at + start // 8 : at + -(-end // 8)]
        return [bool(part[(n >> 3) - (start >> 3)] >> (n & 7) & 1) for n in range(start, end)]

    def pieces(self, start: int, end: int) -> list[bytes]:
        ends = self.numbers("i", self.ends, start, end + 1)
        return [
            self._data[self.values + first : self.values + last] for first, last in pairwise(ends)
        ]


def _values(buffers: _Buffers, start: int, end: int) -> pl.Series:
    values, dtype = _raw(buffers, start, end)
    if len(values) != end - start:
        raise ValueError("a column ends early")
    if buffers.valid is not None:
        there = buffers.bits(buffers.valid, start, end)
        values = [value if yes else None for value, yes in zip(values, there, strict=True)]
    return pl.Series(values, dtype=dtype)


def _raw(buffers: _Buffers, start: int, end: int) -> tuple[list[object], pl.DataType]:
    kind = buffers.column.type
    if kind in _NUMBERS:
        code, dtype = _NUMBERS[kind]
        return list(buffers.numbers(code, buffers.ends, start, end)), dtype
    if kind == 0:
        return list(buffers.bits(buffers.ends, start, end)), pl.Boolean()
    if kind == _UTF8:
        return [piece.decode() for piece in buffers.pieces(start, end)], pl.String()
    if kind == _BINARY:
        return list(buffers.pieces(start, end)), pl.Binary()
    raise ValueError(f"type {kind} is not known")


def _padded(length: int) -> int:
    return -(-length // 8) * 8


def _scaled(values: pl.Series, unit: int, wanted: int) -> pl.Series:
    """Return counts of seconds, milli-, micro- or nanoseconds as those of 10 ** -wanted."""
    have, want = _IN_A_SECOND[unit], 10**wanted
    scaled: pl.Series = values * (want // have) if want >= have else values // (have // want)
    return scaled
