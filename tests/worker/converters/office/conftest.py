"""Conversions in real cells, and older formats made once by LibreOffice itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.formats.office import OFFICE
from tests.worker.converters.office import documents
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Cell, Spawner, Task

FROM = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}


@dataclass(frozen=True)
class Result:
    """What one cell said and left."""

    outcome: Converted | Refused | Broken
    path: Path
    stages: list[tuple[float, str]]

    @property
    def facts(self) -> dict[str, Any]:
        assert isinstance(self.outcome, Converted), self.outcome
        return self.outcome.facts

    @property
    def refused(self) -> Refused:
        assert isinstance(self.outcome, Refused), self.outcome
        return self.outcome


Converting = Callable[..., Result]


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[OFFICE.convert, str(OFFICE.trial)])
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.fixture(scope="session")
def converting(spawner: Spawner, tmp_path_factory: pytest.TempPathFactory) -> Converting:
    """Return a function that converts bytes or a real file in a cell, with options by name."""

    def run(
        content: bytes | Path,
        source_format: str,
        target_format: str,
        limits: dict[str, int] | None = None,
        memory_bytes: int = 2 * 1024**3,
        converter: str = OFFICE.convert,
        file_bytes: int = 1024**3,
        **options: Any,
    ) -> Result:
        place = tmp_path_factory.mktemp("office")
        # As in a worker, the source is a link to a file whose folder the cell cannot read.
        stored = tmp_path_factory.mktemp("stored") / "0"
        stored.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        (place / f"input.{source_format}").symlink_to(stored)
        task = Task(
            convert=converter,
            scratch=place,
            source=f"input.{source_format}",
            target=f"output.{target_format}",
            source_format=source_format,
            target_format=target_format,
            options=options,
            limits=limits or {},
            memory_bytes=memory_bytes,
            cpu_seconds=100,
            file_bytes=file_bytes,
            needs=OFFICE.needs,
        )
        with spawner.cell(task) as cell:
            stages = _followed(cell)
        return Result(cell.outcome(), place / task.target, stages)

    return run


@pytest.fixture(scope="session")
def sample(converting: Converting) -> Callable[[str], bytes]:
    """Return a function that gives a small document; one of the old formats is made once."""
    made: dict[str, bytes] = {}

    def give(name: str) -> bytes:
        if name not in made:
            made[name] = documents.sample(name) if name not in FROM else _old(converting, name)
        return made[name]

    return give


def _old(converting: Converting, name: str) -> bytes:
    result = converting(documents.sample(FROM[name]), FROM[name], name)
    assert isinstance(result.outcome, Converted), result.outcome
    return result.path.read_bytes()


def _followed(cell: Cell) -> list[tuple[float, str]]:
    """Wait for the end; return what was told meanwhile."""
    stages = [(cell.progress, cell.stage)]
    for _ in range(6000):
        ended = cell.wait(timeout=0.02)
        if (now := (cell.progress, cell.stage)) != stages[-1]:
            stages.append(now)
        if ended:
            return stages
    raise AssertionError("the cell did not end within 120 s")
