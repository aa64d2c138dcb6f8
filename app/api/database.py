"""The way from the event loop to the database: a few threads, one seat each, an answer in time."""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from uuid import uuid4

from sqlalchemy import Engine, exc, text
from sqlalchemy.orm import Session

from app.db import (
    API_SEATS,
    KEPT_SEATS,
    Sessions,
    api_engine,
    code_of,
    is_away,
    is_full,
    is_refused,
    sessions_of,
)
from app.host import plain_host
from app.log import get_logger

T = TypeVar("T")
Work = Callable[[Sessions], T]

# The engine keeps some connections and closes the others after each use. Opening one costs more
# than most statements take, so a burst first waits a moment for those that stay.
OTHER_SEATS = API_SEATS - KEPT_SEATS
PATIENCE_SECONDS = 0.1
ANSWER_SECONDS = 1.8
LOG_SECONDS = 10.0
FULL_SECONDS = 60.0
# Somebody else holds a lock or used up the time: it may work in a moment.
_BUSY_CODES = frozenset({"55P03", "57014", "40P01", "40001"})
_READ_ONLY = "25006"
# It writes nothing, and a standby refuses it all the same.
_WRITE_NOTHING = text("UPDATE house SET id = id WHERE false")

log = get_logger()


class DatabaseAway(Exception):
    """No answer in time. What was begun may still have been done, or be done later."""


class DatabaseRefuses(DatabaseAway):
    """It answers and takes nothing now. What was begun is undone."""


class DatabaseFull(DatabaseRefuses):
    """It says that its disk is full."""


class DatabaseReadOnly(DatabaseRefuses):
    """It is a standby, or its owner has made it read-only."""


class NotOpen(Exception):
    """Database and storage do not fit this version or each other; the text is for operators."""


class Database:
    """Runs work in threads. Until `open_up` has once passed, it is tried before any work.

    Work is a function that is given the session maker; it begins and ends its transactions.
    """

    def __init__(self, url: str, *, open_up: Callable[[Session], None]) -> None:
        self.engine: Engine = api_engine(url, name=_name())
        self.is_open = False
        self._sessions = sessions_of(self.engine)
        self._open_up = open_up
        self._threads = ThreadPoolExecutor(API_SEATS, thread_name_prefix="database")
        self._kept = asyncio.Semaphore(KEPT_SEATS)
        self._others = asyncio.Semaphore(OTHER_SEATS)
        self.seats_in_use = 0
        self._silent_until = 0.0
        self._full_at: float | None = None

    @property
    def is_full(self) -> bool:
        """Whether its disk was full a minute ago at most, or when it last answered."""
        return self._full_at is not None

    async def run(self, work: Work[T]) -> T:
        """Return what the work returns; raise DatabaseAway after 1.8 s at the latest."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.shield(self._begin(work, await self._seat()))
        except TimeoutError:
            self._say_away("no seat, or no answer in time")
            raise DatabaseAway from None

    async def ask(self) -> None:
        """Raise DatabaseAway, or NotOpen, unless the database answers and can be written to."""
        await self.run(_ask)

    def close(self) -> None:
        """Let go of the threads and the seats; nothing is waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.engine.dispose()

    async def _seat(self) -> asyncio.Semaphore:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._kept.acquire()
                return self._kept
        await self._others.acquire()
        return self._others

    def _begin(self, work: Work[T], seat: asyncio.Semaphore) -> asyncio.Future[T]:
        """Take the seat until the work has ended, also if nobody waits for it any more."""

        def ended(running: asyncio.Future[T]) -> None:
            self.seats_in_use -= 1
            seat.release()
            if not running.cancelled():
                running.exception()  # so that it is not called unheard of

        self.seats_in_use += 1
        running = asyncio.wrap_future(self._threads.submit(self._work, work))
        running.add_done_callback(ended)
        return running

    def _work(self, work: Work[T]) -> T:
        try:
            if not self.is_open:
                self._open()
            done = work(self._sessions)
        except exc.SQLAlchemyError as error:
            if is_full(error):
                self._full_at = time.monotonic()
            if is_away(error) or is_busy(error):
                self._say_away(str(error))
                raise _kind(error) from error
            raise
        self._note_answer()
        return done

    def _note_answer(self) -> None:
        # Who only reads is answered while the disk is full, too.
        if self._full_at is not None and time.monotonic() > self._full_at + FULL_SECONDS:
            self._full_at = None

    def _say_away(self, reason: str) -> None:
        """Log one line in ten seconds, however many requests come meanwhile."""
        now = time.monotonic()
        if now >= self._silent_until:
            self._silent_until = now + LOG_SECONDS
            log.warning("database.full" if self.is_full else "database.away", reason=reason[:500])

    def _open(self) -> None:
        with self._sessions.begin() as session:
            self._open_up(session)
        self.is_open = True
        log.info("api.open")


def refuse_read_only(session: Session) -> None:
    """End the transaction in DatabaseReadOnly if nothing can be written, before any work is done.

    Nothing is locked by it, and no transaction id is used up.
    """
    session.execute(_WRITE_NOTHING)


def is_busy(error: BaseException) -> bool:
    """Tell whether the database answered that it cannot do it right now."""
    return isinstance(error, exc.DBAPIError) and (code_of(error) in _BUSY_CODES)


def _name() -> str:
    """Return a name of this process alone, so that the database can tell how many there are.

    Hosts of one cluster begin or end alike, and their processes have the same numbers: the random
    part tells them apart, within the 63 bytes of a name that PostgreSQL keeps.
    """
    return f"rowmill api {plain_host(32)}-{os.getpid()}-{uuid4().hex[:8]}"


def _ask(sessions: Sessions) -> None:
    with sessions.begin() as session:
        refuse_read_only(session)


def _kind(error: exc.SQLAlchemyError) -> type[DatabaseAway]:
    if not is_refused(error):
        return DatabaseAway
    if is_full(error):
        return DatabaseFull
    return DatabaseReadOnly if code_of(error) == _READ_ONLY else DatabaseAway
