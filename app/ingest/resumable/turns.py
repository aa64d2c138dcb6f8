"""Who may write to which upload: a newcomer gets its turn, and what the one before got is kept."""

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from uuid import UUID

from app.ingest.dock import Dock
from app.ingest.resumable.part import LockedPart, lock
from app.ingest.resumable.threads import in_thread
from app.ingest.resumable.turn import Reason, Released, Turn
from app.ingest.running import RunningDigest
from app.storage.keys import incoming_key, source_key

PATIENCE_SECONDS = 5.0
LOOK_SECONDS = 0.05  # a lock that another process holds is looked at this often
BEAT_SECONDS = 0.5
ASK_SECONDS = 1.0
MOST_DIGESTS = 1000  # of uploads that pause; each is a few hundred bytes

Call = Callable[[UUID], Awaitable[object]]
# Is given what is being written, and returns what of it may go on.
Beat = Callable[[Mapping[UUID, Turn]], Awaitable[set[UUID]]]


class Busy(Exception):
    """Somebody who came later has the upload, or another process has not let go in time."""


class Turns:
    """The turns of one process. A lock on the file is the only right to write to it.

    Whoever waits asks the holder to stop: in this process directly; in another one by `call`,
    which raises the epoch in the upload's row. The holder finds that at its next `beat`, which is
    one for all that this process writes, and leaves no connection open. One that has just come
    may read the raised epoch and take it for its own, so whoever waits on asks again.

    Whoever came before the holder asks for nothing: a request that had to wait, for the database
    perhaps, is that of a connection which its client has given up since.
    """

    def __init__(self, dock: Dock, *, call: Call, beat: Beat) -> None:
        self._dock = dock
        self._call = call
        self._beat = beat
        self._turns: dict[UUID, Turn] = {}
        self._digests: OrderedDict[UUID, RunningDigest] = OrderedDict()
        self._beating: asyncio.Task[None] | None = None
        self._closed = False

    @asynccontextmanager
    async def take(self, upload_id: UUID, *, came: float) -> AsyncIterator[Turn]:
        """Have the upload for oneself; Busy after 5 s, FileNotFoundError if it has no file."""
        if self._closed:
            raise Released(Reason.ENDING)
        turn = self._begin(upload_id, await self._locked(upload_id, came), came)
        try:
            yield turn
        finally:
            await self._end(turn)

    def end(self, upload_id: UUID, reason: Reason) -> None:
        """Stop whatever this process writes to an upload."""
        if upload_id in self._turns:
            self._turns[upload_id].release(reason)

    def digest_of(self, upload_id: UUID) -> RunningDigest | None:
        """Return what this process has of the digest of an upload that nobody writes to here."""
        known = self._digests.get(upload_id)
        return None if known is None else known.copy()

    def close(self) -> None:
        """Let all who send go, so that the process can end; what they have sent is kept."""
        self._closed = True
        for turn in self._turns.values():
            turn.release(Reason.ENDING)

    async def _locked(self, upload_id: UUID, came: float) -> LockedPart:
        ends = time.monotonic() + PATIENCE_SECONDS
        asks = time.monotonic()
        while True:
            await self._follow(upload_id, ends, came)
            part = await self._try_to_lock(upload_id)
            if part is not None:
                return part
            if upload_id in self._turns:
                continue  # somebody else here was faster
            if time.monotonic() >= asks:
                await self._call(upload_id)
                asks = time.monotonic() + ASK_SECONDS
            if time.monotonic() > ends:
                raise Busy
            await asyncio.sleep(LOOK_SECONDS)

    async def _follow(self, upload_id: UUID, ends: float, came: float) -> None:
        """Wait until nobody in this process has the upload."""
        while (holder := self._turns.get(upload_id)) is not None:
            if came < holder.came:
                raise Busy
            holder.release(Reason.TAKEN_OVER)
            try:
                async with asyncio.timeout(ends - time.monotonic()):
                    await holder.over.wait()
            except TimeoutError:
                raise Busy from None

    async def _try_to_lock(self, upload_id: UUID) -> LockedPart | None:
        storage = self._dock.storage
        paths = [storage.path(key) for key in (incoming_key(upload_id), source_key(upload_id))]

        def work() -> LockedPart | None:
            return lock(paths, storage=storage)

        return await in_thread(self._dock, work, undo=_let_go)

    def _begin(self, upload_id: UUID, part: LockedPart, came: float) -> Turn:
        digest = self._digests.pop(upload_id, None) or RunningDigest(self._dock.digest())
        turn = self._turns[upload_id] = Turn(upload_id, part, digest, came=came)
        if self._beating is None or self._beating.done():
            self._beating = asyncio.ensure_future(self._beat_on())
        return turn

    async def _end(self, turn: Turn) -> None:
        try:
            await in_thread(self._dock, turn.part.close)
        finally:
            del self._turns[turn.upload_id]
            self._keep(turn)
            turn.over.set()

    def _keep(self, turn: Turn) -> None:
        """Remember the digest for the next request."""
        is_true = turn.digest.position <= turn.part.size  # what came may have been cut off
        if turn.digest.position and is_true and not turn.is_finished:
            self._digests[turn.upload_id] = turn.digest
            if len(self._digests) > MOST_DIGESTS:
                self._digests.popitem(last=False)

    async def _beat_on(self) -> None:
        while self._turns:
            await asyncio.sleep(BEAT_SECONDS)
            known = {key: turn for key, turn in self._turns.items() if turn.epoch is not None}
            if not known:
                continue
            with contextlib.suppress(Exception):  # the database speaks for itself when it is away
                standing = await self._beat(known)
                for key in known.keys() - standing:
                    known[key].release(Reason.TAKEN_OVER)


def _let_go(part: LockedPart | None) -> None:
    if part is not None:
        part.close()
