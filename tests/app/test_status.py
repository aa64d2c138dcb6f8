"""What a person is told about an upload: derived from its rows, true, and never backwards."""

import re
import uuid
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import event, func, insert, select, text, update
from sqlalchemy.orm import Session

from app import queue, status
from app.db import Sessions
from app.failures import failure
from app.models import Job, Upload, Worker
from app.queue import Ending
from app.states import Status, UploadStatus
from app.status import LONGEST_LINE, JobState, UploadState, derive
from tests.make import make_job, make_upload, make_worker

LATER = datetime(2040, 1, 1, tzinfo=UTC)
OFFERS = {"pairs": {"misbehave": {"png": ["nap"]}}}


def read(session: Session, upload_id: UUID) -> UploadState:
    found = status.read(session, [upload_id], keep_seconds=100, live_seconds=60)
    return found[upload_id]


def job(session: Session, upload_id: UUID) -> JobState:
    return read(session, upload_id).jobs[0]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"is_deleted": True}, "deleted"),
        ({"is_deleted": True, "expires_at": LATER}, "expired"),
        ({"is_over": True, "expires_at": LATER, "jobs": [Status.QUEUED]}, "expired"),
        ({"is_complete": False}, "receiving"),
        ({"jobs": [Status.SUCCEEDED, Status.QUEUED]}, "converting"),
        ({"jobs": [Status.FAILED, Status.RUNNING]}, "converting"),
        ({"jobs": [Status.FAILED, Status.SUCCEEDED, Status.CANCELLED]}, "ready"),
        ({"jobs": [Status.CANCELLED, Status.CANCELLED]}, "cancelled"),
        ({"jobs": [Status.CANCELLED, Status.FAILED]}, "failed"),
        ({"jobs": []}, "failed"),
    ],
)
def test_the_first_status_that_matches_wins(facts: dict[str, Any], expected: str) -> None:
    usual: dict[str, Any] = {
        "is_deleted": False,
        "expires_at": None,
        "is_over": False,
        "is_complete": True,
        "jobs": [],
    }
    assert derive(**{**usual, **facts}) is UploadStatus(expected)


def test_who_does_not_exist_is_not_there(sessions: Sessions) -> None:
    with sessions.begin() as session:
        found = status.read(session, [uuid.uuid4()], keep_seconds=1, live_seconds=1)
        assert found == {}
        assert status.read(session, [], keep_seconds=1, live_seconds=1) == {}


def test_one_statement_reads_any_number_of_uploads(sessions: Sessions) -> None:
    with sessions.begin() as session:
        ids = [make_job(session).upload_id for _ in range(5)]
        ids.append(make_upload(session))
        statements: list[str] = []
        event.listen(
            session.connection(), "before_cursor_execute", lambda *a: statements.append(a[2])
        )
        found = status.read(session, ids, keep_seconds=1, live_seconds=1)
    assert set(found) == set(ids)
    assert [len(found[upload_id].jobs) for upload_id in ids] == [1, 1, 1, 1, 1, 0]
    assert len(statements) == 1


def test_expiry_is_the_last_finish_and_the_time_to_keep_until_it_is_stamped(
    sessions: Sessions,
) -> None:
    with sessions.begin() as session:
        done = make_job(session, status="succeeded")
        assert done.finished_at is not None
        state = read(session, done.upload_id)
        assert state.expires_at == done.finished_at + timedelta(seconds=100)
        session.execute(update(Upload).values(expires_at=LATER))
        assert read(session, done.upload_id).expires_at == LATER


def test_nothing_expires_while_a_job_is_open(sessions: Sessions) -> None:
    with sessions.begin() as session:
        assert read(session, make_job(session).upload_id).expires_at is None
    with sessions.begin() as session:
        receiving = make_upload(session, completed_at=None, received=1, sha256=None)
        assert read(session, receiving).expires_at is None


def test_the_attempt_never_falls_whatever_happens_to_the_job(sessions: Sessions) -> None:
    told: list[tuple[str, int]] = []

    def look() -> None:
        state = job(session, upload_id)
        told.append((state.status.value, state.attempt))
        assert state.attempt <= state.max_attempts

    with sessions.begin() as session:
        worker = make_worker(session)
        upload_id = make_job(session).upload_id
        look()
        for move in ("release", "retry", "rescue", "release", "retry", "rescue", "retry"):
            session.execute(update(Job).values(run_after=func.now()))
            (claimed,) = queue.claim(
                session, worker=worker, rooms={"misbehave": 1}, leases=[uuid.uuid4()]
            )
            look()
            ended = Ending(claimed.job_id, claimed.lease_id, error=failure("stalled"))
            match move:
                case "release":
                    queue.release(session, [ended])
                case "retry":
                    queue.retry(session, [ended], backoff_seconds=0)
                case _:
                    session.execute(update(Worker).values(missed=9))
                    queue.rescue(session, misses=4, backoff_seconds=0)
                    session.execute(update(Worker).values(missed=0, lost_at=None))
            look()
    assert all(before[1] <= after[1] for before, after in pairwise(told)), told
    assert told[-1] == ("failed", 3)
    assert job_interruptions(sessions, upload_id) == 4


def job_interruptions(sessions: Sessions, upload_id: UUID) -> int:
    with sessions.begin() as session:
        return job(session, upload_id).interruptions


