"""What the database reads and writes for a claim and for a beat, with a full table."""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.orm import Session

from app import db, queue
from tests import make
from worker import beat

FILL = """
INSERT INTO uploads (id, name, size, received, completed_at)
SELECT gen_random_uuid(), 'many.png', 1, 1, now() FROM generate_series(1, 1000);
INSERT INTO jobs (upload_id, number, kind, payload, status, finished_at, result, progress,
                  run_after)
SELECT id, number, 'image', '{"from": "png", "to": "jpg"}', 'succeeded', now(), '{}', 1,
       now() - interval '1 day'
FROM uploads, generate_series(1, 200) AS number WHERE name = 'many.png';
INSERT INTO jobs (upload_id, number, kind, payload, run_after)
SELECT id, number, 'image', '{"from": "png", "to": "jpg"}', now() - interval '1 hour'
FROM uploads, generate_series(201, 250) AS number WHERE name = 'many.png';
INSERT INTO jobs (upload_id, number, kind, payload, run_after)
SELECT id, number, 'office', '{"from": "docx", "to": "pdf"}', now() - interval '2 hours'
FROM uploads, generate_series(251, 270) AS number WHERE name = 'many.png';
"""


@pytest.fixture
def full(engine: Engine, sessions: db.Sessions) -> Session:
    """200,000 finished jobs, 50,000 queued ones, and 20,000 of another kind first in line."""
    with engine.begin() as connection:
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        connection.exec_driver_sql(FILL)
    vacuum(engine.url.render_as_string(hide_password=False))
    with sessions.begin() as session:
        make.make_worker(session)
    return sessions()


def test_a_claim_reads_a_handful_of_buffers_whatever_else_is_in_the_table(
    engine: Engine, full: Session
) -> None:
    with full as session:
        for slots in (1, 30):
            plan = explain(engine, session, slots=slots)
            scans = [node for node in nodes(plan) if node.get("Relation Name") == "jobs"]
            assert not [node for node in scans if node["Node Type"] == "Seq Scan"]
            assert sum(node.get("Rows Removed by Filter", 0) for node in nodes(plan)) <= 1
            (ready,) = [node for node in scans if node.get("Index Name") == "jobs_ready"]
            assert buffers(ready) < 12 + 2 * slots
            leases = [uuid.uuid4() for _ in range(slots)]
            claimed = queue.claim(session, worker="w-1", rooms={"image": slots}, leases=leases)
            assert len(claimed) == slots


def test_writing_progress_is_a_hot_update(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
        claimed = make.claim_one(session)
    with sessions.begin() as session:
        before = updates(session)
        for tenth in range(1, 10):
            step = beat.Step(claimed.job_id, claimed.lease_id, tenth / 10, "encoding")
            beat.note(session, [step])
        after = updates(session)
    assert [after[0] - before[0], after[1] - before[1]] == [9, 9]


def updates(session: Session) -> tuple[int, int]:
    """Return all updates of jobs in this transaction, and how many of them were HOT."""
    counts = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = 'jobs'"
    row = session.execute(text(counts)).one()
    return row[0], row[1]


def explain(
    engine: Engine, session: Session, *, slots: int, floors: Mapping[str, datetime] = {}
) -> dict[str, Any]:
    """Run a claim under EXPLAIN ANALYZE, exactly as the queue wrote it."""
    found: list[Any] = []

    def capture(*args: Any) -> tuple[str, Any]:
        statement = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {args[2]}"
        args[1].execute(statement, args[3])
        found.append(args[1].fetchone()[0])
        nothing = (
            "SELECT NULL AS id, NULL AS upload_id, NULL AS number, NULL AS kind, NULL AS payload,"
            " NULL AS attempts, NULL AS run_after, NULL AS storage_key, NULL AS n WHERE false"
        )
        return nothing, {}

    session.connection()  # opens the transaction before the listener is there
    event.listen(engine, "before_cursor_execute", capture, retval=True)
    try:
        leases = [uuid.uuid4() for _ in range(slots)]
        rooms = {"image": slots, "misbehave": 1}
        queue.claim(session, worker="w-1", rooms=rooms, leases=leases, floors=floors)
    finally:
        event.remove(engine, "before_cursor_execute", capture)
    plan = found[0] if not isinstance(found[0], str) else json.loads(found[0])
    return dict(plan[0]["Plan"])


def vacuum(url: str) -> None:
    plain = create_engine(url, isolation_level="AUTOCOMMIT")
    with plain.connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE jobs")
    plain.dispose()


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in nodes(child))]


def buffers(node: dict[str, Any]) -> int:
    return int(node["Shared Hit Blocks"] + node["Shared Read Blocks"])
