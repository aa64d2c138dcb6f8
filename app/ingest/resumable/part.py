"""A file that nobody else may write to: the half of a resumable upload that blocks."""

import fcntl
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise
from app.ingest.part import full_disk_is_no_room, write_at
from app.ingest.refusals import NoRoom
from app.ingest.running import Piece, RunningDigest
from app.storage import FULL, Storage
from app.storage.durable import sync_folder

MIB = 1024**2
BACKLOG_BYTES = 8 * MIB  # what is read again with each batch


class Unsynced(Exception):
    """The kernel has let go of bytes that never reached the disk, and counts them all the same.

    That is final: a second fsync would succeed and mean nothing.
    """


class LockedPart:
    """Made by `lock`; one thread at a time calls it. Its length is the truth about the offset.

    The kernel lets go of the lock when the file is closed, also when the process is killed.
    """

    def __init__(self, path: Path, descriptor: int, *, storage: Storage) -> None:
        self.path = path
        self.size = 0
        self._descriptor = descriptor
        self._storage = storage
        # How much of it is known to survive a power loss; None: whoever wrote it may have died.
        self._safe: int | None = None
        # A descriptor that a thread writes to must not be closed and given to someone else.
        self._writing = threading.Lock()

    def is_locked(self) -> bool:
        """Take the lock; False while somebody else has it. For `lock` alone."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        found = os.fstat(self._descriptor)
        if not os.path.samestat(self.path.stat(), found):
            raise FileNotFoundError(self.path)
        self.size = found.st_size
        self._safe = None if self.size else 0
        return True

    def append(self, pieces: Sequence[Piece], digest: RunningDigest, *, beside: int = 0) -> None:
        """Write at the end; whatever goes wrong, `size` is what is there. NoRoom: nearly full.

        `beside` is what has to stay free for others.
        """
        if not self._storage.room_for(sum(map(len, pieces)) + beside):
            raise NoRoom
        if self._safe is None:
            self.sync()
        start = self.size
        with self._writing:
            try:
                with full_disk_is_no_room():
                    write_at(self._descriptor, pieces, start)
            finally:
                self.size = os.fstat(self._descriptor).st_size
        digest.add(pieces, at=start)
        digest.catch_up(self._descriptor, until=self.size, most=BACKLOG_BYTES)

    def first_opinion(self) -> str | None:
        """Return what the first MiB says the file is, before the rest of it has come."""
        return recognise(os.pread(self._descriptor, HEAD_BYTES, 0))

    def sync(self) -> None:
        """Make what was written survive a power loss, or raise NoRoom or Unsynced.

        NFS and thin volumes find out only now that the disk is full. What came since the last
        sync is cut off then, as nobody knows how much of it is there; so it can be sent again.
        """
        with self._writing:
            if self._safe == self.size:
                return
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                if error.errno not in FULL or self._safe is None:
                    raise Unsynced from error
                self._cut(self._safe)
                raise NoRoom from error
            self._safe = self.size

    def finish(self, digest: RunningDigest) -> tuple[str, str | None]:
        """Return the digest of the synced file and what its bytes say it is.

        The file's time becomes now: for a moment it will have a lasting name that no row knows,
        and a sweep must not take it for an orphan because its last byte came long ago.
        """
        self.sync()
        digest.catch_up(self._descriptor, until=self.size, most=self.size)
        os.utime(self._descriptor)
        head = os.pread(self._descriptor, HEAD_BYTES, 0)
        tail = os.pread(self._descriptor, TAIL_BYTES, max(0, self.size - TAIL_BYTES))
        return digest.hexdigest(), recognise(head, tail, size=self.size)

    def unlink(self) -> None:
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the lock; a thread that still writes is waited for, a later one fails."""
        with self._writing:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    def _cut(self, size: int) -> None:
        try:
            os.ftruncate(self._descriptor, size)
            os.fsync(self._descriptor)
        except OSError as error:
            raise Unsynced from error
        self.size = size


def make(path: Path) -> None:
    """Make the empty file of an upload, to be there after a power loss; NoRoom on a full disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with full_disk_is_no_room():
        os.close(os.open(path, flags, 0o600))
        try:
            sync_folder(path.parent)
        except OSError:
            path.unlink(missing_ok=True)
            raise


def lock(paths: Sequence[Path], *, storage: Storage) -> LockedPart | None:
    """Lock the first of the files that exists; None while somebody else writes to it.

    FileNotFoundError: there is none, or it was renamed or deleted before we had it.
    """
    path, descriptor = _open_first(paths)
    part = LockedPart(path, descriptor, storage=storage)
    try:
        if part.is_locked():
            return part
    except BaseException:
        part.close()
        raise
    part.close()
    return None


def _open_first(paths: Sequence[Path]) -> tuple[Path, int]:
    for path in paths:
        with suppress(FileNotFoundError):
            return path, os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    raise FileNotFoundError(paths[0])
