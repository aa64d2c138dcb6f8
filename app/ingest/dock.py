"""What every upload of one process shares: the storage, the limits, the threads that write."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, Self

from app.ingest.limits import Limits
from app.ingest.room import Room
from app.storage import Storage

THREADS = 8


class Digest(Protocol):
    def update(self, data: bytes | memoryview, /) -> None: ...

    def hexdigest(self) -> str: ...

    def copy(self) -> Self: ...


class Dock:
    """Made once by the application, closed when it ends and no upload is open any more.

    Its threads do what blocks on the storage, and nothing else: a burst of uploads takes none of
    those that wait for the database.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        limits: Limits,
        digest: Callable[[], Digest] = hashlib.sha256,
        threads: int = THREADS,
    ) -> None:
        self.storage = storage
        self.limits = limits
        self.digest = digest
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="ingest")
        self.room = Room(storage, threads=self.threads)

    def close(self) -> None:
        self.threads.shutdown(wait=True)
