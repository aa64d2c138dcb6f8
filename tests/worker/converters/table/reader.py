"""What a conversion made, seen through a reader that had no part in writing it."""

import csv
import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

import polars as pl
import python_calamine

from tests.worker.converters.made import Made

csv.field_size_limit(2**27)  # the library's own is a process's global


@dataclass(frozen=True)
class Result(Made):
    stages: tuple[tuple[float, str], ...]

    @property
    def csv(self) -> list[list[str]]:
        return list(csv.reader(io.StringIO(self.content.decode(), newline="")))

    @property
    def tsv(self) -> list[list[str]]:
        return list(csv.reader(io.StringIO(self.content.decode(), newline=""), delimiter="\t"))

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def ndjson(self) -> list[Any]:
        return [json.loads(line) for line in self.content.splitlines()]

    @property
    def frame(self) -> pl.DataFrame:
        assert self.facts is not None
        if self.path.suffix == ".parquet":
            return pl.read_parquet(self.path, glob=False)
        return pl.scan_ipc(self.path, glob=False).collect()

    @property
    def sheets(self) -> dict[str, list[list[Any]]]:
        assert self.facts is not None
        with python_calamine.CalamineWorkbook.from_path(str(self.path)) as book:
            return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}

    @property
    def sheet(self) -> list[list[Any]]:
        return next(iter(self.sheets.values()))

    def part(self, name: str) -> bytes:
        with zipfile.ZipFile(self.path) as package:
            return package.read(name)

    @property
    def texts(self) -> list[list[str]]:
        """Every row, names first, as text, whatever the format is."""
        match self.path.suffix:
            case ".csv":
                return self.csv
            case ".tsv":
                return self.tsv
            case ".xlsx":
                return [[str(cell) for cell in row] for row in self.sheet]
            case ".json" | ".ndjson":
                rows = self.json if self.path.suffix == ".json" else self.ndjson
                return [list(rows[0]), *([str(cell) for cell in row.values()] for row in rows)]
            case _:
                frame = self.frame
                return [frame.columns, *([str(cell) for cell in row] for row in frame.rows())]
