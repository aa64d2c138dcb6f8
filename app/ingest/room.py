"""The room on the disk that open uploads were promised."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager

from app.ingest.refusals import NoRoom, StorageAway
from app.storage import Storage

PATIENCE_SECONDS = 10.0  # the threads may all be busy with syncing large files


class Promise:
    """What one upload may still write: what it has written takes its room on the disk itself."""

    def __init__(self, size: int) -> None:
        self.left = size

    def redeem(self, size: int) -> None:
        self.left = max(0, self.left - size)


class Room:
    """Adds up what the open uploads of one process have declared, so that they fit together."""

    def __init__(self, storage: Storage, *, threads: Executor) -> None:
        self._storage = storage
        self._threads = threads
        self._promises: set[Promise] = set()
        # What uploads that come in several requests have still to bring, here and elsewhere, as
        # the last one who looked at their rows knows it.
        self.set_aside = 0

    @asynccontextmanager
    async def promised(self, size: int | None) -> AsyncIterator[Promise]:
        """Keep room for a body while it comes; raise NoRoom if the disk has not that much.

        A body of unknown size is promised nothing: its writer looks again before every batch.
        """
        promise = Promise(size or 0)
        # It counts from here on: others come while a thread looks at the disk.
        self._promises.add(promise)
        try:
            promised = sum(one.left for one in self._promises)
            if not await self._has_room_for(promised + self.set_aside):
                raise NoRoom(size)
            yield promise
        finally:
            self._promises.remove(promise)

    async def _has_room_for(self, size: int) -> bool:
        """Ask the disk in a thread: one of a network that is gone takes minutes to answer."""
        asked = self._threads.submit(self._storage.room_for, size)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.wrap_future(asked)
        except (TimeoutError, OSError) as error:
            raise StorageAway from error
