"""Finds out whether memory or disk ran out.

LibreOffice takes that for a fault of the document, or for none: it writes what fits, leaves out a
picture or the end, and says that all went well.
"""

import errno
import mmap
import os
import resource
import signal
import threading
from pathlib import Path

_TO_START = 320 * 1024**2  # with less it misreads the document, or waits for ever for a thread
_TO_UNPACK = 64 * 1024**2
_UNPACKED = 20  # times its size, a document in temporary files
_NOTHING_LEFT = 1024**2

_has_met_limit = threading.Event()


def check_before() -> None:
    """Raise OSError unless there is memory enough to start at all."""
    mmap.mmap(-1, _TO_START).close()


def watch() -> None:
    """Note from now on when a file meets the limit of its size, which would end the process."""
    signal.signal(signal.SIGXFSZ, lambda *_: _has_met_limit.set())


def check_written(made: Path) -> None:
    """Raise OSError if something may have been left out of what was written."""
    if _has_met_limit.is_set() or made.stat().st_size >= _limit(resource.RLIMIT_FSIZE):
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    if _free(made.parent) < _NOTHING_LEFT:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


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
    if _free(folder) < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _free(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _limit(name: int) -> float:
    limit = resource.getrlimit(name)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit
