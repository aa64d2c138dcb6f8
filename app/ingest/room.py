"""The room on the disk that open uploads were promised."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.ingest.refusals import NoRoom
from app.storage import Storage


class Promise:
    """What one upload may still write: what it has written takes its room on the disk itself."""

    def __init__(self, size: int) -> None:
        self.left = size

    def redeem(self, size: int) -> None:
        self.left = max(0, self.left - size)


class Room:
    """Adds up what the open uploads of one process have declared, so that they fit together."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._promises: set[Promise] = set()

    @contextmanager
    def promised(self, size: int | None) -> Iterator[Promise]:
        """Keep room for a body while it comes; raise NoRoom if the disk has not that much.

        A body of unknown size is promised nothing: its writer looks again before every batch.
        """
        promise = Promise(size or 0)
        if not self._storage.room_for(promise.left + sum(other.left for other in self._promises)):
            raise NoRoom(size)
        self._promises.add(promise)
        try:
            yield promise
        finally:
            self._promises.remove(promise)
