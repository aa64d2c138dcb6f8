"""What every upload of one process shares: the storage, the limits, the threads that write."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from app.ingest.limits import Limits
from app.ingest.room import Room
from app.storage import Storage

THREADS = 8


class Digest(Protocol):
    def update(self, data: bytes | memoryview, /) -> None: ...

    def hexdigest(self) -> str: ...


class Dock:
    """Made once by the application, closed when it ends and no upload is open any more.

    Its threads are its own: a burst of uploads leaves those of the routes alone, and the other
    way round.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        limits: Limits,
        digest: Callable[[], Digest] = hashlib.sha256,
    ) -> None:
        self.storage = storage
        self.limits = limits
        self.digest = digest
        self.room = Room(storage)
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="ingest")

    def close(self) -> None:
        self.threads.shutdown(wait=True)
