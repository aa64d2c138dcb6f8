"""Names on a disk that survive a power loss: a file's bytes, its name and its folder are synced."""

import contextlib
import errno
import os
from collections.abc import Mapping
from pathlib import Path


def move(source: Path, target: Path) -> None:
    """Rename a file whose bytes are synced, then sync both folders.

    Without the folders' fsync a file system may forget the new name, or bring back the old one,
    although the bytes are safe.
    """
    move_out({source: target})
    sync_folder(source.parent)


def move_out(moves: Mapping[Path, Path]) -> None:
    """Rename files of a folder in which nothing lasts, then sync each folder that they came to.

    That an old name may come back does no harm there.
    """
    for source, target in moves.items():
        source.rename(target)
    for folder in dict.fromkeys(target.parent for target in moves.values()):
        sync_folder(folder)


def make_folder(folder: Path) -> None:
    """Make a folder (not its parents) that is still there after a power loss.

    The parent is synced also when the folder is there: another process may have made it a moment
    ago and be about to sync it.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    sync_folder(folder.parent)


def make_path(folder: Path, *, mode: int = 0o777) -> None:
    """Make a folder and what is missing above it, to be still there after a power loss."""
    missing = [place for place in folder.parents if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        sync_folder(place.parent)
    folder.mkdir(mode=mode, exist_ok=True)
    with contextlib.suppress(PermissionError):  # we cannot have made it where we cannot even look
        sync_folder(folder.parent)


def sync_file(file: Path) -> None:
    """Sync a file that someone else wrote; a symbolic link is refused."""
    _sync(file, os.O_RDONLY | os.O_NOFOLLOW)


def read(file: Path, *, most_bytes: int) -> bytes:
    """Return the content of a file; raise OSError for a link, or for one that is larger."""
    with open(file, "rb", opener=_without_trust) as stream:
        content = stream.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file))
    return content


def sync_folder(folder: Path) -> None:
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def create(file: Path, content: bytes) -> None:
    """Make a file with its whole content at once; raise FileExistsError if the name is taken."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        _write_synced(draft, content)
        os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(file.parent)


def _without_trust(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _write_synced(file: Path, content: bytes) -> None:
    with file.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
