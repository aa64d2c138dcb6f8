"""What one conversion has to do, and what it says along the way."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from app.formats.table import TableOptions
from worker.converters.limits import Limits
from worker.converters.refusal import Refusal
from worker.converters.table.cells import Cell, as_text
from worker.converters.table.meter import TableMeter

Opened = TypeVar("Opened", bound=AbstractContextManager[Any])

MOST_COLUMNS = 50_000
DENSE_CELLS = 32 * 1024**2  # up to here a table may be as empty as it likes
MOST_NOTES = 40
SHOWN_ROWS, SHOWN_COLUMNS, SHOWN_CHARACTERS = 8, 8, 40


@dataclass(frozen=True)
class Request:
    source: Path
    target: Path
    source_format: str
    target_format: str
    wish: TableOptions
    limits: Limits
    meter: TableMeter
    facts: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    closing: ExitStack = field(default_factory=ExitStack)

    def keep(self, opened: Opened) -> Opened:
        """Return what has been opened; it is closed when the conversion ends."""
        self.closing.enter_context(opened)
        return opened

    def begin_again(self) -> None:
        """Forget what was found out: the conversion is done in another way, from its beginning."""
        self.facts.clear()
        self.notes.clear()
        self.meter.begin_again()

    def note(self, sentence: str) -> None:
        """Keep a sentence for the person, once; the list does not grow without end."""
        if sentence not in self.notes and len(self.notes) < MOST_NOTES:
            self.notes.append(sentence)

    def show(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Keep the first rows of the first table: of such a result a browser cannot read them."""
        self.facts.setdefault("first_rows", [_shown(row) for row in islice(rows, SHOWN_ROWS)])

    def check_rows(self, rows: int) -> None:
        if rows > self.limits.max_rows:
            raise Refusal(
                "too_many_rows",
                f"The table has more than {self.limits.max_rows:,} rows, the most that this "
                "service converts (ROWMILL_MAX_ROWS).",
            )

    def check_columns(self, columns: int) -> None:
        if columns > MOST_COLUMNS:
            raise Refusal(
                "too_many_columns",
                f"The table has {columns:,} columns; this service converts up to {MOST_COLUMNS:,}.",
            )

    def check_cells(self, rows: int, columns: int) -> None:
        """Refuse a table that is next to nothing but gaps: 1 KB can span a whole sheet."""
        cells, size = rows * columns, self.source.stat().st_size
        if cells > max(DENSE_CELLS, size * self.limits.max_zip_ratio):
            raise Refusal(
                "inflates_too_much",
                f"The file of {size:,} bytes spans {cells:,} cells, nearly all of them empty: more "
                f"than {self.limits.max_zip_ratio:,} for each byte (ROWMILL_MAX_ZIP_RATIO).",
            )


def counted(count: int, noun: str) -> str:
    """Return "1 row" or "2,000 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _shown(row: Sequence[Cell]) -> list[str]:
    cells = row[:SHOWN_COLUMNS]
    return ["" if cell is None else as_text(cell)[:SHOWN_CHARACTERS] for cell in cells]
