"""What a claim reads while a session holds the horizon and nothing done can be cleared away."""

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, text

from app import db, queue
from tests import make
from tests.app.queue.test_plan import buffers, explain, nodes, vacuum

DONE, AT_ONCE = 4000, 100
FILL = """
INSERT INTO uploads (id, name, size, received, completed_at)
SELECT gen_random_uuid(), 'many.png', 1, 1, now() FROM generate_series(1, 50);
INSERT INTO jobs (upload_id, number, kind, payload, run_after)
SELECT id, number, 'image', '{"from": "png", "to": "jpg"}',
       now() - interval '1 hour' + row_number() OVER () * interval '1 ms'
FROM uploads, generate_series(1, 100) AS number;
"""


@pytest.fixture
def last(engine: Engine, sessions: db.Sessions, database_url: str) -> Iterator[datetime]:
    """The place of the last job claimed, when thousands were done while a session slept."""
    with engine.begin() as connection:
        connection.exec_driver_sql(FILL)
    vacuum(database_url)
    with sessions.begin() as session:
        make.make_worker(session)
    sleeper = create_engine(database_url)
    with sleeper.connect() as connection:
        connection.execute(text("SELECT txid_current()"))
        yield [claim_and_end(sessions) for _ in range(DONE // AT_ONCE)][-1]
    sleeper.dispose()


def test_from_its_floor_a_claim_walks_over_nothing_that_is_done(
    engine: Engine, sessions: db.Sessions, last: datetime, database_url: str
) -> None:
    vacuum(database_url)
    with sessions() as session:
        full = scan(explain(engine, session, slots=1))
        floored = scan(explain(engine, session, slots=1, floors={"image": last}))
    assert buffers(full) > 100, "nothing held the horizon: this test shows nothing"
    assert buffers(floored) < 14
    assert "run_after >= COALESCE" in floored["Index Cond"]


def claim_and_end(sessions: db.Sessions) -> datetime:
    leases = [uuid.uuid4() for _ in range(AT_ONCE)]
    with sessions.begin() as session:
        claimed = queue.claim(session, worker="w-1", rooms={"image": AT_ONCE}, leases=leases)
    with sessions.begin() as session:
        assert len(queue.succeed(session, [make.success(one) for one in claimed])) == AT_ONCE
    return claimed[-1].run_after


def scan(plan: dict[str, Any]) -> dict[str, Any]:
    """Return the node that looks for queued jobs."""
    (ready,) = [node for node in nodes(plan) if node.get("Index Name") == "jobs_ready"]
    return ready
