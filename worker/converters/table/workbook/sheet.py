"""One sheet of a workbook as a table: the part of it that has something in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from worker.converters.refusal import Refusal
from worker.converters.table.cells import Row, as_text, looks_like_names
from worker.converters.table.kinds import Kind
from worker.converters.table.names import widened
from worker.converters.table.request import Request
from worker.converters.table.table import BLOCK_CELLS, Block, CellTable
from worker.converters.table.workbook.kept import Kept

_PART = 1000

Tell = Callable[[float], None]


@dataclass(frozen=True)
class Tab:
    """A sheet as the workbook lists it; `key` finds its content."""

    name: str
    key: str
    is_hidden: bool = False


class EmptySheet(Refusal):
    """A sheet has nothing in it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "corrupt_input", f"The sheet {name!r} is empty. Choose another with the option sheet."
        )


class Workbook(Protocol):
    """A file of sheets. `rows` yields each row from the first cell on, empty ones as well."""

    tabs: list[Tab]

    def rows(self, tab: Tab, tell: Tell) -> Iterator[Row]: ...


class Sheet(CellTable):
    """A sheet, without the empty rows and columns around what is in it."""

    def __init__(self, request: Request, book: Workbook, tab: Tab) -> None:
        self.tab = tab
        self._request = request
        self._book = book
        self._left, self._right = 1 << 30, 0
        self._kinds: list[Kind] = []
        self._kept = request.keep(Kept(request.target.parent))
        self.rows = 0
        first = self._survey()
        if first is None:
            raise EmptySheet(tab.name)
        width = self._right - self._left
        request.check_columns(width)
        request.check_cells(self.rows, width)
        self.kinds = [*self._kinds, *(Kind() for _ in range(self._right - len(self._kinds)))][
            self._left : self._right
        ]
        named = [as_text(cell) for cell in self._fitted(first)] if self.has_names else []
        self.names = widened(named, width)

    def blocks(self) -> Iterator[Block]:
        height = max(1, BLOCK_CELLS // len(self.names))
        done = 0
        for rows in self._kept.read():
            for at in range(0, len(rows), height):
                yield [self._fitted(row) for row in rows[at : at + height]]
            done += len(rows)
            self._request.meter.tell(done / self.rows)

    def _survey(self) -> Row | None:
        """Look at all rows: where something stands and of which kind; return the first."""
        first: Row | None = None
        part: list[Row] = []
        for row in self._used():
            self._measure(row)
            if first is None:
                first = row
                self.has_names = _has_names(self._request, row)
                if self.has_names:
                    continue
            part.append(row)
            self.rows += 1
            if len(part) >= _PART:
                self._see(part)
                part = []
        self._see(part)
        self._request.check_rows(self.rows)
        return first

    def _used(self) -> Iterator[Row]:
        """Leave out the empty rows before the first and after the last that has something in it."""
        gap = 0
        begun = False
        for row in self._book.rows(self.tab, self._request.meter.tell):
            if _is_empty(row):
                gap += begun
                self._request.check_rows(gap + self.rows)
                continue
            yield from ([] for _ in range(gap))
            gap, begun = 0, True
            yield row

    def _measure(self, row: Row) -> None:
        if not row:
            return
        right = len(row)
        while right > self._right and row[right - 1] in (None, ""):
            right -= 1
        self._right = max(self._right, right)
        for at in range(min(self._left, right)):
            if row[at] not in (None, ""):
                self._left = at
                break

    def _see(self, part: list[Row]) -> None:
        self._request.check_rows(self.rows)
        self._kept.add(part)
        width = max(map(len, part), default=0)
        self._kinds += (Kind() for _ in range(width - len(self._kinds)))
        for at, kind in enumerate(self._kinds[:width]):
            kind.see([row[at] if at < len(row) else None for row in part])

    def _fitted(self, row: Row) -> Row:
        cells = row[self._left : self._right]
        return [*cells, *[None] * (self._right - self._left - len(cells))]


def _is_empty(row: Row) -> bool:
    return all(cell is None or cell == "" for cell in row)


def _has_names(request: Request, row: Row) -> bool:
    if request.wish.header is not None:
        return request.wish.header
    if looks_like_names(row):
        return True
    request.note(
        "The first row looks like data, so it was not taken for the names of the columns. "
        "If it holds them, send the file again with header=true."
    )
    return False