def test_a_job_that_lost_five_workers_keeps_its_attempt(sessions: Sessions) -> None:
    with sessions.begin() as session:
        upload_id = make_job(
            session,
            status="failed",
            attempts=6,
            losses=5,
            error=failure("worker_lost"),
        ).upload_id
        assert job(session, upload_id).attempt == 2


def test_the_line_counts_ready_jobs_of_the_same_kind(sessions: Sessions) -> None:
    with sessions.begin() as session:
        first = make_job(session).upload_id
        make_job(session, kind="other")
        second = make_job(session).upload_id
        later = make_job(session, run_after=LATER).upload_id
        third = make_job(session).upload_id
        ahead = {upload_id: job(session, upload_id).ahead for upload_id in (first, second, third)}
        assert ahead == {first: 0, second: 1, third: 2}
        assert job(session, later).ahead == 3  # it waits for its next attempt behind all of them
        make_job_running(session, first)
        assert job(session, first).ahead is None
        assert job(session, third).ahead == 1


def make_job_running(session: Session, upload_id: UUID) -> None:
    worker = make_worker(session, "w-line")
    (claimed,) = queue.claim(session, worker=worker, rooms={"misbehave": 1}, leases=[uuid.uuid4()])
    assert claimed.upload_id == upload_id


def test_a_long_line_is_counted_to_its_limit_and_cheaply(sessions: Sessions) -> None:
    with sessions.begin() as session:
        crowd = make_upload(session)
        numbers = select(func.generate_series(1, 30_000).label("n")).subquery()
        session.execute(
            insert(Job).from_select(
                ["upload_id", "number", "kind", "payload"],
                select(
                    text(f"'{crowd}'::uuid"),
                    numbers.c.n,
                    text("'misbehave'"),
                    text("""'{"from": "png", "to": "nap", "options": {}}'::jsonb"""),
                ),
            )
        )
    vacuum(sessions)
    with sessions.begin() as session:
        upload_id = make_job(session).upload_id
        assert job(session, upload_id).ahead == LONGEST_LINE
        plan = explained(session, upload_id)
    assert "jobs_ready" in plan
    assert "Seq Scan on jobs" not in plan
    assert "Seq Scan on uploads" not in plan or "rows=1" in plan
    assert buffers(plan) < 400, plan


def vacuum(sessions: Sessions) -> None:
    connection = sessions.kw["bind"].raw_connection()
    connection.driver_connection.autocommit = True
    connection.cursor().execute("VACUUM ANALYZE jobs")
    connection.driver_connection.autocommit = False
    connection.close()


def explained(session: Session, upload_id: UUID) -> str:
    """Send the very statement that `read` sends once more, to be explained."""
    sent: list[tuple[str, Any]] = []
    connection = session.connection()
    event.listen(connection, "before_cursor_execute", lambda *a: sent.append((a[2], a[3])))
    read(session, upload_id)
    ((statement, parameters),) = sent
    rows = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS) {statement}", parameters)
    return "\n".join(row[0] for row in rows)


def buffers(plan: str) -> int:
    """The shared buffers that the whole statement touched: those of the topmost node."""
    found = re.search(r"shared hit=(\d+)(?: read=(\d+))?", plan)
    assert found, plan
    return int(found[1]) + int(found[2] or 0)


@pytest.mark.parametrize(
    ("offers", "columns", "expected"),
    [
        (OFFERS, {}, True),
        ({"pairs": {"misbehave": {"png": ["jpg"]}}}, {}, False),
        ({"pairs": {"other": {"png": ["nap"]}}}, {}, False),
        ({}, {}, False),
        (OFFERS, {"lost_at": LATER}, False),
        (OFFERS, {"heartbeat": datetime(2020, 1, 1, tzinfo=UTC)}, False),
    ],
)
def test_only_a_live_worker_that_offers_the_pair_counts(
    sessions: Sessions, offers: dict[str, Any], columns: dict[str, Any], expected: bool
) -> None:
    with sessions.begin() as session:
        upload_id = make_job(session).upload_id
        assert job(session, upload_id).is_offered is False
        make_worker(session, offers=offers, **columns)
        assert job(session, upload_id).is_offered is expected


def test_the_newest_success_is_the_one_that_finished_last(sessions: Sessions) -> None:
    with sessions.begin() as session:
        upload_id = make_upload(session)
        for number, finished_at in enumerate((LATER, LATER - timedelta(days=1)), start=1):
            made = make_job(session, upload_id=upload_id, status="succeeded")
            session.execute(update(Job).where(Job.id == made.id).values(finished_at=finished_at))
            assert made.number == number
        newest = read(session, upload_id).newest_success
        assert newest is not None
        assert newest.number == 1


@pytest.mark.parametrize(
    "columns",
    [
        {"completed_at": None, "size": 10, "received": 3},
        {"error": {"code": "corrupt_input", "detail": "", "hint": ""}},
        {"deleted_at": func.now(), "name": "", "sha256": None},
    ],
    ids=["receiving", "refused", "deleted"],
)
def test_an_upload_without_a_job_is_read_while_a_worker_lives(
    sessions: Sessions, columns: dict[str, Any]
) -> None:
    with sessions.begin() as session:
        make_worker(session, offers=OFFERS)
        assert read(session, make_upload(session, **columns)).jobs == ()
