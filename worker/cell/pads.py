"""The processes from which a confined cell starts programs: it can make none itself.

A pad is forked before the filter that forbids it, is confined like the cell, and waits. Told what
to run it becomes that program; never told, it ends with the cell. So no process of a cell can make
another one, and how many there are is known before the first byte of input is read.
"""

import json
import os
import signal
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from worker.cell.birth import die_with

_ORDER = 3  # where a pad hears what to run; 0 is null, 1 and 2 are pipes to the cell
_NOT_RUN = 127  # as a shell says it


@dataclass(frozen=True)
class Pad:
    """The cell's side: its child, where it takes its order, and what it prints."""

    pid: int
    order: int
    stdout: int
    stderr: int


class NoPad(Exception):
    """The conversion starts more programs than its family said in Needs.programs."""


_free: list[Pad] | None = None


def make(count: int, *, confine: Callable[[], None]) -> None:
    """Fork so many pads; each confines itself by `confine` before it hears anything."""
    global _free  # noqa: PLW0603 - what a process has left of them is its own state
    _free = [_fork(confine) for _ in range(count)]


def take() -> Pad | None:
    """Return one that is free, for one program; None outside of a cell. Raise NoPad."""
    if _free is None:
        return None
    if not _free:
        raise NoPad("no program may be started: Needs.programs of this family is too small")
    return _free.pop()


def launch(pad: Pad, argv: Sequence[str], environment: Mapping[str, str]) -> None:
    """Have the pad become a program."""
    with os.fdopen(pad.order, "w", encoding="utf-8") as order:
        json.dump([list(argv), dict(environment)], order)


def _fork(confine: Callable[[], None]) -> Pad:
    cell = os.getpid()
    hear, order = os.pipe()
    stdout, its_stdout = os.pipe()
    stderr, its_stderr = os.pipe()
    if (pid := os.fork()) == 0:
        _live(cell, (hear, its_stdout, its_stderr), confine)
    for theirs in (hear, its_stdout, its_stderr):
        os.close(theirs)
    return Pad(pid, order, stdout, stderr)


def _live(cell: int, pipes: tuple[int, int, int], confine: Callable[[], None]) -> NoReturn:
    try:
        _be_a_pad(cell, *pipes)
        confine()
        with os.fdopen(_ORDER, encoding="utf-8") as told:
            order = told.read()
        if order:
            _become(*json.loads(order))
    except BaseException:  # noqa: BLE001 - nothing may escape into the cell's own code
        traceback.print_exc()
    finally:
        os._exit(_NOT_RUN)


def _be_a_pad(cell: int, hear: int, stdout: int, stderr: int) -> None:
    """Die with the cell, and hold none of its descriptors: not its channel, not other pads'."""
    die_with(cell)
    os.dup2(hear, _ORDER, inheritable=False)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.closerange(_ORDER + 1, os.sysconf("SC_OPEN_MAX"))


def _become(argv: list[str], environment: dict[str, str]) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and exec would keep that
    os.execve(argv[0], argv, environment)  # noqa: S606 - there is no shell in it
