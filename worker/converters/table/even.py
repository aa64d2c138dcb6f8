"""Reads CSV and TSV whose rows are all as wide as the first: in one pass, most of it by polars.

That they are is taken on trust and checked piece by piece, so that no look at all of the text has
to come first. What is Uneven has to be read by `delimited`, from its beginning, which takes any
text and tells what is odd about it. What both can read comes out the same.
"""

import codecs
import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import polars as pl
from polars.exceptions import PolarsError

from app.formats.encodings import codec
from worker.converters.refusal import Refusal
from worker.converters.table.dialect import Dialect, find
from worker.converters.table.names import has_names, numbered
from worker.converters.table.pieces import PIECE_BYTES, Endless, pieces
from worker.converters.table.request import MOST_COLUMNS, Request
from worker.converters.table.rowframe import framed
from worker.converters.table.table import FrameTable, Schema

_HEAD = 64 * 1024
_MARK = codecs.BOM_UTF8


class Uneven(Exception):
    """The text does not go on as it begins."""


class Even(FrameTable):
    """A table that is read as long as it is even; `frames` raises Uneven where it no longer is."""

    def __init__(
        self, request: Request, dialect: Dialect, first: "_FirstRow", *, piece_bytes: int
    ) -> None:
        self._request, self._dialect, self._piece_bytes = request, dialect, piece_bytes
        self._width = len(first.cells)
        self.has_names = has_names(request, first.cells)
        self._start = first.end if self.has_names else dialect.start
        self.names = tuple(first.cells) if self.has_names else numbered(self._width)
        self.rows = 0
        request.facts.update(encoding=dialect.encoding_title, delimiter=dialect.delimiter_title)

    @property
    def schema(self) -> Schema:
        return dict.fromkeys(self.unique, pl.String())

    def frames(self) -> Iterator[pl.DataFrame]:
        self.rows = 0
        size = self._dialect.size
        with self._request.source.open("rb") as file:
            found = pieces(file.fileno(), start=self._start, size=size, most=self._piece_bytes)
            while (piece := self._next(found)) is not None:
                text, end = piece
                frame = self._frame(text)
                self.rows += frame.height
                self._request.check_rows(self.rows + self.has_names)  # it has no gaps to check
                self._request.meter.tell(end / size)
                yield frame

    def _next(self, found: Iterator[tuple[bytes, int]]) -> tuple[bytes, int] | None:
        try:
            return next(found, None)
        except Endless as error:
            raise Uneven from error

    def _frame(self, piece: bytes) -> pl.DataFrame:
        if b"\0" in piece:  # for a text with these, the encoding is found in another way
            raise Uneven
        if not piece.endswith(b"\n"):
            piece += b"\n"
        if b'"' in piece or piece.startswith((_MARK, b"\n")):
            return self._by_csv(piece)
        returns = piece.count(b"\r") if b"\r" in piece else 0
        if returns and piece.count(b"\r\n") != returns:
            return self._by_csv(piece)
        return self._by_polars(piece, returns)

    def _by_polars(self, piece: bytes, returns: int) -> pl.DataFrame:
        """Read rows without any quote. Too many cells in a row are an error of polars.

        It fills up a row with too few, and says nothing; but then there are fewer bytes between
        the cells than there must be: one behind each.
        """
        try:
            frame = pl.read_csv(
                piece,
                has_header=False,
                schema=self.schema,
                separator=self._dialect.delimiter,
                quote_char=None,
                empty_string_is_null=False,
                glob=False,
            )
        except PolarsError as error:
            raise Uneven from error
        within = sum(frame.select(pl.all().str.len_bytes().cast(pl.Int64).sum()).row(0))
        if len(piece) - within != returns + frame.height * self._width:
            raise Uneven
        return frame

    def _by_csv(self, piece: bytes) -> pl.DataFrame:
        """Read any rows. As the reader accepts the end of the piece, a row ends there."""
        try:
            text = io.StringIO(piece.decode(), newline="")
            rows = list(csv.reader(text, delimiter=self._dialect.delimiter, strict=True))
        except (UnicodeDecodeError, csv.Error) as error:
            raise Uneven from error
        if set(map(len, rows)) != {self._width}:
            raise Uneven
        return framed(rows, self.schema)


def begun_even(request: Request, *, piece_bytes: int = PIECE_BYTES) -> Even | None:
    """Return the table if its text begins as an even one does."""
    if request.wish.encoding is not None and codec(request.wish.encoding) != "utf-8":
        return None
    with request.source.open("rb") as file:
        head = file.read(_HEAD)
    with suppress(UnicodeDecodeError, Refusal):
        codecs.getincrementaldecoder("utf-8")().decode(head)
        start = len(_MARK) if head.startswith(_MARK) else 0
        dialect = find(request, encoding=("utf-8", start))
        if dialect.delimiter.isascii() and (first := _first_row(request, dialect)) is not None:
            return Even(request, dialect, first, piece_bytes=piece_bytes)
    return None


@dataclass(frozen=True)
class _FirstRow:
    cells: list[str]
    end: int


def _first_row(request: Request, dialect: Dialect) -> _FirstRow | None:
    """Return the row in the first line, if it has two cells or more."""
    with request.source.open("rb") as file:
        file.seek(dialect.start)
        line = file.readline(_HEAD)
        end = file.tell()
    if not line.endswith(b"\n") or b"\0" in line or b"\r" in line.removesuffix(b"\r\n"):
        return None
    with suppress(UnicodeDecodeError, csv.Error):
        rows = list(csv.reader([line.decode()], delimiter=dialect.delimiter, strict=True))
        if 1 < len(rows[0]) <= MOST_COLUMNS:
            return _FirstRow(rows[0], end)
    return None
