"""Turns a freshly forked child of the spawner into a cell that owns nothing of its parent."""

import os
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

from worker.cell.prctl import PR_SET_PDEATHSIG, prctl
from worker.cell.privacy import make_dumpable, make_undumpable
from worker.cell.task import Task

NICENESS = 10
OUT = 3  # the only descriptor of a cell besides stdin, stdout and stderr

# libvips reads its thread count, and glibc its arenas, once at their start: the spawner is
# started with these too, and what it imports has them already when a cell is forked.
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "VIPS_CONCURRENCY": "2",
    "MALLOC_ARENA_MAX": "2",
}


def leave_environment() -> None:
    """Leave nothing in the spawner's environment but what a cell may have, once all is imported."""
    os.environ.clear()
    os.environ.update(ENVIRONMENT)


def be_born(task: Task, *, parent: int, out: int, stderr: int) -> None:
    """Leave the spawner's session, descriptors, signals and environment; die when it dies."""
    os.setsid()
    die_with(parent)
    _keep_only(out, stderr)
    _stand_back()
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


def _stand_back() -> None:
    """Be the first to die when memory runs out, and the last to be served when CPUs are short.

    Whoever asks how far a file is must be answered while thirty others convert. Many kernels
    share CPUs out between sessions first, and a session of one cell would count as much as the
    API's, so the session is told to be nice as well as the process.

    Best effort: a container may mount /proc read-only, and a kernel takes a session's niceness
    from ordinary users ten times a second only. An undumpable process may not write there.
    """
    os.nice(NICENESS)
    make_dumpable()
    _write("/proc/self/oom_score_adj", b"1000")
    _write("/proc/self/autogroup", b"%d" % NICENESS)
    make_undumpable()


def _write(path: str, value: bytes) -> None:
    with suppress(OSError):
        opened = os.open(path, os.O_WRONLY)
        try:
            os.write(opened, value)  # open() and Path touch, so copy, many more pages
        finally:
            os.close(opened)


def _answer_signals() -> None:
    """Undo what the spawner ignores; a program started by exec would go on ignoring it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _live_in(scratch: Path) -> None:
    home = str(scratch)
    os.environ["HOME"] = os.environ["TMPDIR"] = home  # the rest the spawner has so already
    tempfile.tempdir = home  # an import may have asked for it, and the answer is kept
