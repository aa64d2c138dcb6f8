"""Opens what a cell left as its result, trusting nothing about it."""

import os
import stat
from pathlib import Path


class BadResult(Exception):
    """There is no result that may be touched; `code` is for the person, `log` for operators."""

    def __init__(self, code: str, log: str) -> None:
        super().__init__(f"{code}: {log}")
        self.code = code
        self.log = log


def check_result(scratch: Path, name: str, *, limit_bytes: int) -> int:
    """Return an open, read-only descriptor of a regular, single-linked, non-empty result.

    The caller closes it, and reads through it: the name may mean something else a moment later.
    Raises BadResult; never follows a link and never waits for the other end of a FIFO.
    """
    descriptor = _open(scratch, name)
    try:
        _check(os.fstat(descriptor), limit_bytes=limit_bytes)
    except BadResult:
        os.close(descriptor)
        raise
    return descriptor


def _open(scratch: Path, name: str) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        folder = os.open(scratch, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            return os.open(name, flags, dir_fd=folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise BadResult("output_empty", f"{name} cannot be opened: {error.strerror}") from error


def _check(found: os.stat_result, *, limit_bytes: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise BadResult("output_empty", f"not a regular file: {stat.filemode(found.st_mode)}")
    if found.st_nlink != 1:
        raise BadResult("output_empty", f"{found.st_nlink} links to the result")
    if found.st_size == 0:
        raise BadResult("output_empty", "the result has no bytes")
    if found.st_size > limit_bytes:
        raise BadResult("result_too_large", f"{found.st_size} bytes, more than {limit_bytes}")
