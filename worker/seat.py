"""The worker's one connection: open only while it is needed, and never waited for without end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg2
from psycopg2.extensions import (
    STATUS_SETUP,
    set_wait_callback,
)
from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from app.db import limit_session, single_engine, wait_for_answer
from app.log import get_logger
from app.queue import CHANNEL
from worker.prepared import ONE_PLAN, Prepared

log = get_logger()

ANSWER_SECONDS = 40.0  # longer than the statement timeout: this one is for a silent network
GAP_SECONDS = 0.02
CONNECT_SECONDS = 5.0  # libpq's own limit does not hold where the waiting is ours
# Of a worker that is to end. It has been heard within half a second of its signal.
HURRY_SECONDS, HURRY_CONNECT_SECONDS = 5.0, 2.0


class Seat:
    """At most one connection. Not thread-safe: it belongs to the desk.

    `listens` tells whether wake-ups arrive: None is not known yet, False behind a pooler that
    hands out a server connection for each transaction.
    """

    def __init__(self, url: str, *, name: str) -> None:
        set_wait_callback(self._wait)
        engine = single_engine(url, name=name)
        self._prepared = Prepared(engine)
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._connection: Connection | None = None
        self._session: Session
        self._listening = False
        self._closed_at = 0.0
        self._hurried_at: float | None = None
        self.listens: bool | None = None

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    @property
    def hears(self) -> bool:
        """Whether nothing is overheard now: it listens, or is known not to."""
        return self._listening or (self.is_open and self.listens is False)

    @contextmanager
    def single(self) -> Iterator[Session]:
        """Yield a session in which each statement is a transaction of its own."""
        session = self._open()
        try:
            yield session
        except BaseException:
            session.rollback()
            raise

    def listen(self) -> bool:
        """Ask for wake-ups; True when this call began to, so that the table must be looked at."""
        if self._listening or self.listens is False:
            return False
        with self.single() as session:
            served_by = session.scalar(text("SELECT pg_backend_pid()"))
        # A transaction pooler accepts LISTEN, but no wake-up ever arrives. It gives itself
        # away: the process that serves us is not the one that greeted us.
        self.listens = served_by == self._driver().info.backend_pid
        if self.listens:
            with self.single() as session:
                session.execute(text(f"LISTEN {CHANNEL}; {ONE_PLAN}"))
                limit_session(session)
        self._prepared.begin(works=self.listens)
        if not self.listens:
            log.info("wakeups.polling", reason="a pooler stands before the database")
        self._listening = self.listens
        return True

    def woken(self) -> bool:
        """Read what has arrived, without waiting; True when somebody called.

        A notification that came during a query lies in the list already, and the descriptor
        will not show it.
        """
        if self._connection is None:
            return False
        driver = self._driver()
        try:
            driver.poll()
        except psycopg2.Error:
            self.drop()
            return True
        called = bool(driver.notifies)
        driver.notifies.clear()
        return called

    def fileno(self) -> int | None:
        """Return the descriptor to wait on while nothing else is to be done."""
        return self._driver().fileno() if self._connection is not None else None

    def close(self) -> None:
        """Give the seat back."""
        if self._connection is not None:
            connection, self._connection, self._listening = self._connection, None, False
            connection.close()
            self._closed_at = time.monotonic()

    def drop(self) -> None:
        """Give up a connection of which nothing good is known."""
        if self._connection is not None:
            connection, self._connection, self._listening = self._connection, None, False
            connection.invalidate()
            connection.close()

    def hurry(self) -> None:
        """Wait only some seconds from now on, also for the answer that is waited for already.

        Safe in a signal handler.
        """
        if self._hurried_at is None:
            self._hurried_at = time.monotonic()

    def _open(self) -> Session:
        if self._connection is None:
            # The server takes a moment to let a seat go; never be seen in two.
            time.sleep(max(0.0, self._closed_at + GAP_SECONDS - time.monotonic()))
            self._connection = self._engine.connect()
            self._prepared.begin(works=False)
            self._session = Session(self._connection)
        return self._session

    def _driver(self) -> Any:
        assert self._connection is not None  # noqa: S101 - private, and asked for only while open
        return self._connection.connection.driver_connection

    def _wait(self, connection: Any) -> None:
        # psycopg2 would wait for ever on a connection that acknowledges and does not answer.
        begun, connecting = time.monotonic(), connection.status == STATUS_SETUP
        wait_for_answer(connection, partial(self._waits_until, begun, connecting=connecting))

    def _waits_until(self, begun: float, *, connecting: bool) -> float:
        if self._hurried_at is None:
            return begun + (CONNECT_SECONDS if connecting else ANSWER_SECONDS)
        hurried = HURRY_CONNECT_SECONDS if connecting else HURRY_SECONDS
        return max(begun, self._hurried_at) + hurried
