"""Turns a freshly forked child of the spawner into a cell that owns nothing of its parent."""

import os
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

from worker.cell.prctl import PR_SET_PDEATHSIG, prctl
from worker.cell.privacy import make_dumpable, make_undumpable
from worker.cell.task import Task

OUT = 3  # the only descriptor of a cell besides stdin, stdout and stderr

# libvips reads its thread count, and glibc its arenas, once at their start: the spawner is
# started with these too, and what it imports has them already when a cell is forked.
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "VIPS_CONCURRENCY": "2",
    "MALLOC_ARENA_MAX": "2",
}


def be_born(task: Task, *, parent: int, out: int, stderr: int) -> None:
    """Leave the spawner's session, descriptors, signals and environment; die when it dies."""
    os.setsid()
    die_with(parent)
    _keep_only(out, stderr)
    _be_first_to_die()
    _answer_signals()
    os.umask(0o077)
    os.chdir(task.scratch)
    _live_in(task.scratch)


def die_with(parent: int) -> None:
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above, and no signal will come
        os._exit(1)


def _keep_only(out: int, stderr: int) -> None:
    """Leave 0 and 1, null in the spawner already, the error pipe and the channel; close others."""
    os.dup2(stderr, 2)
    if out != OUT:
        os.dup2(out, OUT, inheritable=False)  # a program that the converter starts has no say
    os.closerange(OUT + 1, os.sysconf("SC_OPEN_MAX"))


def _be_first_to_die() -> None:
    """Tell the kernel to take this process, and not the worker, when memory runs out.

    Best effort: a container may mount /proc read-only. An undumpable process may not write there.
    """
    make_dumpable()
    with suppress(OSError):
        adjustment = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        try:
            os.write(adjustment, b"1000")  # open() and Path touch, so copy, many more pages
        finally:
            os.close(adjustment)
    make_undumpable()


def _answer_signals() -> None:
    """Undo what the spawner ignores; a program started by exec would go on ignoring it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _live_in(scratch: Path) -> None:
    home = str(scratch)
    os.environ.clear()
    os.environ.update(ENVIRONMENT, HOME=home, TMPDIR=home)
    tempfile.tempdir = home  # an import may have asked for it, and the answer is kept
