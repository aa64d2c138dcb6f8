"""A cell that takes too long, too much room, or says nothing for too long is ended from outside."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from tests.worker.cell.probing import spawner_of, task_of
from worker import attempt
from worker.outcome import Broken
from worker.spawner.client import Spawner

HOARD, NAP = "rowmill_hoard:convert", "rowmill_misbehave_convert:convert"
Watched = Callable[..., Broken | None]


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with spawner_of(os.getuid(), HOARD, NAP) as spawner:
        yield spawner


@pytest.fixture
def watched(spawner: Spawner, scratch: Path) -> Watched:
    """Return a function that watches one cell: why it was ended, or None if it ended itself."""

    def watch(convert: str, settings: Settings, **options: Any) -> Broken | None:
        task = task_of(scratch, convert, options=options)
        with spawner.cell(task) as cell:
            outcome = attempt._wait(cell, task, settings)
            assert cell.ended
        return outcome

    return watch


def test_a_cell_that_takes_too_much_room_is_ended(watched: Watched) -> None:
    outcome = watched(HOARD, Settings(time_limit_seconds=30))
    assert isinstance(outcome, Broken)
    assert outcome.code == "result_too_large"
    assert outcome.log == "its scratch folder holds more than 10485760 bytes"
    assert "10,485,760 bytes, four times ROWMILL_MAX_UPLOAD_BYTES" in str(outcome.detail)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        (Settings(time_limit_seconds=0.5, stall_seconds=30), "time_limit"),
        (Settings(time_limit_seconds=30, stall_seconds=0.5), "stalled"),
    ],
)
def test_a_cell_that_takes_too_long_is_ended(
    watched: Watched, settings: Settings, code: str
) -> None:
    outcome = watched(NAP, settings, how="hang")
    assert isinstance(outcome, Broken)
    assert outcome.code == code
    assert "The limit is 0.5 seconds." in str(outcome.detail)


def test_a_cell_that_gets_further_may_take_its_time(watched: Watched) -> None:
    slow = {"how": "sleep", "seconds": 2, "progress_steps": 20}
    assert watched(NAP, Settings(stall_seconds=1), **slow) is None
