"""What a worker repeats is planned once a connection, by a plan that suits a full table."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from psycopg2 import extensions
from sqlalchemy import create_engine, event, text

from app import db, queue
from app.queue import Claimed
from tests import make
from tests.app.queue.test_plan import buffers, nodes
from worker.prepared import USES_BEFORE
from worker.seat import Seat

TURNS = USES_BEFORE + 5
FILL = """
INSERT INTO jobs (upload_id, number, kind, payload, status, finished_at, result, progress)
SELECT id, n, 'misbehave', '{"from": "png", "to": "nap"}', 'succeeded', now(), '{}', 1
FROM uploads, generate_series(2, 20000) AS n;
INSERT INTO jobs (upload_id, number, kind, payload, run_after)
SELECT id, n, 'misbehave', '{"from": "png", "to": "nap"}',
       now() - interval '1 hour' + n * interval '1 ms'
FROM uploads, generate_series(20001, 40000) AS n;
"""


@pytest.fixture
def seat(database_url: str, sessions: db.Sessions) -> Iterator[Seat]:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
        session.execute(text("SELECT pg_stat_force_next_flush()"))  # else it counts when it likes
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


def test_the_one_plan_begins_at_the_floor_and_finds_what_ends_by_its_key(
    seat: Seat, database_url: str
) -> None:
    """With a session that holds the horizon, so that every entry of what is done is still there."""
    seat.listen()
    sleeper = create_engine(database_url)
    with sleeper.connect() as connection:
        connection.execute(text("SELECT txid_current()"))
        claimed: list[Claimed] = []
        for _ in range(300):
            claimed = turn(seat, claimed)
        plan = explained(seat, claimed)
    sleeper.dispose()
    (ready,) = [node for node in plan if node.get("Index Name") == "jobs_ready"]
    assert "run_after >= COALESCE" in ready["Index Cond"]
    assert "jobs_running" not in {node.get("Index Name") for node in plan}
    for node in plan:
        assert buffers(node) < 150, "it walks over what is done"


class Explained(Exception):
    """Ends a statement before it is run, with the plan of the same statement as it would run."""


def explained(seat: Seat, claimed: list[Claimed]) -> list[dict[str, Any]]:
    """Return the nodes of the prepared plan by which these jobs are turned over."""

    def explain(*args: Any) -> None:
        if "EXECUTE" in str(args[2]):
            args[1].execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {args[2]}", args[3])
            raise Explained(args[1].fetchone()[0])

    event.listen(seat._engine._proxied, "before_cursor_execute", explain)
    with pytest.raises(Explained) as told:
        turn(seat, claimed)
    return nodes(told.value.args[0][0]["Plan"])


def turn_over(seat: Seat, *, turns: int = TURNS) -> int:
    """Claim three jobs in each turn, and record those of the turn before; return how many."""
    count = 0
    claimed: list[Claimed] = []
    for _ in range(turns):
        claimed = turn(seat, claimed)
        count += len(claimed)
    return count


def turn(seat: Seat, done: list[Claimed]) -> list[Claimed]:
    """Record what is done and claim three jobs, from the last one of these on."""
    with seat.single() as session:
        moved, claimed = queue.turn_over(
            session,
            [make.success(one) for one in done],
            worker="w-1",
            rooms={"misbehave": 3 - len(done)},
            leases=[uuid.uuid4() for _ in range(3)],
            floors={"misbehave": done[-1].run_after} if done else {},
        )
    assert len(moved) == len(done)
    return claimed


def ask(seat: Seat, question: str) -> list[Any]:
    with seat.single() as session:
        return [tuple(row) for row in session.execute(text(question))]
