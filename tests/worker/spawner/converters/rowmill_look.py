"""A converter that tells what it sees of its own process instead of converting."""

import os
import resource
import signal
import stat
import tempfile
from pathlib import Path
from typing import Any

from worker.cell.prctl import PR_GET_NO_NEW_PRIVS, prctl
from worker.cell.privacy import is_dumpable
from worker.outcome import Converted

SPAWNER: dict[str, Any] = {"imported_with": sorted(os.environ)}
os.environ["LEFT_BY_AN_IMPORT"] = "1"
tempfile.gettempdir()  # whose answer Python keeps


def _look_at_the_spawner() -> None:
    """Note what only the spawner itself can see of it: its /proc is closed to others."""
    SPAWNER.update(
        environment=dict(os.environ),
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        dumpable=is_dumpable(),
    )


os.register_at_fork(before=_look_at_the_spawner)


def convert(source: Path, target: Path, *, limits: Any, **told: Any) -> Converted:
    return Converted(
        {
            "spawner": SPAWNER,
            "arguments": told | {"progress": None, "limits": vars(limits)},
            "source": str(source),
            "target": str(target),
            "cwd": str(Path.cwd()),
            "environment": dict(os.environ),
            "tempdir": tempfile.gettempdir(),
            "descriptors": {number: _kind(number) for number in range(256) if _kind(number)},
            "inherited": [number for number in range(3, 256) if _inheritable(number)],
            "session": os.getsid(0),
            "group": os.getpgrp(),
            "pid": os.getpid(),
            "parent": os.getppid(),
            "umask": os.umask(0o077),
            "dumpable": is_dumpable(),
            "no_new_privileges": prctl(PR_GET_NO_NEW_PRIVS),
            "default_signals": [
                signal.getsignal(number) == signal.SIG_DFL
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            ],
            "limits": {
                name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
                for name in ("AS", "CPU", "FSIZE", "NOFILE", "CORE", "MEMLOCK", "STACK")
            },
        }
    )


def _kind(number: int) -> str | None:
    try:
        found = os.fstat(number)
    except OSError:
        return None
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == os.makedev(1, 3):
        return "null"
    names = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
    return names.get(stat.S_IFMT(found.st_mode), "something else")


def _inheritable(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False
