"""The worker's side of one cell: waits for it, ends it, and says how it ended."""

import os
import signal
import socket
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from worker.cell.task import Task
from worker.outcome import Broken, Converted, Refused
from worker.spawner.hearsay import clean_lines
from worker.spawner.listener import Listener, wait_for
from worker.spawner.message import Ending, hear
from worker.spawner.remains import end_session
from worker.spawner.verdict import verdict

DEATH_SECONDS = 1.0


class Cell:
    """One conversion in its own process.

    One thread waits. Any thread may kill, and read `progress`, `stage` and `moved_at`, which is
    the time.monotonic() of the last real change of progress. Always close it.
    """

    def __init__(
        self, task: Task, *, pid: int, pidfd: int, status: socket.socket, listener: Listener
    ) -> None:
        self.pid = pid
        self.ended = False
        self.ending: Ending | None = None  # stays None when the spawner died before the cell
        self._task = task
        self._pidfd = pidfd
        self._status = status
        self._listener = listener
        self._killed = False
        self._lock = threading.Lock()  # nobody may signal through a descriptor that is closed

    @property
    def progress(self) -> float:
        return self._listener.hearsay.progress

    @property
    def stage(self) -> str:
        return self._listener.hearsay.stage

    @property
    def moved_at(self) -> float:
        return self._listener.hearsay.moved_at

    @property
    def stderr(self) -> str:
        """The end of what the cell printed, cleaned for an operator's log."""
        return clean_lines(self._listener.printed.decode(errors="replace"))

    def wait(self, *, timeout: float) -> bool:
        """Listen for some seconds at most; True once the cell and all that it left have ended."""
        deadline = time.monotonic() + timeout
        while not self.ended:
            left = deadline - time.monotonic()
            self._attend(left)
            if left <= 0:
                break
        return self.ended

    def kill(self) -> None:
        """End it at once; nothing happens when it has ended already, or is closed.

        Only its leader is killed from here. The rest of its session the spawner ends, before it
        reaps the leader: until then the number of the session cannot have passed to a stranger.
        """
        with self._lock:
            if self._pidfd >= 0 and not self.ended:
                self._killed = True
                self._signal()

    def outcome(self) -> Converted | Refused | Broken:
        """Return how it ended; ask only after wait() has said that it has. Raises Unconfined."""
        if not self.ended:
            raise RuntimeError("the cell has not ended yet")
        hearsay = self._listener.hearsay
        return verdict(self._task, self.ending, hearsay, killed=self._killed, stderr=self.stderr)

    def close(self) -> None:
        """Kill it if it lives, and let go of every descriptor."""
        self.kill()
        with self._lock:
            if self._pidfd >= 0:
                os.close(self._pidfd)
                self._status.close()
                self._listener.close()
            self._pidfd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _attend(self, seconds: float) -> None:
        rest = self._listener.resting()
        status = self._status.fileno()
        patience = min(seconds, rest) if rest > 0 else seconds
        ready = wait_for({status} | self._listener.sources(), seconds=patience)
        self._listener.listen(ready)
        if status in ready:
            self._end()

    def _end(self) -> None:
        message, _ = hear(self._status)
        if message is None:
            self._end_without_spawner()
        else:
            self.ending = Ending(**message["ended"])
        self._listener.drain()
        self.ended = True

    def _end_without_spawner(self) -> None:
        """Wait for the death that the spawner's causes, and end what it can no longer end.

        A signal from here could come before the spawner is wholly gone; then the dead cell would
        pass to us a moment after we had looked, and stay a zombie.
        """
        if not wait_for({self._pidfd}, seconds=DEATH_SECONDS):
            self._signal()
        with suppress(ChildProcessError):  # it is ours when we are the init of a container
            os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOHANG)
        end_session(self.pid)

    def _signal(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
