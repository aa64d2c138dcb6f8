"""A lock that a server and all its children hold: who has it is alive, whatever a file says."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def lock_of(cluster: Path) -> Path:
    return cluster.with_name(f"{cluster.name}.lock")


@contextmanager
def open_lock(path: Path) -> Iterator[int]:
    """Yield a descriptor for `take`; whoever inherits it holds the lock until it ends too.

    The lock belongs to the open file, so it is free only when the last process that shares it
    is gone: also a backend that outlived its postmaster.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
