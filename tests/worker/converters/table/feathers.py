"""Small Feather 1 files, written by hand: no program of today makes them."""

import struct
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

_TYPES = {"bool": 0, "i": 3, "q": 4, "d": 10, "text": 11, "bytes": 12}
_KINDS = {"category": 1, "timestamp": 2, "date": 3, "time": 4}

Field = Any


def feather(columns: dict[str, tuple[str, Sequence[Any]]], **kinds: tuple[str, Any]) -> bytes:
    """Return a file of columns {name: (type, values)}.

    A kind says what a column of numbers stands for: ("category", levels), ("timestamp", zone),
    ("date", None), ("time", None); the last but one in milliseconds, the last in microseconds.
    """
    data = b"FEA1\0\0\0\0"
    described = []
    count = 0
    for name, (kind, values) in columns.items():
        count = len(values)
        array, data = _array(kind, values, data)
        meaning: Field = None
        number = 0
        if name in kinds:
            word, more = kinds[name]
            number = _KINDS[word]
            if word == "category":
                levels, data = _array("text", more, data)
                meaning = _Table([levels])
            elif word == "timestamp":
                meaning = _Table([("b", 1), more])
            else:
                meaning = _Table([("b", 2)])
        described.append(_Table([name, array, ("B", number), meaning]))
    footer = _buffer(_Table([None, ("q", count), described, ("i", 2)]))
    return data + footer + struct.pack("<I", len(footer)) + b"FEA1"


class _Table:
    def __init__(self, fields: list[Field]) -> None:
        self.fields = fields


def _array(kind: str, values: Sequence[Any], data: bytes) -> tuple[_Table, bytes]:
    """Append the values to the data; return what the footer says of them."""
    start = len(data)
    nulls = sum(value is None for value in values)
    if nulls:
        data += _aligned(_bits([value is not None for value in values]))
    if kind in ("text", "bytes"):
        pieces = [_piece(value) for value in values]
        ends = [0, *accumulate(map(len, pieces))]
        data += _aligned(struct.pack(f"<{len(ends)}i", *ends)) + _aligned(b"".join(pieces))
    elif kind == "bool":
        data += _aligned(_bits([bool(value) for value in values]))
    else:
        data += _aligned(struct.pack(f"<{len(values)}{kind}", *(value or 0 for value in values)))
    numbers = [start, len(values), nulls, len(data) - start]
    return _Table([("b", _TYPES[kind]), ("b", 0), *(("q", one) for one in numbers)]), data


def _piece(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else value or b""


def _bits(values: Sequence[bool]) -> bytes:
    packed = sum(value << at for at, value in enumerate(values))
    return packed.to_bytes(-(-len(values) // 8), "little")


def _aligned(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 8) * 8, b"\0")


def _buffer(root: _Table) -> bytes:
    out = bytearray(4)
    struct.pack_into("<I", out, 0, _place(root, out))
    return bytes(out)


def _place(item: Field, out: bytearray) -> int:
    """Append a text, a list or a table and what belongs to it; return where it begins."""
    if isinstance(item, str):
        at = len(out)
        out += struct.pack("<I", len(item.encode())) + item.encode() + b"\0"
        return at
    if isinstance(item, list):
        at = len(out)
        out += struct.pack("<I", len(item)) + bytes(4 * len(item))
        for number, one in enumerate(item):
            place = at + 4 + 4 * number
            struct.pack_into("<I", out, place, _place(one, out) - place)
        return at
    return _place_table(item, out)


def _place_table(item: _Table, out: bytearray) -> int:
    sizes = [0 if f is None else 4 if not isinstance(f, tuple) else struct.calcsize("<" + f[0])
             for f in item.fields]  # fmt: skip
    map_at = len(out)
    out += bytes(4 + 2 * len(sizes))
    at = len(out)
    out += struct.pack("<i", at - map_at) + bytes(sum(sizes))
    struct.pack_into("<HH", out, map_at, 4 + 2 * len(sizes), 4 + sum(sizes))
    offset = 4
    for number, (field, size) in enumerate(zip(item.fields, sizes, strict=True)):
        if field is not None:
            struct.pack_into("<H", out, map_at + 4 + 2 * number, offset)
            if isinstance(field, tuple):
                struct.pack_into("<" + field[0], out, at + offset, field[1])
            else:
                struct.pack_into("<I", out, at + offset, _place(field, out) - at - offset)
        offset += size
    return at
