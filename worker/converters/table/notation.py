"""Reads JSON: each object is a row, and the names of all of them are the columns."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from worker.converters.refusal import Refusal
from worker.converters.table.cells import Cell, as_json
from worker.converters.table.dialect import find_encoding
from worker.converters.table.kinds import Kind
from worker.converters.table.names import listed, numbered
from worker.converters.table.request import Request
from worker.converters.table.table import BLOCK_CELLS, Block, CellTable
from worker.converters.table.values import Values

_LINE_END = re.compile(r"[ \t]*[\r\n]\s*")
_HALF = re.compile("[\ud800-\udfff]")
_LINES = 2000
_VALUE = "value"

_Object = dict[str, Cell]


class Notation(CellTable):
    """A table in JSON. Only who asks for its columns makes it look at all rows first."""

    has_names = True

    def __init__(self, request: Request) -> None:
        self._request = request
        self._size = request.source.stat().st_size
        if not self._size:
            raise Refusal("corrupt_input", "The file is empty.")
        encoding, start = find_encoding(request)
        in_lines = request.source_format == "ndjson"
        self._values = Values(request.source, encoding=encoding, start=start, in_lines=in_lines)

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]  # found only when asked for
        return tuple(self._columns)

    @property
    def kinds(self) -> tuple[Kind, ...]:  # type: ignore[override]
        return tuple(self._columns.values())

    def blocks(self) -> Iterator[Block]:
        names = self.names
        height = max(1, BLOCK_CELLS // max(1, len(names)))
        rows = (_row(value) for value, _ in self._read())
        while part := list(islice(rows, height)):
            yield [[row.get(name) for name in names] for row in part]

    def lines(self) -> Iterator[bytes]:
        """Yield the values as they are written, order and digits and all, each on one line."""
        texts = (self._line(value, text) for value, text in self._read())
        while part := list(islice(texts, _LINES)):
            yield "".join(part).encode()
        if self._values.has_constants:
            self._warn_of_doubled_names()

    @cached_property
    def _columns(self) -> dict[str, Kind]:
        columns: dict[str, Kind] = {}
        rows = (_row(value) for value, _ in self._read())
        seen = 0
        while part := list(islice(rows, _LINES)):
            seen += len(part)
            for name in dict.fromkeys(name for row in part for name in row):
                columns.setdefault(name, Kind()).see([row.get(name) for row in part])
            self._request.check_columns(len(columns))
            self._request.check_cells(seen, len(columns))
        if not columns:
            raise Refusal("corrupt_input", "The file holds no table: there is no object in it.")
        self._warn_of_doubled_names()
        return columns

    def _read(self) -> Iterator[tuple[Any, str]]:
        count = 0
        for value, text in self._values.read(self._tell):
            count += 1
            self._request.check_rows(count)
            yield _whole_letters(value, text), text
        self.rows = count

    def _warn_of_doubled_names(self) -> None:
        if doubled := tuple(self._values.doubled):
            self._request.note(
                "Some objects have a name more than once; of its values the last one was kept: "
                f"{listed(doubled)}."
            )

    def _tell(self, read: int) -> None:
        self._request.meter.tell(read / self._size)

    def _line(self, value: Any, text: str) -> str:
        if self._values.has_constants or not text.isprintable():
            text = self._tidied(value, text)
        return text + "\n"

    def _tidied(self, value: Any, text: str) -> str:
        """Line ends stand only between the parts of a value; within a text they are escaped."""
        if self._values.has_constants:
            self._request.note("NaN and Infinity, which JSON does not know, became null.")
            return as_json(value)
        return _LINE_END.sub("", text)


def _row(value: Any) -> _Object:
    """Return an object as it is, a list by numbers, and a single value under a name."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return dict(zip(numbered(len(value)), value, strict=True))
    return {_VALUE: value}


def _whole_letters(value: Any, text: str) -> Any:
    r"""Replace the halves of letters that only an escape such as \ud800 can write."""
    if "\\ud" not in text and "\\uD" not in text:
        return value
    match value:
        case str():
            return _HALF.sub("\ufffd", value)
        case list():
            return [_whole_letters(one, text) for one in value]
        case dict():
            return {
                _HALF.sub("\ufffd", name): _whole_letters(one, text) for name, one in value.items()
            }
        case _:
            return value
