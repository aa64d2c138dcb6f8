"""A worker that is to end waits for no silent database for long."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from psycopg2 import extensions
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from app import db
from tests.polling import poll
from tests.postgres import Server
from tests.proxy import Proxy, proxy_to
from worker import seat as seats
from worker.seat import Seat

SENT = text(
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE application_name = 'rowmill worker test' AND query LIKE '%SELECT 2'"
)


@pytest.fixture
def proxy(postgres: Server) -> Iterator[Proxy]:
    with proxy_to(postgres.port) as proxy:
        yield proxy


@pytest.fixture
def seat(
    proxy: Proxy, database_url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Seat]:
    # After the engine, which waits for its answers in a way of its own.
    monkeypatch.setattr(seats, "HURRY_SECONDS", 0.2)
    monkeypatch.setattr(seats, "HURRY_CONNECT_SECONDS", 0.2)
    seat = Seat(proxy.url(database_url), name="rowmill worker test")
    yield seat
    seat.drop()
    extensions.set_wait_callback(None)


def ask(seat: Seat, statement: str) -> Any:
    with seat.single() as session:
        return session.scalar(text(statement))


def test_an_answer_that_is_waited_for_already_is_given_up(
    seat: Seat, proxy: Proxy, engine: Engine
) -> None:
    """Its signal comes while the desk's only thread waits."""
    assert ask(seat, "SELECT 1") == 1
    proxy.silent.set()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask, seat, "SELECT 2")
        # In one transaction each look would be as the first.
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            poll(lambda: connection.scalar(SENT) == 1)
        assert not asking.done()
        seat.hurry()
        error = asking.exception(seats.ANSWER_SECONDS / 2)
    assert isinstance(error, DBAPIError)
    assert db.is_away(error)


def test_no_later_answer_is_waited_for_either(seat: Seat, proxy: Proxy) -> None:
    assert ask(seat, "SELECT 1") == 1
    seat.hurry()
    proxy.silent.set()
    for _ in range(2):  # the second has to connect first
        began = time.monotonic()
        with pytest.raises(DBAPIError):
            ask(seat, "SELECT 2")
        assert time.monotonic() - began < seats.CONNECT_SECONDS / 2
        seat.drop()


def test_who_hurries_is_answered_as_before(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "HURRY_SECONDS", 60.0)  # a busy machine answers late
    monkeypatch.setattr(seats, "HURRY_CONNECT_SECONDS", 60.0)
    seat.hurry()
    assert ask(seat, "SELECT 1") == 1
