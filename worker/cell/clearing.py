"""Deletes what a cell left behind, however it was laid out to outlive that.

Thousands of folders in one another would be too deep for a recursion and for a path; one made
without any rights cannot be listed by who is not root.
"""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def clear(folder: Path) -> None:
    """Delete a folder and all that is in it, and follow no link; leave what cannot be deleted."""
    with suppress(OSError):
        while inside := _folders(folder):
            for place in inside:
                _lift(place, folder)
        folder.rmdir()


def _lift(place: Path, top: Path) -> None:
    """Delete a folder and move those in it up to the top, so that no path ever gets long."""
    for deeper in _folders(place):
        deeper.chmod(0o700)  # to move a folder is to write into it
        deeper.rename(top / uuid4().hex)
    place.rmdir()


def _folders(place: Path) -> list[Path]:
    """Delete the files in a folder; return the folders."""
    place.chmod(0o700)
    folders = []
    with os.scandir(place) as listed:
        for entry in listed:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            else:
                Path(entry.path).unlink()
    return folders
