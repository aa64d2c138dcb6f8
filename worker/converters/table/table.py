"""A table between its source and its target, in whichever shape the target likes best."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import polars as pl

from worker.converters.table import wording
from worker.converters.table.cells import Cell, Row, as_json, as_text
from worker.converters.table.kinds import Kind
from worker.converters.table.names import unique

BLOCK_CELLS = 400_000
_SLICE = 50_000

Block = list[Row]
Schema = dict[str, pl.DataType]


class Table(ABC):
    """Rows under names. It can be read more than once, each time from its beginning.

    `names` are as they were found, so one may stand there twice; `has_names` tells whether the
    source gave any. In frames and in JSON the names are unique.
    """

    names: tuple[str, ...]
    has_names: bool
    rows: int  # known once it has been read

    @cached_property
    def unique(self) -> tuple[str, ...]:
        return unique(self.names)

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @property
    @abstractmethod
    def has_nested(self) -> bool:
        """Whether there are lists or objects in cells."""

    @abstractmethod
    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the rows as frames of the one schema."""

    @abstractmethod
    def texts(self) -> Iterator[pl.DataFrame]:
        """Yield the rows as frames of nothing but text; null where there is no value."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the rows as lists of values, each as wide as the names."""

    @abstractmethod
    def lines(self) -> Iterator[bytes]:
        """Yield the rows as lines of JSON objects, many at a time, each with its line end."""


Named = tuple[str, Table]


class FrameTable(Table):
    """A table whose source gives frames."""

    @property
    def has_nested(self) -> bool:
        return any(dtype.is_nested() for dtype in self.schema.values())

    def texts(self) -> Iterator[pl.DataFrame]:
        for frame in self.frames():
            yield wording.textual(frame)

    def blocks(self) -> Iterator[Block]:
        height = max(1, BLOCK_CELLS // max(1, len(self.names)))
        for frame in self.frames():
            for part in frame.iter_slices(height):
                yield [*wording.for_cells(part).iter_rows()]

    def lines(self) -> Iterator[bytes]:
        if wording.is_plain(self.schema):
            for frame in self.frames():
                for part in frame.iter_slices(_SLICE):
                    yield wording.json_lines(part)
        else:
            yield from _written(self.unique, self.blocks())


class CellTable(Table):
    """A table whose source gives single values, whose kinds a look at all of them has told."""

    kinds: Sequence[Kind]

    @property
    def has_nested(self) -> bool:
        return any(kind.is_nested for kind in self.kinds)

    @property
    def schema(self) -> Schema:
        return dict(zip(self.unique, (kind.dtype for kind in self.kinds), strict=True))

    def frames(self) -> Iterator[pl.DataFrame]:
        for block in self.blocks():
            columns = zip(*block, strict=True)
            yield pl.DataFrame(
                [
                    pl.Series(name, kind.fitted(values), dtype=kind.dtype)
                    for name, kind, values in zip(self.unique, self.kinds, columns, strict=True)
                ]
            )

    def texts(self) -> Iterator[pl.DataFrame]:
        for block in self.blocks():
            columns = zip(*block, strict=True)
            yield pl.DataFrame(
                [
                    pl.Series(name, list(map(_text_or_nothing, values)), dtype=pl.String)
                    for name, values in zip(self.unique, columns, strict=True)
                ]
            )

    def lines(self) -> Iterator[bytes]:
        yield from _written(self.unique, self.blocks())


def _written(names: Sequence[str], blocks: Iterator[Block]) -> Iterator[bytes]:
    """Write objects in the order of the names; the keys are made once."""
    keys = [("," if at else "{") + as_json(name) + ":" for at, name in enumerate(names)]
    for block in blocks:
        rows = iter(block)
        while part := list(islice(rows, 1000)):
            yield "".join(_object(keys, row) for row in part).encode()


def _object(keys: Sequence[str], row: Row) -> str:
    if not keys:
        return "{}\n"
    return "".join(key + as_json(cell) for key, cell in zip(keys, row, strict=True)) + "}\n"


def _text_or_nothing(cell: Cell) -> str | None:
    return None if cell is None else as_text(cell)
