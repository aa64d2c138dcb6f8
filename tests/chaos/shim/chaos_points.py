"""Counts the file operations and statements of a process, and stops it at one of them."""

import builtins
import io
import os
import re
import signal
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

FILE_OPERATIONS = (
    "open",
    "pwrite",
    "pwritev",
    "write",
    "copy_file_range",
    "truncate",
    "ftruncate",
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
# What a file opened by Python's own `open` does; the rest of it goes past the functions above.
STREAM_OPERATIONS = ("write", "flush", "truncate", "close")
# What goes on by itself, whatever is being uploaded or converted.
_BACKGROUND_THREADS = ("janitor",)
_BACKGROUND_NAMES = ("alive",)
_BACKGROUND_STATEMENTS = re.compile(r"swept_at|\b(INTO|UPDATE) workers\b|UPDATE jobs SET progress")
# A thread of the API's works for a request, whatever it asks; a worker's desk also looks around.
_REQUEST_THREADS = ("database",)
_CHANGES = re.compile(r"\b(INSERT|UPDATE|DELETE)\b|\bFOR (NO KEY |KEY )?(UPDATE|SHARE)\b")
_STATEMENT = re.compile(r"\b(WITH|INSERT|UPDATE|DELETE|SELECT)\b.*", re.DOTALL)
_NO_FILES = ("pipe:", "socket:", "anon_inode:")


class Points:
    """`pass_` is called before and after everything that may be lost halfway.

    Once armed it counts, and at one of them the process stands still until a SIGCONT comes, if
    nobody kills it before. `log` gets a line for each.
    """

    def __init__(self, log: str) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._at = 0
        self._count = 0
        self._armed = False
        self._lock = threading.Lock()
        self._write = os.write

    def arm(self, at: int) -> None:
        self._at, self._count, self._armed = at, 0, True
        self._write(self._log, f"armed for {at}\n".encode())

    def pass_(self, name: str) -> None:
        if not self._armed or threading.current_thread().name.startswith(_BACKGROUND_THREADS):
            return
        with self._lock:
            self._count += 1
            self._write(self._log, f"{self._count} {name}\n".encode())
            if self._count == self._at:
                # To this very thread: one sent to the process may reach another first.
                signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)

    def around(
        self, name: str, call: Callable[..., Any], place: str | None = None
    ) -> Callable[..., Any]:
        """Return a function that does the same between two points; it names its own place."""

        def watched(*arguments: Any, **options: Any) -> Any:
            where = _place(arguments) if place is None else place
            return self.do(name, where, partial(call, *arguments, **options))

        return watched

    def do(self, name: str, place: str, call: Callable[[], Any]) -> Any:
        """Do something with a point before and one after it."""
        if place.startswith(_NO_FILES) or place in _BACKGROUND_NAMES:
            return call()
        self.pass_(f"before {name} {place}")
        value = call()
        self.pass_(f"after {name} {place}")
        return value


def install(log: str) -> None:
    """Watch this process; SIGUSR1 arms it for the point whose number stands in `log`.at."""
    points = Points(log)
    watch_files(points)
    _watch_statements(points)
    signal.signal(signal.SIGUSR1, lambda *_: points.arm(int(Path(f"{log}.at").read_text())))


def watch_files(points: Points) -> None:
    for name in FILE_OPERATIONS:
        setattr(os, name, points.around(name, getattr(os, name)))
    io.open = builtins.open = _watching_streams(points)


def _watching_streams(points: Points) -> Callable[..., Any]:
    """Return an `open` whose files pass a point with all that changes them."""
    really_open = io.open

    def watched(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if not set(mode) & set("wax+"):
            return really_open(file, mode, *arguments, **options)
        place = _place((file,))
        stream = points.do("open", place, partial(really_open, file, mode, *arguments, **options))
        for name in STREAM_OPERATIONS:
            setattr(stream, name, points.around(name, getattr(stream, name), place))
        return stream

    return watched


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
    PGDialect_psycopg2.do_commit = points.around("COMMIT", commit, "")  # type: ignore[method-assign]


def _is_of_a_path(statement: str) -> bool:
    """Leave out the beats and the sweeps, which come whenever they like."""
    if _BACKGROUND_STATEMENTS.search(statement):
        return False
    is_of_a_request = threading.current_thread().name.startswith(_REQUEST_THREADS)
    return is_of_a_request or _CHANGES.search(statement) is not None


def _head(statement: str) -> str:
    found = _STATEMENT.search(statement)
    said = found[0] if found else statement
    return " ".join(said[:60].split())


def _place(arguments: tuple[Any, ...]) -> str:
    """Name the file or, for a descriptor, what it leads to."""
    first = arguments[0] if arguments else ""
    if isinstance(first, int):
        try:
            first = Path(f"/proc/self/fd/{first}").readlink()
        except OSError:
            first = "?"
    return Path(str(first)).name[:40] if isinstance(first, str | Path) else type(first).__name__
