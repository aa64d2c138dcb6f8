"""One `rowmill up` for each data folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.cli.refusal import CannotRun
from app.storage.durable import make_path


@contextmanager
def alone(data: Path) -> Iterator[None]:
    """Hold the data folder; the kernel lets go of it whatever becomes of this process."""
    make_path(data)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(data / "up.lock", flags, 0o600)
    try:
        _take(descriptor, data)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, data: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "of unknown number"
        raise CannotRun(
            f"Rowmill runs on {data} already (process {pid}). Stop that one first, "
            "or choose another data folder with ROWMILL_DATA."
        ) from None
