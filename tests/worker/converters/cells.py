"""Conversions in real cells, as a worker has them made."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.formats.family import Family
from tests.worker.converters.made import Made
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Cell, Spawner, Task

MEMORY = 2 * 1024**3


@dataclass(frozen=True)
class Said(Made):
    """What one cell said, printed and left."""

    told: list[tuple[float, str]]
    printed: str

    @property
    def broken(self) -> Broken:
        assert isinstance(self.outcome, Broken), self.outcome
        return self.outcome


@contextmanager
def spawner_of(family: Family) -> Iterator[Spawner]:
    """Yield a spawner that knows a family and its trial."""
    spawner = Spawner(converters=[family.convert, str(family.trial)])
    spawner.start()
    try:
        assert spawner.ready == {family.convert: None, family.trial: None}
        yield spawner
    finally:
        spawner.stop()


def convert(
    spawner: Spawner,
    family: Family,
    content: bytes | Path,
    source_format: str,
    target_format: str,
    *,
    place: Path,
    options: Mapping[str, Any],
    limits: Mapping[str, int] | None = None,
    **task: Any,
) -> Said:
    """Convert in the folder `place`; `task` has what is to be otherwise than usual."""
    # As in a worker, the source is a link to a file whose folder the cell cannot read.
    stored = place.with_name(f"{place.name}-stored") / "0"
    stored.parent.mkdir()
    stored.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
    (place / f"input.{source_format}").symlink_to(stored)
    usual = {"memory_bytes": MEMORY, "cpu_seconds": 100, "file_bytes": 256 * 1024**2}
    whole = Task(
        scratch=place,
        source=f"input.{source_format}",
        target=f"output.{target_format}",
        source_format=source_format,
        target_format=target_format,
        options=dict(options),
        limits=dict(limits or {}),
        needs=family.needs_of(source_format, target_format),
        **{"convert": family.convert, **usual, **task},
    )
    with spawner.cell(whole) as cell:
        told = _followed(cell)
    return Said(cell.outcome(), place / whole.target, told, cell.stderr)


def tried(spawner: Spawner, family: Family, place: Path) -> Converted | Refused | Broken:
    """Run a family's trial in a cell."""
    task = Task(
        convert=str(family.trial),
        scratch=place,
        source="input",
        target="output.json",
        source_format="",
        target_format="json",
        options={},
        limits={},
        memory_bytes=MEMORY,
        cpu_seconds=60,
        file_bytes=64 * 1024**2,
        needs=family.needs,
    )
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=150)
    return cell.outcome()


def _followed(cell: Cell) -> list[tuple[float, str]]:
    """Wait for the end; return what was told meanwhile."""
    told = [(cell.progress, cell.stage)]
    for _ in range(15_000):
        ended = cell.wait(timeout=0.01)
        if (now := (cell.progress, cell.stage)) != told[-1]:
            told.append(now)
        if ended:
            return told
    raise AssertionError("the cell did not end within 150 s")
