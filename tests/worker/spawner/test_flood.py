"""Noise without end costs the worker neither memory nor much time."""

import time

import psutil

from tests.worker.spawner.making import MakeTask
from worker.outcome import Converted
from worker.spawner.client import Spawner

FLOOD = 300 * 1024**2


def test_a_flood_of_errors_leaves_the_worker_as_it_was(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    me = psutil.Process()
    with shared_spawner.cell(make_task("flood")) as cell:
        resident, busy = me.memory_info().rss, time.thread_time()
        assert cell.wait(timeout=60)
        assert me.memory_info().rss - resident < 8 * 1024**2
        assert time.thread_time() - busy < 1.5
        assert isinstance(cell.outcome(), Converted)
        assert 60_000 < len(cell.stderr) < 70_000


def test_a_flood_waits_so_that_the_worker_need_not(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    """4,000 reads a second of 64 KiB each are the most that a cell can cause."""
    began = time.monotonic()
    with shared_spawner.cell(make_task("flood")) as cell:
        assert cell.wait(timeout=60)
    assert time.monotonic() - began > FLOOD / (4_000 * 64 * 1024) - 0.2


def test_a_flood_does_not_hold_up_a_kill(shared_spawner: Spawner, make_task: MakeTask) -> None:
    with shared_spawner.cell(make_task("flood")) as cell:
        assert not cell.wait(timeout=0.2)
        cell.kill()
        began = time.monotonic()
        assert cell.wait(timeout=10)
        assert time.monotonic() - began < 8  # by itself it would go on
