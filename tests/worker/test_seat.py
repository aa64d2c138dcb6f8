"""The worker's one connection: wake-ups, silence, and giving the seat back."""

from collections.abc import Iterator

import pytest
from psycopg2 import extensions
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

from app import db, queue
from tests.polling import poll
from tests.postgres import Server
from tests.proxy import proxy_to
from worker import seat as seats
from worker.seat import Seat


@pytest.fixture
def seat(database_url: str) -> Iterator[Seat]:
    seat = Seat(database_url, name="rowmill worker test")
    yield seat
    seat.drop()
    extensions.set_wait_callback(None)


def call(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        queue.wake(session)


def ask(seat: Seat, statement: str) -> object:
    with seat.single() as session:
        return session.scalar(text(statement))


def test_a_notification_wakes(seat: Seat, sessions: db.Sessions) -> None:
    assert seat.listen()
    assert not seat.listen()
    assert not seat.woken()
    call(sessions)
    poll(seat.woken)
    assert not seat.woken()


def test_a_notification_that_comes_during_a_query_is_not_overheard(
    seat: Seat, sessions: db.Sessions
) -> None:
    """It lies in the driver's list then, and the descriptor is silent."""
    seat.listen()
    call(sessions)
    ask(seat, "SELECT pg_sleep(0.05)")
    assert seat.woken()


def test_after_a_lost_connection_it_listens_anew_and_wants_the_table_looked_at(
    seat: Seat, sessions: db.Sessions
) -> None:
    for _ in range(10):
        seat.listen()
        pid = ask(seat, "SELECT pg_backend_pid()")
        with sessions.begin() as session:
            session.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        poll(seat.woken)
        assert seat.listen()
        call(sessions)
        poll(seat.woken)


def test_the_limits_hold_before_and_after_it_listens(seat: Seat) -> None:
    for _ in range(2):
        assert ask(seat, "SHOW statement_timeout") == "30s"
        assert ask(seat, "SHOW lock_timeout") == "5s"
        seat.listen()


def test_a_closed_seat_is_no_connection(seat: Seat, engine: Engine) -> None:
    ask(seat, "SELECT 1")
    seat.close()
    seats_taken = text(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rowmill worker test'"
    )

    def taken() -> int:
        with engine.connect() as connection:
            return int(connection.scalar(seats_taken) or 0)

    poll(lambda: taken() == 0)
    ask(seat, "SELECT 1")
    assert taken() == 1


def test_a_silent_connection_is_given_up(
    postgres: Server, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The network acknowledges and nothing answers: psycopg2 alone would wait for ever."""
    with proxy_to(postgres.port) as proxy:
        seat = Seat(proxy.url(database_url), name="rowmill worker test")
        try:
            ask(seat, "SELECT 1")
            proxy.silent.set()
            with monkeypatch.context() as patched:
                patched.setattr(seats, "ANSWER_SECONDS", 0.5)
                with pytest.raises(DBAPIError) as raised:
                    ask(seat, "SELECT 2")
            assert db.is_away(raised.value)
            seat.drop()
            proxy.silent.clear()
            assert ask(seat, "SELECT 3") == 3
        finally:
            seat.drop()
            extensions.set_wait_callback(None)


def test_no_statement_leaves_a_transaction_open(seat: Seat, engine: Engine) -> None:
    ask(seat, "SELECT 1")
    state = text(
        "SELECT state FROM pg_stat_activity WHERE application_name = 'rowmill worker test'"
    )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        poll(lambda: connection.scalar(state) == "idle")


def test_each_statement_has_limits_although_there_is_no_transaction(seat: Seat) -> None:
    assert ask(seat, "SELECT current_setting('statement_timeout')") == "30s"
    assert ask(seat, "SELECT current_setting('lock_timeout')") == "5s"


@pytest.mark.parametrize("statement", ["SELECT pg_sleep(2)", "SELECT FROM house FOR UPDATE"])
def test_a_refusal_is_not_an_absence(
    database_url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """A cancelled statement and a lock that was not had are OperationalErrors too."""
    short = db.limits(statement_seconds=0.5, lock_seconds=0.2)
    monkeypatch.setattr(db, "PATIENT", short)
    seat = Seat(database_url, name="rowmill worker test")
    with engine.begin() as stranger:
        stranger.execute(text("SELECT FROM house FOR UPDATE"))
        with pytest.raises(OperationalError) as raised:
            ask(seat, statement)
    assert not db.is_away(raised.value)
    seat.drop()
    extensions.set_wait_callback(None)
