"""Noise without end costs the worker neither memory nor much time."""

import signal
import time

import psutil

from tests.worker.spawner.making import MakeTask
from worker.outcome import Converted
from worker.spawner.client import Spawner

FLOOD = 300 * 1024**2


def test_a_flood_of_errors_waits_and_leaves_the_worker_as_it_was(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    """4,000 reads a second of 64 KiB each are the most that a cell can cause."""
    me, began = psutil.Process(), time.monotonic()
    with shared_spawner.cell(make_task("flood")) as cell:
        resident, busy = me.memory_info().rss, time.thread_time()
        assert cell.wait(timeout=100)
        assert me.memory_info().rss - resident < 8 * 1024**2
        assert time.monotonic() - began > FLOOD / (4_000 * 64 * 1024) - 0.2
        assert time.thread_time() - busy < 2, time.thread_time() - busy
        assert isinstance(cell.outcome(), Converted)
        assert 60_000 < len(cell.stderr) < 70_000


def test_a_flood_does_not_hold_up_a_kill(shared_spawner: Spawner, make_task: MakeTask) -> None:
    with shared_spawner.cell(make_task("flood")) as cell:
        assert not cell.wait(timeout=0.2)
        cell.kill()
        assert cell.wait(timeout=100)
        assert cell.ending
        assert cell.ending.signal == signal.SIGKILL  # by itself it would go on
