"""Faults of a moment: a process is killed or told to end, and started again."""

import contextlib
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime

import psutil

from tests.chaos.scene import Scene, cells_of, is_over, spawners_of
from tests.polling import poll
from tests.postgres import Server

# How long a strike waits for a victim of its kind.
PATIENCE_SECONDS = 1.0
# Tells whom it met: None where there was nobody.
Strike = Callable[[Scene, int], str | None]


def kill_api(scene: Scene, victim: int) -> str | None:
    api = scene.api(victim)
    return f"api {scene.apis.index(api)}" if api.kill() else None


def kill_worker(scene: Scene, victim: int) -> str | None:
    worker = scene.worker(victim)
    if entered := worker.process.lines("worker.entered"):
        scene.killed[json.loads(entered[-1])["worker"]] = datetime.now(UTC)
    return f"worker {scene.workers.index(worker)}" if worker.kill() else None


def kill_spawner(scene: Scene, victim: int) -> str | None:
    """Take one of those that run; a worker that is about to start has none yet."""
    return _one_of("spawner", lambda: _all(scene, spawners_of), victim)


def kill_cell(scene: Scene, victim: int) -> str | None:
    """Take one of the cells that run, wherever they are, or the first that comes."""
    return _one_of("cell", lambda: _all(scene, cells_of), victim)


def kill_postgres(scene: Scene, victim: int) -> str | None:
    return "postgres" if kill_server(scene.server) else None


def crash_postgres(scene: Scene, victim: int) -> str | None:
    scene.server.halt("immediate")
    scene.server.start()
    return "postgres"


def stop_worker(scene: Scene, victim: int) -> str | None:
    worker = scene.worker(victim)
    return "worker" if worker.stop(signals=signals(victim)) else None


def stop_api(scene: Scene, victim: int) -> str | None:
    return "api" if scene.api(victim).stop(signals=signals(victim)) else None


def signals(victim: int) -> int:
    """Return how often SIGTERM is sent: the second ends the grace."""
    return 1 + victim % 2


def kill_server(server: Server) -> bool:
    """Kill all of its processes at once, as the kernel does when memory runs out; start it again.

    Tell whether it had been alive until then.
    """
    first = psutil.Process(server.pid)
    first.suspend()  # so that it starts no other meanwhile, which would keep the next one out
    poll(lambda: first.status() == psutil.STATUS_STOPPED)
    sessions = first.children()
    for process in sessions:
        _kill(process)
    killed = _kill(first)
    server.halt()
    poll(lambda: all(map(is_over, sessions)), seconds=60)  # their memory, too
    server.start()
    return killed


def _all(scene: Scene, of: Callable[[int], list[psutil.Process]]) -> list[psutil.Process]:
    return [found for worker in scene.workers for found in of(worker.process.pid)]


def _one_of(kind: str, look: Callable[[], list[psutil.Process]], victim: int) -> str | None:
    """Kill one of those that are there within a while; many a cell lives for a moment only."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends:
        if (found := look()) and _kill(found[victim % len(found)]):
            return kind
        time.sleep(0.005)
    return None


def _kill(process: psutil.Process) -> bool:
    """Kill a process; tell whether it was alive until then: it is stopped first, and looked at."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.suspend()
        lives = not is_over(process)
        process.kill()
        return lives
    return False


STRIKES: dict[str, Strike] = {
    one.__name__: one
    for one in (
        kill_api,
        kill_worker,
        kill_spawner,
        kill_cell,
        kill_postgres,
        crash_postgres,
        stop_worker,
        stop_api,
    )
}
