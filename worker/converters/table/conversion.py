"""One table from file to file: open it, look at it, perhaps find types, write it."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polars.exceptions import PolarsError

from app.formats.table import TableOptions
from worker.converters.limits import Limits
from worker.converters.progress import Progress
from worker.converters.refusal import Refusal, wish_of
from worker.converters.table.even import Uneven, begun_even
from worker.converters.table.meter import TableMeter
from worker.converters.table.names import listed
from worker.converters.table.opening import opened
from worker.converters.table.refusal import number_of
from worker.converters.table.request import Request, counted
from worker.converters.table.table import CellTable, Named, Table
from worker.converters.table.writing import write
from worker.outcome import Converted, Refused

READ, INFERRED, WRITTEN = 0.3, 0.6, 0.97

_TEXTUAL = ("csv", "tsv")
_NOTATIONS = ("json", "ndjson")
_TYPED = ("parquet", "arrow")
_FLAT = (*_TEXTUAL, "xlsx")


def convert(
    source: Path,
    target: Path,
    *,
    source_format: str,
    target_format: str,
    options: dict[str, Any],
    limits: Limits,
    progress: Progress,
) -> Converted | Refused:
    """Convert one table; a surprise (no memory, no room on disk) is raised."""
    meter = TableMeter(progress)
    try:
        wish = wish_of(options, TableOptions)
        request = Request(source, target, source_format, target_format, wish, limits, meter)
        with request.closing:
            made = _convert(request)
    except Refusal as refusal:
        return refusal.outcome
    except (PolarsError, OSError) as error:  # polars gives no number, or calls the file broken
        if (number := number_of(error)) is None:
            raise
        raise OSError(number, os.strerror(number)) from error
    return Converted({**request.facts, "notes": request.notes}, format=made)


def _convert(request: Request) -> str | None:
    """Convert a text that seems to be an even table in one pass, and all else with care."""
    request.meter.begin("reading", until=READ)
    if request.source_format in _TEXTUAL and (table := begun_even(request)) is not None:
        try:
            return _write([("Sheet1", table)], request)
        except Uneven:
            request.begin_again()
            request.meter.begin("reading", until=READ)
    return _write(opened(request), request)


def _write(tables: Sequence[Named], request: Request) -> str | None:
    if request.wish.types == "auto":
        tables = _inferred(tables, request)
    request.meter.begin("writing", until=WRITTEN)
    made = write(tables, request)
    for _, table in tables:
        _tell(table, request)
    request.facts["rows"] = sum(table.rows for _, table in tables)
    request.meter.tell(1.0)
    return made


def _inferred(tables: Sequence[Named], request: Request) -> Sequence[Named]:
    if request.target_format in _TEXTUAL:
        request.note("The result knows nothing but text, so types=auto changed nothing.")
        return tables
    from worker.converters.table.inferring import Inferred

    request.meter.begin("finding types", until=INFERRED)
    for _, table in tables:
        _warn_of_mixtures(table, request)
    return [(name, Inferred(request, table)) for name, table in tables]


def _tell(table: Table, request: Request) -> None:
    """Tell what the result cannot show as it was."""
    if not (request.source_format in _NOTATIONS and request.target_format in _NOTATIONS):
        request.facts["columns"] = max(len(table.names), request.facts.get("columns", 0))
        _warn_of_new_names(table, request)
    if request.target_format in _TYPED:
        _warn_of_mixtures(table, request)
    if _becomes_text(table, request) and table.has_nested:
        request.note("Lists and objects inside of cells are written as JSON.")


def _becomes_text(table: Table, request: Request) -> bool:
    """Whether a list is text in the result: what JSON nests has no one type for a column."""
    typed = request.target_format in _TYPED and isinstance(table, CellTable)
    return typed or request.target_format in _FLAT


def _warn_of_new_names(table: Table, request: Request) -> None:
    if request.target_format in (*_TEXTUAL, "xlsx"):
        return
    renamed = [new for old, new in zip(table.names, table.unique, strict=True) if old != new]
    if renamed:
        request.note(
            f"{counted(len(renamed), 'column')} without a name, or with one that stands there "
            f"already, got another: {listed(renamed)}."
        )


def _warn_of_mixtures(table: Table, request: Request) -> None:
    if not isinstance(table, CellTable):
        return
    mixed = [name for name, kind in zip(table.unique, table.kinds, strict=True) if kind.is_mixed]
    if mixed:
        request.note(
            f"Values that no column of one type could hold unchanged became text: {listed(mixed)}."
        )
