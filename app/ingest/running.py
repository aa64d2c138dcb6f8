"""The digest of a file that grows by requests, as far as this process has seen it grow."""

import os
from collections.abc import Sequence

from app.ingest.dock import Digest

Piece = bytes | memoryview

READ_BYTES = 1024**2


class RunningDigest:
    """Covers the first `position` bytes of a file.

    The state of a digest cannot be stored. So whoever goes on in another process, or after a
    crash, reads again what had come before: a little with each batch, so that the end is near when
    the last byte comes.
    """

    def __init__(self, digest: Digest) -> None:
        self.position = 0
        self._digest = digest

    def add(self, pieces: Sequence[Piece], *, at: int) -> None:
        """Take bytes that lie at an offset, unless some before them are missing."""
        if at == self.position:
            for piece in pieces:
                self._digest.update(piece)
                self.position += len(piece)

    def catch_up(self, descriptor: int, *, until: int, most: int) -> None:
        """Read what is missing, at most so many bytes of it."""
        ends = min(until, self.position + most)
        while self.position < ends:
            read = os.pread(descriptor, min(READ_BYTES, ends - self.position), self.position)
            if not read:
                raise OSError("the file is shorter than it was")
            self._digest.update(read)
            self.position += len(read)

    def copy(self) -> "RunningDigest":
        """Return one that goes its own way from here."""
        other = RunningDigest(self._digest.copy())
        other.position = self.position
        return other

    def hexdigest(self) -> str:
        return self._digest.hexdigest()
