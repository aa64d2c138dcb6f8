"""Conversions of documents in real cells."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from app.formats.document import DOCUMENT
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Cell, Spawner, Task


@dataclass(frozen=True)
class Result:
    """What one cell said and left."""

    outcome: Converted | Refused | Broken
    path: Path
    told: list[tuple[float, str]]

    @property
    def facts(self) -> dict[str, Any]:
        assert isinstance(self.outcome, Converted), self.outcome
        return self.outcome.facts

    @property
    def notes(self) -> str:
        return " ".join(self.facts["notes"])

    @property
    def refused(self) -> Refused:
        assert isinstance(self.outcome, Refused), self.outcome
        return self.outcome

    @property
    def content(self) -> bytes:
        assert isinstance(self.outcome, Converted), self.outcome
        return self.path.read_bytes()


Converting = Callable[..., Result]


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[DOCUMENT.convert, str(DOCUMENT.trial)])
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.fixture(scope="session")
def converting(spawner: Spawner, tmp_path_factory: pytest.TempPathFactory) -> Converting:
    """Return a function that converts text, bytes or a file in a cell, with options by name."""

    def run(
        content: str | bytes | Path,
        source_format: str,
        target_format: str,
        limits: dict[str, int] | None = None,
        memory_bytes: int = 2 * 1024**3,
        cpu_seconds: int = 60,
        file_bytes: int = 64 * 1024**2,
        beside: Mapping[str, bytes] = MappingProxyType({}),
        **options: Any,
    ) -> Result:
        # As in a worker, the source is a link to a file whose folder the cell cannot read. What
        # lies beside the link, the cell could read, and so could what it starts.
        place = tmp_path_factory.mktemp("cell")
        stored = tmp_path_factory.mktemp("stored") / "0"
        stored.write_bytes(_bytes(content).replace(b"@PLACE@", bytes(place)))
        for name, other in beside.items():
            (place / name).write_bytes(other)
        (place / f"input.{source_format}").symlink_to(stored)
        task = Task(
            convert=DOCUMENT.convert,
            scratch=place,
            source=f"input.{source_format}",
            target=f"output.{target_format}",
            source_format=source_format,
            target_format=target_format,
            options=options,
            limits=limits or {},
            memory_bytes=memory_bytes,
            cpu_seconds=cpu_seconds,
            file_bytes=file_bytes,
            needs=DOCUMENT.needs,
        )
        with spawner.cell(task) as cell:
            told = _followed(cell)
        return Result(cell.outcome(), place / task.target, told)

    return run


def _bytes(content: str | bytes | Path) -> bytes:
    if isinstance(content, Path):
        return content.read_bytes()
    return content.encode() if isinstance(content, str) else content


def _followed(cell: Cell) -> list[tuple[float, str]]:
    """Wait for the end; return what was told meanwhile."""
    told = [(cell.progress, cell.stage)]
    for _ in range(12_000):
        ended = cell.wait(timeout=0.01)
        if (now := (cell.progress, cell.stage)) != told[-1]:
            told.append(now)
        if ended:
            return told
    raise AssertionError("the cell did not end within 120 s")
