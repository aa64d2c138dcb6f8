"""One request's turn to write to an upload, and how it is asked to end it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from uuid import UUID

from app.ingest.resumable.part import LockedPart
from app.ingest.running import RunningDigest


class Reason(StrEnum):
    """Why a turn has to end before the body did; each is also the code of the answer."""

    TAKEN_OVER = "upload_interrupted"
    DELETED = "deleted"
    ENDING = "ending"


class Released(Exception):
    """The body is not read any further; all of it that had come is in the file."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Turn:
    """Made by Turns, which alone begins and ends it.

    `epoch` is what the row said when the turn began: a newcomer in another process raises it.
    `came` is when the request came, by the monotonic clock.
    """

    def __init__(
        self, upload_id: UUID, part: LockedPart, digest: RunningDigest, *, came: float
    ) -> None:
        self.upload_id = upload_id
        self.part = part
        self.digest = digest
        self.came = came
        self.epoch: int | None = None
        self.noted = 0  # how much of the file the row knows of
        self.is_finished = False
        self.over = asyncio.Event()
        self._reason: Reason | None = None
        self._reading: asyncio.Timeout | None = None

    def release(self, reason: Reason) -> None:
        """Ask for the end: at once if a body is being read, else as soon as one would be."""
        self._reason = self._reason or reason
        if self._reading is not None:
            self._reading.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Stop what is awaited inside, and raise Released, when the turn has to end."""
        try:
            async with asyncio.timeout(None) as self._reading:
                if self._reason is not None:
                    raise Released(self._reason)
                yield
        except TimeoutError:
            if self._reason is None or not self._was_ended():
                raise
            raise Released(self._reason) from None
        finally:
            self._reading = None

    def _was_ended(self) -> bool:
        return self._reading is not None and self._reading.expired()
