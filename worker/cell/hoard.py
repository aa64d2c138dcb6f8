"""Looks, from outside, at what a cell has put into its scratch folder so far.

The kernel's limit is one of each file; together they could still fill the disk.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MOST_ENTRIES = 100_000  # files cost room too, and a look at them time


def excess(scratch: Path, *, limit_bytes: int) -> str | None:
    """Return why this is more than one conversion may have there, for operators; None if it is not.

    Holes in files take no room and do not count.
    """
    taken = entries = 0
    try:
        for entry in _entries(scratch):
            entries += 1
            taken += entry.st_blocks * 512
            if taken > limit_bytes:
                return f"its scratch folder holds more than {limit_bytes} bytes"
            if entries > MOST_ENTRIES:
                return f"its scratch folder has more than {MOST_ENTRIES} entries"
    except OSError as error:  # too deep a path, or a folder made so that nobody can list it
        return f"its scratch folder cannot be looked through: {error.strerror}"
    return None


def _entries(top: Path) -> Iterator[os.stat_result]:
    folders = [os.fspath(top)]
    while folders:
        with suppress(FileNotFoundError), os.scandir(folders.pop()) as listed:  # gone meanwhile
            for entry in listed:
                with suppress(FileNotFoundError):
                    yield entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
