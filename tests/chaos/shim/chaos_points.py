"""Counts the file operations and statements of a process, and kills it at one of them."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILE_OPERATIONS = (
    "open",
    "pwritev",
    "write",
    "fsync",
    "rename",
    "replace",
    "link",
    "unlink",
    "symlink",
    "mkdir",
    "rmdir",
    "utime",
)
# What goes on by itself, whatever is being uploaded or converted.
_BACKGROUND_THREADS = ("janitor",)
_BACKGROUND_NAMES = ("alive",)
_NO_FILES = ("pipe:", "socket:", "anon_inode:")


class Points:
    """Armed by SIGUSR1. `pass_` is called before and after everything that may be lost halfway."""

    def __init__(self, log: str, *, at: int) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._at = at
        self._count = 0
        self._armed = False
        self._lock = threading.Lock()
        self._write = os.write

    def arm(self, *_: object) -> None:
        self._armed = True
        self._write(self._log, b"armed\n")

    def pass_(self, name: str) -> None:
        if not self._armed or threading.current_thread().name.startswith(_BACKGROUND_THREADS):
            return
        with self._lock:
            self._count += 1
            self._write(self._log, f"{self._count} {name}\n".encode())
            if self._count == self._at:
                os.kill(os.getpid(), signal.SIGKILL)

    def around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            place = _place(arguments)
            if place.startswith(_NO_FILES) or place in _BACKGROUND_NAMES:
                return call(*arguments, **options)
            said = f"{name} {place}"
            self.pass_(f"before {said}")
            value = call(*arguments, **options)
            self.pass_(f"after {said}")
            return value

        return watched


def install(log: str, *, at: int) -> None:
    """Watch this process."""
    points = Points(log, at=at)
    for name in FILE_OPERATIONS:
        setattr(os, name, points.around(name, getattr(os, name)))
    _watch_statements(points)
    signal.signal(signal.SIGUSR1, points.arm)


def _watch_statements(points: Points) -> None:
    from sqlalchemy import Engine, event
    from sqlalchemy.dialects.postgresql.psycopg2 import PGDialect_psycopg2

    def before(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if _is_of_a_path(statement):
            points.pass_(f"before {_head(statement)}")

    def after(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if _is_of_a_path(statement):
            points.pass_(f"after {_head(statement)}")

    event.listen(Engine, "before_cursor_execute", before)
    event.listen(Engine, "after_cursor_execute", after)
    commit = PGDialect_psycopg2.do_commit
    PGDialect_psycopg2.do_commit = points.around("COMMIT", commit)  # type: ignore[method-assign]


def _is_of_a_path(statement: str) -> bool:
    """Leave out the beats and the sweeps, which come whenever they like."""
    writes = any(word in statement for word in ("INSERT INTO", "UPDATE uploads", "DELETE FROM"))
    return writes and "swept_at" not in statement and "INTO workers" not in statement


def _head(statement: str) -> str:
    start = min(
        (
            at
            for word in ("INSERT", "WITH", "UPDATE", "DELETE")
            if (at := statement.find(word)) >= 0
        ),
        default=0,
    )
    return " ".join(statement[start : start + 60].split())


def _place(arguments: tuple[Any, ...]) -> str:
    """Name the file or, for a descriptor, what it leads to."""
    first = arguments[0] if arguments else ""
    if isinstance(first, int):
        try:
            first = Path(f"/proc/self/fd/{first}").readlink()
        except OSError:
            first = "?"
    return Path(str(first)).name[:40] if isinstance(first, str | Path) else type(first).__name__
