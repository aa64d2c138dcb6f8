"""Two sessions on each PostgreSQL there is, and a way to see one wait for the other."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from app import db
from tests.polling import poll
from tests.postgres import Server

T = TypeVar("T")


@pytest.fixture
def database_url(each_postgres: Server) -> Iterator[str]:
    with each_postgres.database() as url:
        yield url


class Race:
    """Runs one transaction in a thread, and tells when it waits for a row of another."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sessions = db.sessions_of(engine)

    @contextmanager
    def open(self) -> Iterator[Session]:
        """Yield a session whose transaction is still open; it commits at the end."""
        with self._sessions.begin() as session:
            yield session

    def start(self, act: Callable[[Session], T]) -> "Future[T]":
        """Begin a transaction in a thread; its result, or its error, comes in the future."""
        future: Future[T] = Future()
        threading.Thread(target=self._act, args=(act, future), daemon=True).start()
        return future

    def waits(self, future: "Future[T]") -> bool:
        """Return True as soon as some session waits for a lock, False if the act ends first."""
        return poll(lambda: self._somebody_waits() or future.done()) and not future.done()

    def _act(self, act: Callable[[Session], T], future: "Future[T]") -> None:
        try:
            with self._sessions.begin() as session:
                result = act(session)
            future.set_result(result)
        except BaseException as error:  # noqa: BLE001 - it is raised where the test asks
            future.set_exception(error)

    def _somebody_waits(self) -> bool:
        waiting = text(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        with self._engine.connect() as connection:
            return bool(connection.scalar(waiting))


@pytest.fixture
def race(engine: Engine) -> Race:
    return Race(engine)
