"""Keeps rows that took long to read in a file of its own, so that they are read only once."""

import pickle
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from worker.converters.table.cells import Row


class Kept(closing["Kept"]):
    """Rows in a file that has no name and is gone when it is closed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(self)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`
        self._parts = 0

    def add(self, rows: list[Row]) -> None:
        if rows:
            pickle.dump(rows, self._file, protocol=5)
            self._parts += 1

    def read(self) -> Iterator[list[Row]]:
        """Yield the rows, part by part as they were added."""
        self._file.seek(0)
        for _ in range(self._parts):
            yield pickle.load(self._file)  # noqa: S301 - written by `add`, and it has no name

    def close(self) -> None:
        self._file.close()
