"""Batches of a body on their way to disk: one is written by a thread while the next one comes."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

from app.formats.recognise import HEAD_BYTES
from app.ingest.dock import Dock
from app.ingest.part import PartFile
from app.ingest.received import Received
from app.ingest.refusals import EmptyFile, TooLarge
from app.ingest.room import Promise
from app.ingest.running import Piece, RunningDigest

T = TypeVar("T")

BATCH_BYTES = 1024**2
BATCH_PIECES = 512  # a client that sends single bytes must not fill the memory with their wrappers


class Writer:
    """An async context that leaves a whole, synced, closed file behind, or nothing at all.

    `on_head` hears once, as soon as the first MiB has come, what it says the file is; what it
    raises ends the upload. Whatever ends it, a second cancellation included, the thread at work is
    waited for before the file is closed and unlinked: a descriptor that is written to by a thread
    must not be given to someone else.
    """

    def __init__(
        self, dock: Dock, *, promise: Promise, on_head: Callable[[str | None], None]
    ) -> None:
        self.size = 0
        self._upload_id = uuid4()
        self._part = PartFile(
            dock.storage.incoming(self._upload_id),
            storage=dock.storage,
            digest=RunningDigest(dock.digest()),
        )
        self._threads = dock.threads
        self._limit = dock.limits.max_bytes
        self._room = dock.room
        self._promise = promise
        self._on_head: Callable[[str | None], None] | None = on_head
        self._batch: list[Piece] = []
        self._batch_bytes = 0
        self._at_work: Future[Any] | None = None
        self._finished = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A finished file is closed already, so nothing is waited for in which it could be lost.
        if error is not None or not self._finished:
            leaving = self._threads.submit(_discard, self._part, after=self._at_work)
            await asyncio.shield(asyncio.wrap_future(leaving))

    def add(self, piece: Piece) -> None:
        """Take the next bytes of the file; raise TooLarge past the limit."""
        self.size += len(piece)
        if self.size > self._limit:
            raise TooLarge(self._limit)
        self._batch.append(piece)
        self._batch_bytes += len(piece)

    async def hand_over_if_full(self) -> None:
        """Let a thread write a batch that is full, as soon as the batch before it is written."""
        if self._batch_bytes < BATCH_BYTES and len(self._batch) < BATCH_PIECES:
            return
        await self._quiet()
        beside = self._beside()
        self._start(lambda batch: self._part.append(batch, beside=beside), self._take_batch())
        if self._on_head is not None and self.size >= HEAD_BYTES:
            await self._show_head(self._on_head)

    async def finish(self, *, name: str, fields: Mapping[str, list[str]]) -> Received:
        """Write what is left, sync the file, and look at its head and tail."""
        if self.size == 0:
            raise EmptyFile
        await self._quiet()
        beside = self._beside()
        sha256, found = await self._run(_settle, self._part, self._take_batch(), beside)
        self._finished = True
        return Received(
            upload_id=self._upload_id,
            name=name,
            size=self.size,
            sha256=sha256,
            format=found,
            part=self._part.path,
            fields=fields,
        )

    async def _show_head(self, on_head: Callable[[str | None], None]) -> None:
        self._on_head = None
        await self._quiet()
        on_head(await self._run(self._part.first_opinion))

    def _take_batch(self) -> list[Piece]:
        self._promise.redeem(self._batch_bytes)
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        return batch

    def _beside(self) -> int:
        """Return what has to stay free for others; a body of known length has room of its own."""
        return self._room.owed if self._promise.is_open else 0

    async def _run(self, job: Callable[..., T], /, *args: object) -> T:
        return await asyncio.wrap_future(self._start(job, *args))

    def _start(self, job: Callable[..., T], /, *args: object) -> Future[T]:
        """Begin the next job; the one before must have ended."""
        started = self._threads.submit(job, *args)
        self._at_work = started
        return started

    async def _quiet(self) -> None:
        """Wait until no thread is at work, and raise what the last one raised."""
        if self._at_work is not None:
            await asyncio.wrap_future(self._at_work)


def _settle(part: PartFile, batch: list[Piece], beside: int) -> tuple[str, str | None]:
    part.append(batch, beside=beside)
    return part.finish()


def _discard(part: PartFile, *, after: Future[Any] | None) -> None:
    """Remove the file once `after` has ended, which was submitted earlier and waits for nobody."""
    if after is not None:
        wait([after])
    part.discard()
