"""Bytes go from one file into another inside the kernel, or not at all on disks that share."""

import errno
import os
from collections.abc import Callable

READ_BYTES = 1024**2
# By these a kernel or a file system says that it has no way of its own between the two files.
_NO_WAY = frozenset(
    {errno.EXDEV, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EPERM, errno.EBADF}
)

# Copies at most so many bytes to an offset of another file; returns how many it was.
Step = Callable[[int, int, int, int, int], int]


class Ended(OSError):
    """The source has fewer bytes than it should."""


def copy(source: int, target: int, *, count: int, at: int, to: int) -> None:
    """Copy `count` bytes from the offset `at` of a file to the offset `to` of another.

    btrfs and XFS give both files the same blocks where the offsets are multiples of those; other
    file systems copy without a way through this process; the rest is read and written.
    """
    step: Step = _in_kernel
    while count > 0:
        done = 0
        try:
            done = step(source, target, count, at, to)
        except OSError as error:
            if step is _through_here or error.errno not in _NO_WAY:
                raise
        if done:
            count, at, to = count - done, at + done, to + done
        elif step is _through_here:
            raise Ended(errno.EIO, "the file is shorter than it was")
        else:
            step = _through_here  # some kernels say 0 where they mean that they cannot


def _in_kernel(source: int, target: int, count: int, at: int, to: int) -> int:
    return os.copy_file_range(source, target, count, at, to)


def _through_here(source: int, target: int, count: int, at: int, to: int) -> int:
    piece = os.pread(source, min(READ_BYTES, count), at)
    return os.pwrite(target, piece, to)
