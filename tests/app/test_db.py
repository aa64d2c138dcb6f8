"""What a lost connection looks like, and that every transaction is limited."""

import os
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from app import db
from tests.postgres import Server
from tests.proxy import proxy_to


def test_every_transaction_has_limits(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        shown = session.scalar(
            text("SELECT current_setting('idle_in_transaction_session_timeout')")
        )
    assert shown == "10s"


@pytest.mark.parametrize("make", [db.api_engine, db.single_engine])
def test_times_are_told_in_utc_in_whatever_zone_the_session_is(
    database_url: str, monkeypatch: pytest.MonkeyPatch, make: Callable[..., Engine]
) -> None:
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    engine = make(database_url, name="test")
    with engine.connect() as connection:
        asked = text("SELECT timestamptz '2026-07-01 09:00+09', null::timestamptz, now()::text")
        moment, nothing, shown = connection.execute(asked).one()
    engine.dispose()
    assert (moment, moment.tzinfo, nothing) == (datetime(2026, 7, 1, tzinfo=UTC), UTC, None)
    assert shown.endswith("+09")


@pytest.mark.parametrize("make", [db.api_engine, db.single_engine])
def test_a_network_that_is_gone_is_noticed_by_tcp(
    database_url: str, make: Callable[..., Engine]
) -> None:
    """A wire that is cut says nothing: what was sent is given up, and an idle end is asked."""
    engine = make(database_url, name="test")
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        with socket.socket(fileno=os.dup(driver.fileno())) as wire:
            assert wire.family == socket.AF_INET
            assert wire.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            found = [
                wire.getsockopt(socket.IPPROTO_TCP, option)
                for option in (
                    socket.TCP_USER_TIMEOUT,  # milliseconds; the others are seconds and a count
                    socket.TCP_KEEPIDLE,
                    socket.TCP_KEEPINTVL,
                    socket.TCP_KEEPCNT,
                )
            ]
    engine.dispose()
    assert found == [20_000, 10, 5, 3]


def test_a_backend_that_dies_before_the_first_message_is_away(engine: Engine) -> None:
    """The limits are that message; what fails there must be known for what it is."""
    with engine.connect() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        connection.rollback()
        with engine.begin() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        with pytest.raises(DBAPIError) as raised:
            connection.execute(text("SELECT 1"))
    assert db.is_away(raised.value)


def test_an_error_shows_no_parameters(sessions: db.Sessions) -> None:
    with pytest.raises(DBAPIError) as raised, sessions.begin() as session:
        session.execute(text("SELECT 1 / :zero, :name"), {"zero": 0, "name": "secret.pdf"})
    assert "secret.pdf" not in str(raised.value)


def test_a_syntax_error_is_no_absence(sessions: db.Sessions) -> None:
    with pytest.raises(DBAPIError) as raised, sessions.begin() as session:
        session.execute(text("SELEC"))
    assert not db.is_away(raised.value)


def test_a_silent_server_costs_a_request_its_answer_and_no_seat_for_ever(
    postgres: Server, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The network acknowledges and nothing answers: psycopg2 alone would wait for ever."""
    with proxy_to(postgres.port) as proxy:
        engine = db.api_engine(proxy.url(database_url))
        with engine.connect() as connection:
            connection.scalar(text("SELECT 1"))
            proxy.silent.set()
            monkeypatch.setattr(db, "SILENCE_SECONDS", 0.5)
            with pytest.raises(DBAPIError) as raised:
                connection.scalar(text("SELECT 2"))
        assert db.is_away(raised.value)
        monkeypatch.undo()  # a busy machine answers late
        proxy.silent.clear()
        with engine.connect() as connection:
            assert connection.scalar(text("SELECT 3")) == 3
        engine.dispose()


def test_who_is_patient_waits_for_a_long_statement(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "SILENCE_SECONDS", 0.1)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT 4 FROM pg_sleep(0.5)")) == 4
