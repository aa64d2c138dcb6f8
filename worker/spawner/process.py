"""One running spawner: its program, and the socket over which it is asked for cells."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from worker.cell.birth import ENVIRONMENT
from worker.cell.task import Task
from worker.spawner.listener import wait_for
from worker.spawner.message import hear, tell

READY_SECONDS = 15.0
STOP_SECONDS = 5.0
PROGRAM = Path(__file__).with_name("__main__.py")


class SpawnerFailed(Exception):
    """The spawner did not start, is gone, or could not make this cell; the text says which."""


class Process:
    """A spawner that was ready once; `ready` is what it said then. Not for several threads."""

    def __init__(self, *, converters: Sequence[str], path: Sequence[str]) -> None:
        """Start it; SpawnerFailed if it is not ready within 15 s, and nothing is left of it."""
        self.cells = 0
        self.began = time.monotonic()
        try:
            self._control, self._process = _started(converters=converters, path=path)
        except OSError as error:
            raise SpawnerFailed(f"the spawner cannot be started: {error}") from error
        try:
            self.ready = self._readiness()
        except (SpawnerFailed, OSError):
            self.hang_up()
            self.bury()
            raise
        self.start_seconds = time.monotonic() - self.began

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def hung_up(self) -> bool:
        return self._control.fileno() < 0

    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, task: Task, descriptors: tuple[int, int, int]) -> None:
        """Ask for a cell; raise SpawnerFailed when it is gone, ValueError at too long a task."""
        try:
            tell(self._control, task.to_message(), descriptors)
        except OSError as error:
            raise SpawnerFailed(f"the spawner is gone: {error}") from error
        self.cells += 1

    def retire(self) -> None:
        """Ask for nothing more: it ends by itself when its last cell has."""
        self._control.shutdown(socket.SHUT_WR)

    def hang_up(self) -> None:
        """Let it end in order, its cells first."""
        self._control.close()

    def bury(self) -> None:
        """Wait for its end after hang_up(); kill it, and so its cells, when it takes too long."""
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _readiness(self) -> dict[str, str | None]:
        if not wait_for({self._control.fileno()}, seconds=READY_SECONDS):
            raise SpawnerFailed(f"the spawner was not ready within {READY_SECONDS:g} s")
        message, _ = hear(self._control)
        if message is None:
            raise SpawnerFailed("the spawner ended before it was ready")
        ready: dict[str, str | None] = message["ready"]
        return ready


def pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _started(
    *, converters: Sequence[str], path: Sequence[str]
) -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    ours, theirs = pair()
    told = {
        "control": theirs.fileno(),
        "worker": os.getpid(),
        "path": list(path),
        "converters": list(converters),
    }
    with theirs:
        try:
            return ours, _exec(json.dumps(told), control=theirs.fileno())
        except OSError:
            ours.close()
            raise


def _exec(told: str, *, control: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-I", str(PROGRAM), told],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[control],
        start_new_session=True,  # a terminal's signals are the worker's business
    )
