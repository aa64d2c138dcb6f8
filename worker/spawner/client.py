"""The worker's side of the spawner: starts it, asks it for cells, renews and stops it."""

import os
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from worker.cell.task import Task
from worker.spawner.handle import Cell
from worker.spawner.listener import Listener, wait_for
from worker.spawner.message import hear
from worker.spawner.process import Process, SpawnerFailed, pair
from worker.spawner.verdict import Unconfined

__all__ = ["Cell", "Spawner", "SpawnerFailed", "Task", "Unconfined"]

ANSWER_SECONDS = 10.0


class Spawner:
    """A process that imports the converters once and forks one cell for each task.

    `python_path` is where converters are looked for before the worker's own import path. After
    start(), `ready` has each converter with None, or with the reason why it cannot be used.
    """

    def __init__(self, *, converters: Sequence[str], python_path: Sequence[str] = ()) -> None:
        self.ready: dict[str, str | None] = {}
        self._converters = list(dict.fromkeys(converters))
        self._python_path = list(python_path)
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._retired: Process | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def cells(self) -> int:
        """How many cells the process that runs now was asked for."""
        return self._process.cells if self._process else 0

    @property
    def age_seconds(self) -> float:
        return time.monotonic() - self._process.began if self._process else 0.0

    @property
    def start_seconds(self) -> float:
        """How long the process that runs now took to be ready."""
        return self._process.start_seconds if self._process else 0.0

    @property
    def may_renew(self) -> bool:
        """Whether the process before has ended, so that there are two at most."""
        return self._retired is None

    def start(self) -> None:
        """Start it, again if it died; ready on return, or SpawnerFailed after 15 s."""
        self._replace(retire=False)

    def renew(self) -> None:
        """Have a fresh process make what comes; the one before ends when its last cell has.

        SpawnerFailed after 15 s: then the one before goes on.
        """
        self._replace(retire=True)

    def stop(self) -> None:
        """End it and all its cells, also those that ignore every signal but one; idempotent."""
        self._end(self._process, self._retired)

    def alive(self) -> bool:
        """Tell whether it lives; one that was renewed and has ended is buried on the way."""
        if self._retired is not None and not self._retired.alive():
            self._end(self._retired)
            self._retired = None
        return self._process is not None and self._process.alive()

    def cell(self, task: Task) -> Cell:
        """Return the cell that has begun to work on the task; from any thread."""
        with ExitStack() as ours, ExitStack() as theirs:
            out, its_out = _channel(ours, theirs)
            status, its_status = _channel(ours, theirs)
            stderr, its_stderr = _pipe(ours, theirs)
            self._request(task, (its_out.fileno(), its_status.fileno(), its_stderr))
            theirs.close()  # so that the end of the other side is seen here
            pid, pidfd = _birth(status)
            ours.pop_all()
        return Cell(task, pid=pid, pidfd=pidfd, status=status, listener=Listener(out, stderr))

    def _replace(self, *, retire: bool) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(
                "Start the spawner from the main thread: the signal that ends it with its parent "
                "follows the thread that started it, and would come when that thread ends."
            )
        if not retire:
            self._end(self._process)
        path = _absolute([*self._python_path, *sys.path])
        fresh = Process(converters=self._converters, path=path)
        with self._lock:
            before, self._process = self._process, fresh
            if retire and before is not None:
                before.retire()
        if retire:
            self._end(self._retired)  # an early renewal: two are the most
            self._retired = before
        self.ready = fresh.ready

    def _end(self, *processes: Process | None) -> None:
        known = [process for process in processes if process]
        with self._lock:
            for process in known:
                process.hang_up()
        for process in known:
            process.bury()

    def _request(self, task: Task, descriptors: tuple[int, int, int]) -> None:
        with self._lock:
            if self._process is None or self._process.hung_up:
                raise SpawnerFailed("the spawner has not been started, or was stopped")
            self._process.ask(task, descriptors)


def _birth(status: socket.socket) -> tuple[int, int]:
    """Return pid and pidfd of the new cell. On failure a closed channel has it killed."""
    if not wait_for({status.fileno()}, seconds=ANSWER_SECONDS):
        raise SpawnerFailed(f"the spawner gave no answer within {ANSWER_SECONDS:g} s")
    message, descriptors = hear(status)
    if message is None:
        raise SpawnerFailed("the spawner died, or has no descriptors left")
    if not descriptors:
        raise SpawnerFailed(f"the spawner could not make a cell: {message.get('failed')}")
    return message["pid"], descriptors[0]


def _channel(ours: ExitStack, theirs: ExitStack) -> tuple[socket.socket, socket.socket]:
    here, there = pair()
    return ours.enter_context(here), theirs.enter_context(there)


def _pipe(ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    here, there = os.pipe()
    ours.callback(os.close, here)
    theirs.callback(os.close, there)
    return here, there


def _absolute(path: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(str(Path(entry).absolute()) for entry in path))
