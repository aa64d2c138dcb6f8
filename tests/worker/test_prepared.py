"""What a worker repeats is planned once a connection, by a plan that suits a full table."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from psycopg2 import extensions
from sqlalchemy import text

from app import db, queue
from app.queue import Ending
from tests import make
from worker.prepared import USES_BEFORE
from worker.seat import Seat

TURNS = USES_BEFORE + 5
FILL = """
INSERT INTO jobs (upload_id, number, kind, payload, status, finished_at, result, progress)
SELECT id, n, 'misbehave', '{"from": "png", "to": "nap"}', 'succeeded', now(), '{}', 1
FROM uploads, generate_series(2, 20000) AS n;
INSERT INTO jobs (upload_id, number, kind, payload, run_after)
SELECT id, n, 'misbehave', '{"from": "png", "to": "nap"}', now() - interval '1 hour'
FROM uploads, generate_series(20001, 40000) AS n;
"""


@pytest.fixture
def seat(database_url: str, sessions: db.Sessions) -> Iterator[Seat]:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
    seat = Seat(database_url, name="rowmill worker test")
    with seat.single() as session:
        session.execute(text(FILL))
        session.execute(text("ANALYZE"))
    yield seat
    seat.drop()
    extensions.set_wait_callback(None)


def test_what_is_repeated_is_planned_once_and_reads_no_whole_table(seat: Seat) -> None:
    seat.listen()
    before = ask(seat, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'jobs'")
    assert turn_over(seat) == 3 * TURNS
    plans = "SELECT generic_plans, custom_plans FROM pg_prepared_statements"
    assert ask(seat, plans) == [(TURNS - USES_BEFORE, 0)]
    ask(seat, "SELECT pg_stat_force_next_flush()")
    assert before == ask(seat, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'jobs'")


def test_a_seat_that_is_open_for_a_moment_prepares_nothing(seat: Seat) -> None:
    seat.listen()
    turn_over(seat, turns=USES_BEFORE)
    assert ask(seat, "SELECT name FROM pg_prepared_statements") == []


def test_behind_a_pooler_nothing_is_prepared(seat: Seat) -> None:
    seat.listens = False
    seat.listen()
    turn_over(seat)
    assert ask(seat, "SELECT name FROM pg_prepared_statements") == []


def test_a_new_connection_begins_anew(seat: Seat) -> None:
    seat.listen()
    turn_over(seat)
    seat.close()
    assert turn_over(seat) == 3 * TURNS
    seat.listen()
    assert turn_over(seat) == 3 * TURNS


def turn_over(seat: Seat, *, turns: int = TURNS) -> int:
    """Claim three jobs in each turn, and record those of the turn before; return how many."""
    endings: list[Ending] = []
    count = 0
    for _ in range(turns):
        leases = [uuid.uuid4() for _ in range(3)]
        with seat.single() as session:
            moved, claimed = queue.turn_over(
                session,
                endings,
                worker="w-1",
                rooms={"misbehave": 3 - len(endings)},
                leases=leases,
            )
        assert len(moved) == len(endings)
        endings = [make.success(one) for one in claimed]
        count += len(claimed)
    return count


def ask(seat: Seat, question: str) -> list[Any]:
    with seat.single() as session:
        return [tuple(row) for row in session.execute(text(question))]
