"""The worker's side of the spawner: starts it, asks it for cells, stops it."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from worker.cell.birth import ENVIRONMENT
from worker.cell.task import Task
from worker.spawner.handle import Cell
from worker.spawner.listener import Listener, wait_for
from worker.spawner.message import hear, tell
from worker.spawner.verdict import Unconfined

__all__ = ["Cell", "Spawner", "SpawnerFailed", "Task", "Unconfined"]

READY_SECONDS = 15.0
ANSWER_SECONDS = 10.0
STOP_SECONDS = 5.0
PROGRAM = Path(__file__).with_name("__main__.py")


class SpawnerFailed(Exception):
    """The spawner did not start, is gone, or could not make this cell; the text says which."""


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
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start it, again if it died; ready on return, or SpawnerFailed after 15 s."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(
                "Start the spawner from the main thread: the signal that ends it with its parent "
                "follows the thread that started it, and would come when that thread ends."
            )
        self.stop()
        try:
            ours, theirs = _pair()
            with self._lock:
                self._control = ours
            with theirs:
                self._process = self._exec(theirs.fileno())
            self.ready = _readiness(ours)
        except OSError as error:
            raise SpawnerFailed(f"the spawner cannot be started: {error}") from error
        except SpawnerFailed:
            self.stop()
            raise

    def stop(self) -> None:
        """End it and all its cells, also those that ignore every signal but one; idempotent."""
        with self._lock:
            if self._control:
                self._control.close()  # which ends it in order, its cells first
            self._control = None
        if self._process:
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

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

    def _exec(self, control: int) -> "subprocess.Popen[bytes]":
        told = {
            "control": control,
            "worker": os.getpid(),
            "path": _absolute([*self._python_path, *sys.path]),
            "converters": self._converters,
        }
        return subprocess.Popen(
            [sys.executable, "-I", str(PROGRAM), json.dumps(told)],
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[control],
            start_new_session=True,  # a terminal's signals are the worker's business
        )

    def _request(self, task: Task, descriptors: tuple[int, int, int]) -> None:
        with self._lock:
            if self._control is None:
                raise SpawnerFailed("the spawner has not been started, or was stopped")
            try:
                tell(self._control, task.to_message(), descriptors)
            except OSError as error:
                raise SpawnerFailed(f"the spawner is gone: {error}") from error


def _readiness(control: socket.socket) -> dict[str, str | None]:
    if not wait_for({control.fileno()}, seconds=READY_SECONDS):
        raise SpawnerFailed(f"the spawner was not ready within {READY_SECONDS:g} s")
    message, _ = hear(control)
    if message is None:
        raise SpawnerFailed("the spawner ended before it was ready")
    ready: dict[str, str | None] = message["ready"]
    return ready


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


def _pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _channel(ours: ExitStack, theirs: ExitStack) -> tuple[socket.socket, socket.socket]:
    here, there = _pair()
    return ours.enter_context(here), theirs.enter_context(there)


def _pipe(ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    here, there = os.pipe()
    ours.callback(os.close, here)
    theirs.callback(os.close, there)
    return here, there


def _absolute(path: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(str(Path(entry).absolute()) for entry in path))
