"""The spawner starts clean, knows nothing of the worker's secrets, and says what it can do."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from tests.worker.spawner.making import LOOK, MISBEHAVE, PYTHON_PATH, MakeTask, descriptors, gone
from worker.outcome import Converted
from worker.spawner import process
from worker.spawner.client import Spawner, SpawnerFailed
from worker.spawner.message import hear


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    return "secret"


@pytest.fixture
def started(secret: str) -> Iterator[Spawner]:
    spawner = Spawner(
        converters=[
            MISBEHAVE,
            MISBEHAVE,
            "no_such:convert",
            "rowmill_exits:convert",
            "rowmill_look:missing",
            "rowmill_threads:convert",
        ],
        python_path=PYTHON_PATH,
    )
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.fixture
def seen(started: Spawner, make_task: MakeTask) -> dict[str, Any]:
    """What the spawner sees of itself."""
    with started.cell(make_task(convert=LOOK)) as cell:
        assert cell.wait(timeout=100)
    outcome = cell.outcome()
    assert isinstance(outcome, Converted)
    spawner: dict[str, Any] = outcome.facts["spawner"]
    return spawner


def test_a_converter_that_cannot_be_used_says_why_and_spares_the_others(started: Spawner) -> None:
    assert started.ready == {
        MISBEHAVE: None,
        "no_such:convert": "ModuleNotFoundError: No module named 'no_such'",
        "rowmill_exits:convert": "SystemExit: no licence found",
        "rowmill_look:missing": "AttributeError: module 'rowmill_look' has no attribute 'missing'",
        "rowmill_threads:convert": "its import started 1 thread; "
        "a lock held at a fork would stop a cell for ever",
    }


def test_no_secret_of_the_worker_reaches_the_spawner_and_no_import_leaves_any(
    started: Spawner, seen: dict[str, Any], secret: str
) -> None:
    assert secret not in str(psutil.Process(started.pid).cmdline())
    for moment in ("imported_with", "environment"):
        assert set(seen[moment]) == {"LANG", "MALLOC_ARENA_MAX", "PATH", "VIPS_CONCURRENCY"}


def test_others_cannot_look_into_the_spawner(seen: dict[str, Any]) -> None:
    assert seen["dumpable"] is False


def test_it_has_no_descriptor_of_the_worker(seen: dict[str, Any]) -> None:
    null, errors, control, request, looking = 2, 1, 1, 3, 1
    assert seen["descriptors"] == null + errors + control + request + looking


def test_the_real_converters_leave_it_with_one_thread() -> None:
    spawner = Spawner(converters=["worker.converters.image:convert"])
    spawner.start()
    try:
        assert spawner.ready == {"worker.converters.image:convert": None}
        assert psutil.Process(spawner.pid).num_threads() == 1
    finally:
        spawner.stop()


def test_only_the_main_thread_may_start_it() -> None:
    spawner = Spawner(converters=[])
    raised: list[RuntimeError] = []

    def start() -> None:
        try:
            spawner.start()
        except RuntimeError as error:
            raised.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert "main thread" in str(raised[0])
    assert not spawner.alive()


def test_a_spawner_that_dies_at_its_start_has_failed() -> None:
    spawner = Spawner(converters=["rowmill_dies:convert"], python_path=PYTHON_PATH)
    with pytest.raises(SpawnerFailed, match="before it was ready"):
        spawner.start()
    assert not spawner.alive()


def test_a_spawner_that_is_never_ready_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "READY_SECONDS", 0.0)
    before = psutil.Process().children()
    spawner = Spawner(converters=[LOOK], python_path=PYTHON_PATH)
    with pytest.raises(SpawnerFailed, match="not ready within"):
        spawner.start()
    assert not spawner.alive()
    assert set(psutil.Process().children()) <= set(before)


def test_a_spawner_whose_worker_is_gone_already_imports_nothing_and_ends() -> None:
    """No signal would come any more: its parent is another than the one that started it."""
    ours, theirs = process.pair()
    with ours:
        with theirs:
            told = {
                "control": theirs.fileno(),
                "worker": os.getpid() + 1,
                "path": [*PYTHON_PATH, *sys.path],
                "converters": [LOOK],
            }
            started = process._exec(json.dumps(told), control=theirs.fileno())
        assert started.wait(timeout=100) == 0
        assert hear(ours) == (None, [])


def test_nothing_is_made_before_it_is_started(make_task: MakeTask) -> None:
    with pytest.raises(SpawnerFailed, match="not been started"):
        Spawner(converters=[]).cell(make_task())


def test_starting_again_replaces_it_and_leaks_nothing(
    spawner: Spawner, make_task: MakeTask
) -> None:
    before, first = descriptors(), spawner.pid
    spawner.start()
    assert len(descriptors() - before) == 1  # the control channel of the new one
    assert spawner.pid != first
    assert gone(first)
    with spawner.cell(make_task()) as cell:
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)


def test_cells_can_be_asked_for_from_any_thread(spawner: Spawner, make_task: MakeTask) -> None:
    outcomes: list[object] = []
    tasks = [make_task() for _ in range(20)]

    def work(number: int) -> None:
        for task in tasks[number::4]:
            with spawner.cell(task) as cell:
                assert cell.wait(timeout=100)
                outcomes.append(cell.outcome())

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 20
    assert all(isinstance(outcome, Converted) for outcome in outcomes)


def test_a_task_that_is_too_long_is_refused_and_harms_nobody(
    spawner: Spawner, make_task: MakeTask
) -> None:
    with pytest.raises(ValueError, match="bytes"):
        spawner.cell(make_task("x" * 100_000))
    assert spawner.alive()
    assert os.getpid() == psutil.Process(spawner.pid).ppid()
