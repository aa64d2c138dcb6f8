"""Conversions of films and sounds in real cells."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.formats.media import MEDIA
from app.formats.recognise import recognise
from tests.worker.converters.media.studio import Studio
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Cell, Spawner, Task

MEMORY = 2 * 1024**3


@dataclass(frozen=True)
class Result:
    """What one cell said, printed and left."""

    outcome: Converted | Refused | Broken
    path: Path
    told: list[tuple[float, str]]
    printed: str

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
        assert not self.path.exists(), "something was left that could be published"
        return self.outcome

    @property
    def broken(self) -> Broken:
        assert isinstance(self.outcome, Broken), self.outcome
        return self.outcome

    @property
    def made(self) -> Path:
        """The result, which is what its name says."""
        assert isinstance(self.outcome, Converted), self.outcome
        content = self.path.read_bytes()
        found = recognise(content[: 1024**2], content[-64 * 1024 :], size=len(content))
        assert found == self.path.suffix[1:]
        return self.path


Converting = Callable[..., Result]


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return Studio(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[MEDIA.convert, str(MEDIA.trial)])
    spawner.start()
    assert spawner.ready == {MEDIA.convert: None, MEDIA.trial: None}
    yield spawner
    spawner.stop()


@pytest.fixture
def converting(spawner: Spawner, tmp_path: Path) -> Converting:
    """Return a function that converts bytes or a real file in a cell, with options by name."""

    def run(
        content: bytes | Path,
        source_format: str,
        target_format: str,
        limits: dict[str, int] | None = None,
        memory_bytes: int = MEMORY,
        file_bytes: int = 256 * 1024**2,
        **options: Any,
    ) -> Result:
        place = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        place.mkdir(mode=0o700)
        # As in a worker, the source is a link to a file whose folder the cell cannot read.
        stored = place.with_name(f"{place.name}-stored") / "0"
        stored.parent.mkdir()
        stored.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        (place / f"input.{source_format}").symlink_to(stored)
        task = Task(
            convert=MEDIA.convert,
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
            needs=MEDIA.needs,
        )
        with spawner.cell(task) as cell:
            told = _followed(cell)
        outcome = cell.outcome()
        if not isinstance(outcome, Broken):
            assert {left.name for left in place.iterdir()} <= {task.source, task.target}
        return Result(outcome, place / task.target, told, cell.stderr)

    return run


def _followed(cell: Cell) -> list[tuple[float, str]]:
    """Wait for the end; return what was told meanwhile."""
    told: list[tuple[float, str]] = []
    while not cell.wait(timeout=0.02):
        if (now := (cell.progress, cell.stage)) not in told[-1:]:
            told.append(now)
    return told
