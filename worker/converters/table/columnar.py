"""Reads Parquet and Arrow, part by part."""

from collections.abc import Iterator

import polars as pl
from polars.exceptions import ComputeError

from worker.converters.refusal import Refusal
from worker.converters.table.refusal import blamed_on, damaged
from worker.converters.table.request import Request
from worker.converters.table.table import FrameTable, Schema

_BATCH_CELLS = 400_000


class Columnar(FrameTable):
    """A table of typed columns."""

    has_names = True

    def __init__(self, request: Request) -> None:
        self._request = request
        if not request.source.stat().st_size:
            raise Refusal("corrupt_input", "The file is empty.")
        self._damaged = damaged(request.source_format)
        with blamed_on(self._damaged):
            self._scan = _scanned(request)
            self._schema = dict(self._scan.collect_schema())
            self.rows = int(self._scan.select(pl.len()).collect(engine="streaming").item())
        request.check_rows(self.rows)
        request.check_columns(len(self._schema))
        if not self._schema:
            raise Refusal("corrupt_input", "The file holds no table: it has no columns.")
        self.names = tuple(self._schema)
        self._read_texts_in_bytes()
        if request.target_format in ("json", "ndjson"):
            self._warn_of_infinities()

    @property
    def schema(self) -> Schema:
        return dict(zip(self.unique, self._schema.values(), strict=True))

    def frames(self) -> Iterator[pl.DataFrame]:
        height = max(1, _BATCH_CELLS // len(self.names))
        done = 0
        with blamed_on(self._damaged):
            batches = self._scan.collect_batches(chunk_size=height, engine="streaming")
            for frame in batches:
                done += frame.height
                self._request.meter.tell(done / max(1, self.rows))
                yield frame.rename(dict(zip(frame.columns, self.unique, strict=True)))

    def _read_texts_in_bytes(self) -> None:
        """Older programs wrote text as mere bytes: a column that is UTF-8 throughout is text."""
        columns = [name for name, dtype in self._schema.items() if dtype == pl.Binary]
        if not columns:
            return
        with blamed_on(self._damaged):
            texts = self._texts_among(columns)
            if texts:
                self._scan = self._scan.with_columns(pl.col(texts).cast(pl.String))
            self._schema = dict(self._scan.collect_schema())
        if len(texts) < len(columns):
            self._request.note("Columns of bytes are written as Base64 where there is only text.")

    def _texts_among(self, columns: list[str]) -> list[str]:
        texts = list(columns)
        height = max(1, _BATCH_CELLS // len(self.names))
        for frame in self._scan.select(columns).collect_batches(
            chunk_size=height, engine="streaming"
        ):
            texts = [name for name in texts if _is_text(frame[name])]
        return texts

    def _warn_of_infinities(self) -> None:
        columns = [name for name, dtype in self._schema.items() if dtype.is_float()]
        if not columns:
            return
        with blamed_on(self._damaged):
            endless = self._scan.select((~pl.col(columns).is_finite()).any()).collect(
                engine="streaming"
            )
        if any(endless.row(0)):
            self._request.note("NaN and infinite numbers, which JSON does not know, became null.")


def _is_text(column: pl.Series) -> bool:
    try:
        column.cast(pl.String)
    except ComputeError:
        return False
    return True


def _scanned(request: Request) -> pl.LazyFrame:
    """Scan a file whose name is ours; it would be a pattern otherwise."""
    if request.source_format == "parquet":
        return pl.scan_parquet(request.source, glob=False, hive_partitioning=False)
    return pl.scan_ipc(request.source, glob=False, hive_partitioning=False)
