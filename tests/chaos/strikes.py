"""Faults of a moment: a process is killed or told to end, and started again."""

import contextlib
from collections.abc import Callable

import psutil

from tests.chaos.scene import Scene, family
from tests.polling import poll

Strike = Callable[[Scene, int], None]


def kill_api(scene: Scene, victim: int) -> None:
    scene.api(victim).kill()


def kill_worker(scene: Scene, victim: int) -> None:
    scene.worker(victim).kill()


def kill_spawner(scene: Scene, victim: int) -> None:
    """A worker that is about to start has none yet."""
    for process in family(scene.worker(victim))[:1]:
        _kill(process)


def kill_cell(scene: Scene, victim: int) -> None:
    """Take one of the cells that run now, wherever they are."""
    cells = [cell for worker in scene.workers for cell in family(worker)[1:]]
    for process in cells[victim % len(cells) :][:1] if cells else []:
        _kill(process)


def kill_postgres(scene: Scene, victim: int) -> None:
    """Kill all of its processes at once, as the kernel does when memory runs out."""
    first = psutil.Process(scene.server.pid)
    first.suspend()  # so that it starts no other meanwhile, which would keep the next one out
    poll(lambda: first.status() == psutil.STATUS_STOPPED)
    sessions = first.children()
    for process in [*sessions, first]:
        _kill(process)
    scene.server.halt()
    poll(lambda: all(_is_over(session) for session in sessions), seconds=60)  # their memory, too
    scene.server.start()


def crash_postgres(scene: Scene, victim: int) -> None:
    scene.server.halt("immediate")
    scene.server.start()


def stop_worker(scene: Scene, victim: int) -> None:
    scene.worker(victim).stop(signals=1 + victim % 2)


def stop_api(scene: Scene, victim: int) -> None:
    scene.api(victim).stop(signals=1 + victim % 2)


def _is_over(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _kill(process: psutil.Process) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()


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
