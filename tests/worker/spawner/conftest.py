"""Real spawners and real cells, with the converter that misbehaves on request."""

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.worker.spawner.making import (
    LOOK,
    MISBEHAVE,
    PYTHON_PATH,
    UNFILTERED,
    Convert,
    MakeTask,
    hasten,
    task_in,
)
from worker.spawner.client import Cell, Spawner, Task


@pytest.fixture(scope="session")
def shared_spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[MISBEHAVE, LOOK], python_path=PYTHON_PATH)
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.fixture
def spawner() -> Iterator[Spawner]:
    """Start a spawner that the test may kill."""
    spawner = Spawner(converters=[MISBEHAVE, LOOK], python_path=PYTHON_PATH)
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.fixture
def unfiltered() -> Iterator[Spawner]:
    """Start a spawner, which the test may kill, whose cells can make processes."""
    spawner = Spawner(converters=[UNFILTERED], python_path=PYTHON_PATH)
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.fixture
def make_task(tmp_path: Path) -> MakeTask:
    numbers = count()

    def make(how: str = "null", **changes: Any) -> Task:
        return task_in(tmp_path / f"scratch-{next(numbers)}", how, **changes)

    return make


@pytest.fixture
def convert(shared_spawner: Spawner, make_task: MakeTask) -> Convert:
    """Run one task to its end."""

    def run(how: str = "null", **changes: Any) -> Cell:
        with shared_spawner.cell(make_task(how, **changes)) as cell:
            ends = time.monotonic() + 150
            while not cell.wait(timeout=1):
                assert time.monotonic() < ends, "it did not end within 150 s"
                hasten(cell.pid)
        return cell

    return run
