"""The living cells of a spawner: born by fork, watched by pidfd, buried with all that they left."""

import os
import resource
import select
import signal
import socket
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass

from worker.cell.conversion import live
from worker.cell.task import Task
from worker.spawner.message import Ending, tell
from worker.spawner.remains import end_group, end_orphans

BURIAL_SECONDS = 1.0


@dataclass(frozen=True)
class Living:
    """A cell that has not been reaped; so its pid is its own, and safe to signal."""

    pid: int
    pidfd: int
    status: socket.socket


class Brood:
    def __init__(self, poll: "select.poll") -> None:
        self._poll = poll
        self._cells: dict[int, Living] = {}

    @property
    def living(self) -> bool:
        return bool(self._cells)

    def bear(self, task: Task, out: int, status: int, stderr: int) -> None:
        """Fork a cell. The three descriptors are taken over, whatever happens."""
        channel = socket.socket(fileno=status)
        try:
            cell = _fork(task, channel, out=out, stderr=stderr)
        except OSError as error:
            with channel:
                _tell(channel, {"failed": str(error)})
        else:
            self._watch(cell)
        finally:
            os.close(out)
            os.close(stderr)

    def look_after(self, ready: Collection[int]) -> None:
        """Bury who died, kill who is no longer wanted, and end the orphans of all."""
        for cell in list(self._cells.values()):
            if cell.pidfd in ready:
                self._bury(cell)
            elif cell.status.fileno() in ready:
                self._poll.unregister(cell.status)
                os.kill(cell.pid, signal.SIGKILL)
        end_orphans(but=self._cells, seconds=0)

    def end(self) -> None:
        """Kill and bury all."""
        for pid in self._cells:
            os.kill(pid, signal.SIGKILL)
        for cell in list(self._cells.values()):
            self._bury(cell)

    def _watch(self, cell: Living) -> None:
        self._cells[cell.pid] = cell
        self._poll.register(cell.pidfd, select.POLLIN)
        self._poll.register(cell.status, 0)  # ready when the worker hangs up, and only then
        _tell(cell.status, {"pid": cell.pid}, (cell.pidfd,))

    def _bury(self, cell: Living) -> None:
        """Reap a dead cell last, and say how it ended when nobody of it is left to write."""
        os.waitid(os.P_PID, cell.pid, os.WEXITED | os.WNOWAIT)
        end_group(cell.pid)
        _, status, usage = os.wait4(cell.pid, 0)
        del self._cells[cell.pid]
        end_orphans(but=self._cells, seconds=BURIAL_SECONDS)
        _tell(cell.status, {"ended": asdict(_ending(os.waitstatus_to_exitcode(status), usage))})
        self._forget(cell)

    def _forget(self, cell: Living) -> None:
        self._poll.unregister(cell.pidfd)
        with suppress(KeyError):  # the worker hung up before
            self._poll.unregister(cell.status)
        cell.status.close()
        os.close(cell.pidfd)


def _fork(task: Task, status: socket.socket, *, out: int, stderr: int) -> Living:
    me = os.getpid()
    if (pid := os.fork()) == 0:
        live(task, parent=me, out=out, stderr=stderr)
    try:
        return Living(pid, os.pidfd_open(pid), status)
    except OSError:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise


def _ending(exitcode: int, usage: resource.struct_rusage) -> Ending:
    return Ending(
        code=exitcode if exitcode >= 0 else None,
        signal=-exitcode if exitcode < 0 else None,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * 1024,
    )


def _tell(status: socket.socket, message: dict[str, object], pidfd: tuple[int, ...] = ()) -> None:
    with suppress(OSError):  # the worker hung up; nobody is left to hear it
        tell(status, message, pidfd, flags=socket.MSG_DONTWAIT)
