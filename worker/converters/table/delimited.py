"""Reads CSV and TSV: every cell is text, and comes out as it stood there."""

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile, islice
from typing import TextIO

import polars as pl

from worker.converters.refusal import Refusal
from worker.converters.table import lenient
from worker.converters.table.dialect import checked, find
from worker.converters.table.names import has_names, widened
from worker.converters.table.request import Request, counted
from worker.converters.table.rowframe import Rows, framed
from worker.converters.table.table import FrameTable, Schema

_BATCH_BYTES = 8 * 1024**2
_BATCH_CELLS = 600_000


class Delimited(FrameTable):
    """A table in text. One look at all of it comes first: how many rows, and how wide."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._dialect = find(request)
        self._widths = self._survey()
        first = next((row for row in self._all_rows() if row), [])
        self.has_names = has_names(request, first)
        self._width = max(self._widths)
        self.names = widened(first if self.has_names else (), self._width)
        request.check_columns(self._width)
        lines = self._widths.total() - (self._widths[0] if self._width > 1 else 0)
        self.rows = lines - self.has_names
        request.check_cells(self.rows, self._width)
        self._tell_what_was_found()

    @property
    def schema(self) -> Schema:
        return dict.fromkeys(self.unique, pl.String())

    def frames(self) -> Iterator[pl.DataFrame]:
        for rows in self._batches(skip=int(self.has_names)):
            yield framed(self._even(rows), self.schema)

    def _survey(self) -> Counter[int]:
        """Count the rows of each width. Quotes that make no sense are found here too."""
        try:
            return self._count()
        except csv.Error:
            self._dialect.is_strict = False
            self._request.note(
                "Some quotation marks stand where none belongs; they were kept as text."
            )
            return self._count()

    def _count(self) -> Counter[int]:
        widths: Counter[int] = Counter()
        with self._open() as file, checked(file):
            rows = self._reader(file)
            while part := list(map(len, islice(rows, 5000))):
                widths.update(part)
                self._request.check_rows(widths.total() - widths[0])
                self._request.meter.tell(file.buffer.tell() / self._dialect.size)
        if not +Counter({width: count for width, count in widths.items() if width}):
            raise Refusal("corrupt_input", "The file holds no table: there is nothing in it.")
        return widths

    def _batches(self, *, skip: int) -> Iterator[Rows]:
        """Yield rows, as many as make a batch of a bounded size; lines without anything are none.

        In a table of one column such a line is an empty cell.
        """
        with self._open() as file:
            rows = self._all_of(file)
            for _ in range(skip):
                next(rows, None)
            count, most = 200, max(1, _BATCH_CELLS // self._width)
            before = file.buffer.tell()
            while batch := list(islice(rows, count)):
                yield batch
                after = file.buffer.tell()
                self._request.meter.tell(after / self._dialect.size)
                count = _next_count(count, after - before, most)
                before = after

    def _all_rows(self) -> Iterator[list[str]]:
        with self._open() as file:
            yield from self._reader(file)

    def _all_of(self, file: TextIO) -> Iterator[list[str]]:
        rows = self._reader(file)
        if self._width == 1:
            return (row or [""] for row in dropwhile(lambda row: not row, rows))
        return filter(None, rows)

    def _reader(self, file: TextIO) -> Iterator[list[str]]:
        delimiter = self._dialect.delimiter
        if self._dialect.is_strict:
            return csv.reader(file, delimiter=delimiter, strict=True)
        return lenient.rows(file, delimiter)

    def _open(self) -> TextIO:
        return self._dialect.open(self._request.source)

    def _even(self, rows: Rows) -> Rows:
        width = self._width
        if set(map(len, rows)) == {width}:
            return rows
        return [row + [""] * (width - len(row)) for row in rows]

    def _tell_what_was_found(self) -> None:
        dialect, widths = self._dialect, self._widths
        self._request.facts.update(encoding=dialect.encoding_title)
        self._request.facts.update(delimiter=dialect.delimiter_title)
        usual = widths.most_common(1)[0][0] or self._width
        if odd := sum(count for width, count in widths.items() if width not in (0, usual)):
            self._request.note(
                f"{counted(odd, 'row')} with more or fewer cells than {usual}, as most have: "
                "short ones were filled up with empty cells, and no cell was left out."
            )
        if widths[0] and self._width > 1:
            self._request.note(f"{counted(widths[0], 'empty line')} left out.")


def _next_count(count: int, used: int, most: int) -> int:
    """Return how many rows make the next batch, from the bytes that the last one took."""
    fitting = count * 2 if used <= 0 else count * _BATCH_BYTES // used
    return max(1, min(fitting, count * 4, most))
