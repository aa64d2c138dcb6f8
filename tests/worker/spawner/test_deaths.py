"""Whoever dies, the worker or the spawner: nothing that it started lives on."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.worker.spawner.making import (
    UNFILTERED,
    MakeTask,
    dead,
    descriptors,
    eventually,
    gone,
    left_pid,
)
from worker.cell.prctl import PR_SET_CHILD_SUBREAPER, prctl
from worker.outcome import Broken, Converted
from worker.spawner.client import Spawner, SpawnerFailed

ROOT = Path(__file__).parents[3]
Worker = tuple[subprocess.Popen[bytes], list[int]]


@pytest.fixture
def start_worker(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    """Start a worker process that holds cells; return it and the pids of spawner and cells."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*hows: str) -> Worker:
        command = [sys.executable, "-m", "tests.worker.spawner.hold_cells", str(tmp_path), *hows]
        worker = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        started.append(worker)
        assert worker.stdout
        return worker, json.loads(worker.stdout.readline())

    yield start
    for worker in started:
        worker.kill()
        worker.communicate()


def test_a_killed_worker_takes_spawner_cells_and_their_children_with_it(
    start_worker: Callable[..., Worker], tmp_path: Path
) -> None:
    worker, pids = start_worker("--unfiltered", "hang", "cpu", "parent")
    child = left_pid(tmp_path / "2")
    worker.kill()
    worker.wait()
    eventually(lambda: dead(*pids, child))


def test_a_killed_worker_takes_the_pads_of_its_cells_with_it(
    start_worker: Callable[..., Worker],
) -> None:
    worker, (spawner, *cells) = start_worker("--pads", "hang", "cpu")
    eventually(lambda: all(len(psutil.Process(cell).children()) == 2 for cell in cells))
    pads = [pad.pid for cell in cells for pad in psutil.Process(cell).children()]
    worker.kill()
    worker.wait()
    eventually(lambda: dead(spawner, *cells, *pads))


def test_a_killed_worker_takes_a_spawner_that_retires_with_it(
    start_worker: Callable[..., Worker],
) -> None:
    worker, pids = start_worker("--renew", "hang")
    assert len(pids) == 3
    worker.kill()
    worker.wait()
    eventually(lambda: dead(*pids))


def test_a_worker_killed_with_its_cells_stopped_takes_them_too(
    start_worker: Callable[..., Worker],
) -> None:
    worker, (spawner, cell) = start_worker("hang")
    psutil.Process(cell).suspend()
    worker.kill()
    eventually(lambda: dead(spawner, cell))


def test_a_spawner_that_sees_no_hang_up_still_misses_its_worker(
    start_worker: Callable[..., Worker],
) -> None:
    worker, (bystander, spawner, cell) = start_worker("--leak", "hang")
    try:
        worker.kill()
        eventually(lambda: dead(spawner, cell))
        assert not dead(bystander)  # it still holds the worker's end of the control channel
    finally:
        os.kill(bystander, signal.SIGKILL)


def test_a_spawner_that_still_imports_dies_with_its_worker(
    start_worker: Callable[..., Worker], tmp_path: Path
) -> None:
    worker, _ = start_worker("--slow")
    [spawner] = psutil.Process(worker.pid).children()
    eventually((tmp_path / "importing").exists)
    worker.kill()
    eventually(lambda: dead(spawner.pid))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_everybody_leaves_the_end_to_the_worker(
    spawner: Spawner, make_task: MakeTask, number: signal.Signals
) -> None:
    with spawner.cell(make_task("sleep", seconds=0.2)) as cell:
        os.kill(spawner.pid or 0, number)
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)
    assert spawner.alive()


def test_the_spawner_is_out_of_reach_of_the_terminal(spawner: Spawner) -> None:
    assert os.getsid(spawner.pid or 0) == spawner.pid


def test_a_spawner_killed_in_the_middle_breaks_the_job_and_leaves_nothing(
    unfiltered: Spawner, make_task: MakeTask
) -> None:
    task = make_task("parent", convert=UNFILTERED)
    with unfiltered.cell(task) as cell:
        child = left_pid(task.scratch)
        kill(unfiltered)
        eventually(lambda: dead(cell.pid))  # by the signal that its parent's death sends
        assert cell.wait(timeout=100)
        assert cell.outcome() == Broken(
            "converter_crashed", log="the spawner died, and its cells with it"
        )
        eventually(lambda: dead(child))


def test_a_worker_that_is_the_init_of_its_container_reaps_the_cells_of_a_dead_spawner(
    spawner: Spawner, make_task: MakeTask
) -> None:
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        with spawner.cell(make_task("hang")) as cell:
            kill(spawner)
            assert cell.wait(timeout=100)
        assert gone(cell.pid)
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0)


def test_an_outcome_that_the_spawner_no_longer_confirms_does_not_count(
    spawner: Spawner, make_task: MakeTask
) -> None:
    with spawner.cell(make_task("hang")) as cell:
        cell._listener.hearsay.hear(b'{"outcome": "converted", "facts": {}}')
        kill(spawner)
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Broken)


def test_a_dead_spawner_says_so_and_starts_again(spawner: Spawner, make_task: MakeTask) -> None:
    kill(spawner)
    eventually(lambda: not spawner.alive())
    with pytest.raises(SpawnerFailed):
        spawner.cell(make_task())
    spawner.start()
    assert spawner.alive()
    with spawner.cell(make_task()) as cell:
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)


def test_failed_requests_leave_no_descriptor(spawner: Spawner, make_task: MakeTask) -> None:
    kill(spawner)
    eventually(lambda: not spawner.alive())
    before = descriptors()
    for _ in range(20):
        with pytest.raises(SpawnerFailed):
            spawner.cell(make_task())
    assert descriptors() <= before


def test_a_frozen_spawner_is_replaced(
    spawner: Spawner, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.spawner.client.ANSWER_SECONDS", 0.2)
    monkeypatch.setattr("worker.spawner.process.STOP_SECONDS", 0.2)
    frozen = spawner.pid
    psutil.Process(frozen).suspend()
    with pytest.raises(SpawnerFailed, match="no answer"):
        spawner.cell(make_task())
    spawner.start()
    assert spawner.pid != frozen
    eventually(lambda: gone(frozen))


def test_closing_kills_a_cell_while_the_spawner_is_frozen(
    spawner: Spawner, make_task: MakeTask
) -> None:
    cell = spawner.cell(make_task("hang"))
    psutil.Process(spawner.pid).suspend()
    cell.close()
    eventually(lambda: dead(cell.pid))
    psutil.Process(spawner.pid).resume()
    eventually(lambda: gone(cell.pid))


def test_stopping_ends_every_cell(unfiltered: Spawner, make_task: MakeTask) -> None:
    spawner, pid = unfiltered, unfiltered.pid
    hows = ("hang", "cpu", "parent")
    cells = [spawner.cell(make_task(how, convert=UNFILTERED)) for how in hows]
    spawner.stop()
    spawner.stop()
    assert not spawner.alive()
    assert gone(pid, *(cell.pid for cell in cells))
    for cell in cells:
        assert cell.wait(timeout=100)
        cell.close()
    with pytest.raises(SpawnerFailed, match="stopped"):
        spawner.cell(make_task())


def kill(spawner: Spawner) -> None:
    os.kill(spawner.pid or 0, signal.SIGKILL)
