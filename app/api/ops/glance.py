"""One look at the rows for all who ask at about the same time, and for those who ask soon after."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from sqlalchemy.orm import Session

from app.api.database import Database, DatabaseAway
from app.db import Sessions

T = TypeVar("T")


class Glance(Generic[T]):
    """Takes one seat at most, however many ask and however slow the database is."""

    def __init__(self, database: Database, look: Callable[[Session], T], *, seconds: float) -> None:
        self._database = database
        self._look = look
        self._seconds = seconds
        self._seen: asyncio.Future[T] | None = None
        self._ended = 0.0
        self._seat = threading.Lock()

    async def take(self) -> T:
        """Return what was seen at most so many seconds ago.

        Raise DatabaseAway, or NotOpen, in time; for the next seconds it stays at that, too.
        """
        if self._seen is None or self._is_old(self._seen):
            self._seen = asyncio.ensure_future(self._database.run(self._work))
            self._seen.add_done_callback(self._note)
        return await asyncio.shield(self._seen)

    def _is_old(self, seen: asyncio.Future[T]) -> bool:
        return seen.done() and time.monotonic() - self._ended >= self._seconds

    def _note(self, seen: asyncio.Future[T]) -> None:
        self._ended = time.monotonic()
        if not seen.cancelled():
            seen.exception()  # so that it is not called unheard of, should all who asked have left

    def _work(self, sessions: Sessions) -> T:
        # The look before this one may still be at it, though nobody waits for it any more.
        if not self._seat.acquire(blocking=False):
            raise DatabaseAway
        try:
            with sessions.begin() as session:
                return self._look(session)
        finally:
            self._seat.release()
