"""A file that grows by batches and is synced at the end: the half of the writer that blocks."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise
from app.ingest.copying import copy
from app.ingest.refusals import NoRoom
from app.ingest.running import Piece, RunningDigest
from app.storage import FULL, Storage

MOST_PIECES = 1024  # one pwritev takes no more (IOV_MAX)
COPY_BYTES = 8 * 1024**2  # a multiple of every file system's blocks, so that they can be shared


class PartFile:
    """One thread at a time calls it; the file exists from the first batch on."""

    def __init__(self, path: Path, *, storage: Storage, digest: RunningDigest) -> None:
        self.path = path
        self.size = 0
        self._storage = storage
        self._digest = digest
        self._descriptor: int | None = None
        self._made = False

    def append(self, pieces: Sequence[Piece], *, beside: int = 0) -> None:
        """Write the pieces and hash them; raise NoRoom rather than touch the disk's reserve.

        `beside` is what has to stay free for others, too.
        """
        if not self._storage.room_for(sum(map(len, pieces)) + beside):
            raise NoRoom
        start = self.size
        with full_disk_is_no_room():
            descriptor = self._open()
            for first in range(0, len(pieces), MOST_PIECES):
                self.size += write_at(descriptor, pieces[first : first + MOST_PIECES], self.size)
        self._digest.add(pieces, at=start)

    def take_over(self, source: int, size: int) -> None:
        """Append a whole file; what the digest does not cover yet is read back from the copy."""
        for at in range(0, size, COPY_BYTES):
            count = min(COPY_BYTES, size - at)
            if not self._storage.room_for(count):
                raise NoRoom
            descriptor = self._open()
            with full_disk_is_no_room():
                copy(source, descriptor, count=count, at=at, to=self.size)
            self.size += count
            self._digest.catch_up(descriptor, until=self.size, most=count)

    def first_opinion(self) -> str | None:
        """Return what the first MiB says the file is, before the rest of it has come."""
        return recognise(os.pread(self._open(), HEAD_BYTES, 0))

    def finish(self) -> tuple[str, str | None]:
        """Make the bytes survive a power loss; return their digest and what they say the file is.

        A failed fsync is final: the kernel has let go of the pages, a second one would succeed
        and mean nothing.
        """
        descriptor = self._open()
        with full_disk_is_no_room():
            os.fsync(descriptor)
        head = os.pread(descriptor, HEAD_BYTES, 0)
        tail = os.pread(descriptor, TAIL_BYTES, max(0, self.size - TAIL_BYTES))
        self._close()
        return self._digest.hexdigest(), recognise(head, tail, size=self.size)

    def discard(self) -> None:
        """Leave no trace of what was made here; whatever else has that name stays."""
        self._close()
        if self._made:
            self.path.unlink(missing_ok=True)

    def _open(self) -> int:
        if self._descriptor is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(self.path, flags, 0o600)
            self._made = True
        return self._descriptor

    def _close(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)


def write_at(descriptor: int, pieces: Sequence[Piece], offset: int) -> int:
    """Write all pieces, however often the kernel takes only a part of them; return the length."""
    written = 0
    left = list(pieces)
    while left:
        count = os.pwritev(descriptor, left, offset + written)
        written += count
        left = _without(left, count)
    return written


def _without(pieces: list[Piece], count: int) -> list[Piece]:
    """Drop the first `count` bytes."""
    for index, piece in enumerate(pieces):
        if count < len(piece):
            return [memoryview(piece)[count:], *pieces[index + 1 :]]
        count -= len(piece)
    return []


@contextmanager
def full_disk_is_no_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise NoRoom from error
        raise
