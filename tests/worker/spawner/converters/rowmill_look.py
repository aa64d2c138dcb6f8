"""A converter that tells what it sees of its own process instead of converting."""

import os
import resource
import signal
import tempfile
from pathlib import Path
from typing import Any

from worker.cell.prctl import PR_GET_NO_NEW_PRIVS, prctl
from worker.cell.privacy import is_dumpable
from worker.outcome import Converted

os.environ["LEFT_BY_AN_IMPORT"] = "1"
tempfile.gettempdir()  # whose answer Python keeps
SPAWNER: dict[str, Any] = {}


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
            "descriptors": {number: _link(number) for number in range(256) if _link(number)},
            "inherited": [number for number in range(3, 256) if _inheritable(number)],
            "session": os.getsid(0),
            "group": os.getpgrp(),
            "pid": os.getpid(),
            "parent": os.getppid(),
            "umask": os.umask(0o077),
            "oom": Path("/proc/self/oom_score_adj").read_text().strip(),
            "dumpable": is_dumpable(),
            "no_new_privileges": prctl(PR_GET_NO_NEW_PRIVS),
            "default_signals": [
                signal.getsignal(number) == signal.SIG_DFL
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            ],
            "limits": {
                name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
                for name in ("AS", "CPU", "FSIZE", "NOFILE", "CORE")
            },
        }
    )


def _link(number: int) -> str | None:
    try:
        return str(Path(f"/proc/self/fd/{number}").readlink())
    except OSError:
        return None


def _inheritable(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False
