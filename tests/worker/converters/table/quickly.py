"""One text as two tables: read in one pass, as if it were even, and read with care."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.formats.table import TableOptions
from worker.converters.limits import Limits
from worker.converters.refusal import Refusal
from worker.converters.table.even import Uneven, begun_even
from worker.converters.table.meter import TableMeter
from worker.converters.table.opening import opened
from worker.converters.table.request import Request
from worker.converters.table.table import Table


@dataclass(frozen=True)
class Seen:
    """All that a table has, and what was found out on the way."""

    names: tuple[str, ...]
    has_names: bool
    rows: list[tuple[str, ...]]
    counted: int
    facts: dict[str, Any]
    notes: list[str]


def read_at_once(source: Path, *, piece_bytes: int, **options: Any) -> Seen | str | None:
    """Return the table, or the code of a refusal; None where care is needed after all."""

    def tables(request: Request) -> Table | None:
        return begun_even(request, piece_bytes=piece_bytes)

    try:
        return _seen(source, tables, options)
    except Uneven:
        return None


def read_with_care(source: Path, **options: Any) -> Seen | str | None:
    return _seen(source, lambda request: opened(request)[0][1], options)


def _seen(
    source: Path, tables: Callable[[Request], Table | None], options: dict[str, Any]
) -> Seen | str | None:
    meter = TableMeter(lambda _value, _stage: None)
    wish = TableOptions.model_validate(options)
    request = Request(source, source, "csv", "parquet", wish, Limits(max_rows=8), meter)
    try:
        table = tables(request)
        if table is None:
            return None
        rows = [row for frame in table.frames() for row in frame.iter_rows()]
    except Refusal as refusal:
        return refusal.code
    return Seen(table.names, table.has_names, rows, table.rows, request.facts, request.notes)
