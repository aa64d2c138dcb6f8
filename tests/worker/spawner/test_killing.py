"""A cell can be ended at any time, from any thread, and takes its session with it."""

import signal
import threading

import psutil
import pytest

from tests.worker.spawner.making import UNFILTERED, Convert, MakeTask, eventually, gone, left_pid
from worker.outcome import Broken, Converted
from worker.spawner.client import Cell, Spawner


@pytest.fixture
def hanging(shared_spawner: Spawner, make_task: MakeTask) -> Cell:
    return shared_spawner.cell(make_task("hang"))


def test_a_killed_cell_ends_within_moments(hanging: Cell) -> None:
    with hanging as cell:
        assert not cell.wait(timeout=0.1)
        cell.kill()
        assert cell.wait(timeout=100)  # by itself it would go on
        assert cell.ending
        assert cell.ending.signal == signal.SIGKILL
        assert cell.outcome() == Broken("converter_crashed", log="the worker ended it")
        assert gone(cell.pid)


def test_another_thread_ends_the_wait(hanging: Cell) -> None:
    with hanging as cell:
        threading.Timer(0.1, cell.kill).start()
        assert cell.wait(timeout=100)


def test_its_children_die_with_it(unfiltered: Spawner, make_task: MakeTask) -> None:
    task = make_task("parent", convert=UNFILTERED)
    with unfiltered.cell(task) as cell:
        child = left_pid(task.scratch)
        cell.kill()
        assert cell.wait(timeout=100)
        assert gone(child, cell.pid)


def test_killing_what_has_ended_or_is_closed_does_nothing(convert: Convert) -> None:
    cell = convert()
    cell.kill()
    cell.close()
    cell.kill()
    assert isinstance(cell.outcome(), Converted)


def test_closing_a_living_cell_kills_it(hanging: Cell) -> None:
    hanging.close()
    hanging.kill()
    eventually(lambda: gone(hanging.pid))


def test_a_cell_whose_worker_let_go_of_it_is_killed(hanging: Cell) -> None:
    hanging._status.close()
    eventually(lambda: gone(hanging.pid))
    hanging.close()


def test_a_stopped_cell_is_killed_too(hanging: Cell) -> None:
    with hanging as cell:
        psutil.Process(cell.pid).suspend()
        cell.kill()
        assert cell.wait(timeout=100)


def test_a_kill_that_comes_after_the_outcome_changes_nothing(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    with shared_spawner.cell(make_task()) as cell:
        eventually(lambda: not psutil.pid_exists(cell.pid))
        cell.kill()
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)


def test_an_outcome_in_order_is_kept_by_who_waits_late(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    """Nobody listens while it runs, as in a frozen worker; the outcome waits in the buffer."""
    with shared_spawner.cell(make_task("sleep", seconds=1, progress_steps=1000)) as cell:
        eventually(lambda: gone(cell.pid))
        assert cell.wait(timeout=100)  # its spawner may still be about to say so
        assert isinstance(cell.outcome(), Converted)
