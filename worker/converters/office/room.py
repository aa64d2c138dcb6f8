"""Finds out whether memory or disk ran out, which LibreOffice takes for a fault of the document."""

import errno
import mmap
import os
import resource
from pathlib import Path

_TO_START = 320 * 1024**2  # with less it misreads the document, or waits for ever for a thread
_TO_UNPACK = 64 * 1024**2
_UNPACKED = 20  # times its size, a document in temporary files


def check_before() -> None:
    """Raise OSError unless there is memory enough to start at all."""
    mmap.mmap(-1, _TO_START).close()


def check_after(folder: Path, *, size: int) -> None:
    """Raise the OSError that may be behind a failure with a document of this size.

    What LibreOffice wrote before it failed is gone by now. So it is asked what it had: where that
    was little, nobody is told that the document is damaged.
    """
    needed = _TO_UNPACK + _UNPACKED * size
    # It is address space that is limited, of which a good part never becomes memory.
    if _peak_memory() > _limit(resource.RLIMIT_AS) / 2:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    if _limit(resource.RLIMIT_FSIZE) < needed:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _limit(name: int) -> float:
    limit = resource.getrlimit(name)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit
