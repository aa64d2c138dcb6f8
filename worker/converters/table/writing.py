"""Writes tables in each format that is a target here."""

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from worker.converters.refusal import Refusal
from worker.converters.table import wording
from worker.converters.table.request import SHOWN_ROWS, Request
from worker.converters.table.table import Named, Table

_GROUP_ROWS, _GROUP_BYTES = 250_000, 32 * 1024**2
_USUAL = {"csv": ",", "tsv": "\t"}
_MARK = b"\xef\xbb\xbf"


def write(tables: Sequence[Named], request: Request) -> str | None:
    """Write the result; returns "zip" if it is several files in one, a file for each table."""
    if request.target_format == "xlsx":
        from worker.converters.table.spreadsheet import write_workbook

        write_workbook(tables, request)
        return None
    if len(tables) == 1:
        _write(tables[0][1], request.target, request)
        _refuse_nothing(request)
        return None
    _write_several(tables, request)
    return "zip"


def _refuse_nothing(request: Request) -> None:
    """Lines without rows are no bytes at all, and an empty line would be no JSON."""
    if request.target.stat().st_size == 0:
        raise Refusal(
            "output_empty",
            "The table has no rows, and lines of JSON hold nothing else: nothing would be left "
            "of it. Choose json or csv.",
        )


def _write_several(tables: Sequence[Named], request: Request) -> None:
    part = request.target.with_name("part")
    with zipfile.ZipFile(request.target, "w", zipfile.ZIP_DEFLATED) as package:
        for number, (name, table) in enumerate(tables, start=1):
            _write(table, part, request)
            package.write(part, f"{number}-{_harmless(name)}.{request.target_format}")
    part.unlink()


def _write(table: Table, target: Path, request: Request) -> None:
    match request.target_format:
        case "csv" | "tsv":
            _write_text(table, target, request)
        case "json" | "ndjson":
            _write_json(table, target, in_lines=request.target_format == "ndjson")
        case _:
            _write_columns(table, target, request)


def _write_columns(table: Table, target: Path, request: Request) -> None:
    """Write groups of rows of a bounded size in memory, whatever a row weighs."""
    frames = table.frames()
    first = next(frames, None)
    beginning = [] if first is None else wording.for_cells(first.head(SHOWN_ROWS)).iter_rows()
    request.show(chain([table.unique], beginning))
    weight = first.estimated_size() / max(1, first.height) if first is not None else 1
    height = int(max(1, min(_GROUP_ROWS, _GROUP_BYTES // max(1, weight))))
    scan = _scan(table, chain([] if first is None else [first], frames))
    if request.target_format == "parquet":
        scan.sink_parquet(target, row_group_size=height, engine="streaming")
    else:
        scan.sink_ipc(target, record_batch_size=height, compression="lz4", engine="streaming")


def _write_text(table: Table, target: Path, request: Request) -> None:
    delimiter = request.wish.result_delimiter or _USUAL[request.target_format]
    with target.open("wb") as file:
        file.write(_MARK if request.wish.bom else b"")
        if table.has_names:
            file.write(_first_line(table.names, delimiter))
        for frame in table.texts():
            _without_needless_quotes(frame).write_csv(
                file, include_header=False, separator=delimiter, quote_style="necessary"
            )


def _first_line(names: Sequence[str], delimiter: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow(names)
    return out.getvalue().encode()


def _without_needless_quotes(frame: pl.DataFrame) -> pl.DataFrame:
    """Write an empty text as nothing, except in a single column: an empty line is no row."""
    if frame.width == 1:
        return frame.fill_null("")
    return frame.select(pl.when(pl.all() != "").then(pl.all()))


def _write_json(table: Table, target: Path, *, in_lines: bool) -> None:
    """Write an array of objects, one on each line, or only the lines."""
    with target.open("wb") as file:
        is_empty = True
        for lines in table.lines():
            if in_lines:
                file.write(lines)
            else:
                file.write(b"[\n" if is_empty else b",\n")
                file.write(lines[:-1].replace(b"\n", b",\n"))
            is_empty = False
        if not in_lines:
            file.write(b"[]\n" if is_empty else b"\n]\n")


def _scan(table: Table, found: Iterator[pl.DataFrame]) -> pl.LazyFrame:
    def frames(
        _columns: list[str] | None, _filter: pl.Expr | None, _rows: int | None, _size: int | None
    ) -> Iterator[pl.DataFrame]:
        return found

    return register_io_source(frames, schema=table.schema)


def _harmless(name: str) -> str:
    """Return the name of a sheet as a part of a file name: letters, digits and a few signs."""
    kept = "".join(letter if letter.isalnum() or letter in " -_" else "_" for letter in name)
    return kept.strip()[:60] or "sheet"
