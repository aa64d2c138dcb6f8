"""The room on the disk that open uploads were promised."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager

from app.ingest.refusals import NoRoom, StorageAway
from app.storage import Storage

PATIENCE_SECONDS = 10.0  # the threads may all be busy with syncing large files


class Promise:
    """What one upload may still write: what it has written takes its room on the disk itself.

    `free` is what the disk had when it was promised.
    """

    def __init__(self, size: int | None) -> None:
        self.is_open = size is None
        self.left = size or 0
        self.free = 0

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

        A body of unknown size is promised nothing: its writer looks again before every batch, and
        leaves alone what is `owed`.
        """
        promise = Promise(size)
        # It counts from here on: others come while a thread looks at the disk.
        self._promises.add(promise)
        try:
            owed = self.owed
            promise.free = await self._free_bytes()
            if owed > promise.free:
                raise NoRoom(size)
            yield promise
        finally:
            self._promises.remove(promise)

    @property
    def owed(self) -> int:
        """What is promised or set aside altogether; for the event loop alone."""
        return sum(one.left for one in self._promises) + self.set_aside

    async def _free_bytes(self) -> int:
        """Ask the disk in a thread: one of a network that is gone takes minutes to answer."""
        asked = self._threads.submit(self._storage.free_bytes)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.wrap_future(asked)
        except (TimeoutError, OSError) as error:
            raise StorageAway from error
