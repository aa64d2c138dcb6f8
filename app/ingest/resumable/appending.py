"""The body of a request lands at the end of a file: all that came stays, whatever ends it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from starlette.requests import Request

from app.formats.recognise import HEAD_BYTES
from app.ingest.body import pieces
from app.ingest.dock import Dock
from app.ingest.refusals import Refusal
from app.ingest.resumable.part import LockedPart
from app.ingest.resumable.threads import in_thread
from app.ingest.resumable.turn import Released, Turn
from app.ingest.running import Piece, RunningDigest
from app.ingest.writer import BATCH_BYTES, BATCH_PIECES

WRITE_SECONDS = 0.25  # a batch that does not fill up is written after this
LAST_BYTES = 1024**2  # of a body that is not wanted any more: what has arrived already
LAST_SECONDS = 0.02


class BeyondLength(Refusal):
    """The body is longer than what was still missing of the file; what fits is kept."""


async def append(
    request: Request,
    turn: Turn,
    *,
    dock: Dock,
    most: int,
    is_open: bool,
    on_head: Callable[[str | None], None],
) -> None:
    """Write the body, at most so many bytes of it, and sync the file.

    `is_open`: the length of the file is not known, so no room is kept for it.

    Raises what `pieces` raises, NoRoom, BeyondLength, Released or what `on_head` raises; it hears
    once what the first MiB says the file is. In each case the file is as long as what came.
    """
    batches = _Batches(
        turn.part, turn.digest, dock=dock, most=most, is_open=is_open, on_head=on_head
    )
    try:
        try:
            async with turn.reading():
                await batches.take_all(request, dock)
        except Released:
            await batches.take_what_is_there(request, dock)
            raise
    finally:
        await batches.end()
    await batches.judge()


class _Batches:
    """One batch is written by a thread while the next one comes, as Writer does it."""

    def __init__(
        self,
        part: LockedPart,
        digest: RunningDigest,
        *,
        dock: Dock,
        most: int,
        is_open: bool,
        on_head: Callable[[str | None], None],
    ) -> None:
        self._is_open = is_open
        self._part = part
        self._digest = digest
        self._dock = dock
        self._left = most
        self._on_head = on_head
        self._judged = part.size >= HEAD_BYTES
        self._batch: list[Piece] = []
        self._batch_bytes = 0
        self._at_work: Future[Any] | None = None

    async def take_all(self, request: Request, dock: Dock) -> None:
        writing = asyncio.ensure_future(self._write_on())
        try:
            async for piece in pieces(request, limits=dock.limits):
                self._add(piece)
                if self._batch_bytes >= BATCH_BYTES or len(self._batch) >= BATCH_PIECES:
                    await self._quiet()
                    await self.judge()
                    self._start()
        finally:
            writing.cancel()

    async def take_what_is_there(self, request: Request, dock: Dock) -> None:
        """Take bytes that wait in our buffers: the client has reason to think that we have them."""
        ends = self._left - LAST_BYTES
        with suppress(TimeoutError, Refusal):
            async with asyncio.timeout(LAST_SECONDS):
                async for piece in pieces(request, limits=dock.limits):
                    self._add(piece)
                    if self._left <= ends:
                        return

    async def judge(self) -> None:
        """Show the first MiB as soon as it is in the file."""
        if not self._judged and self._part.size >= HEAD_BYTES:
            self._judged = True
            self._on_head(await in_thread(self._dock, self._part.first_opinion))

    async def end(self) -> None:
        """Write what is left and sync the file; a second cancellation does not keep us from it."""
        self._start()
        last = self._at_work

        def work() -> None:
            try:
                if last is not None:
                    last.result()
            finally:
                self._part.sync()

        await in_thread(self._dock, work)

    async def _write_on(self) -> None:
        """Write what waits for more, so that a client that pauses can lose none of it."""
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            if self._at_work is None or self._at_work.done():
                self._start()

    def _start(self) -> None:
        """Let a thread write what there is, after what it writes now."""
        batch, before = self._cut(), self._at_work
        beside = self._dock.room.owed if self._is_open else 0
        if not batch:
            return

        def work() -> None:
            if before is not None:
                before.result()  # after a failure the next bytes have no place
            self._part.append(batch, self._digest, beside=beside)

        self._at_work = self._dock.threads.submit(work)

    def _add(self, piece: bytes) -> None:
        if len(piece) > self._left:
            self._keep(memoryview(piece)[: self._left])
            raise BeyondLength
        self._keep(piece)

    def _keep(self, piece: Piece) -> None:
        self._left -= len(piece)
        self._batch.append(piece)
        self._batch_bytes += len(piece)

    def _cut(self) -> list[Piece]:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        return batch

    async def _quiet(self) -> None:
        """Wait until no thread is at work, and raise what the last one raised."""
        if self._at_work is not None:
            await asyncio.shield(asyncio.wrap_future(self._at_work))
