"""Faults that other queues had in public, tried on this one's statements."""

import pytest
from sqlalchemy import delete, exc, func, select, text

from app import db, queue
from app.models import Job, Worker
from app.states import Status
from tests import make

CROWD = 5000


def test_the_row_of_a_worker_that_holds_a_job_cannot_be_pruned(sessions: db.Sessions) -> None:
    """Elsewhere its job belonged to nobody then, and no sweep ever found it."""
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
        make.claim_one(session)
    with pytest.raises(exc.IntegrityError), sessions.begin() as session:
        session.execute(delete(Worker))


def test_a_crowd_of_healthy_jobs_does_not_hide_a_dead_one(sessions: db.Sessions) -> None:
    """Elsewhere a sweep looked at one page of the oldest running jobs, all of them well."""
    with sessions.begin() as session:
        make.make_worker(session, "w-alive")
        make.make_worker(session, "w-dead", missed=4)
        crowd = make.make_upload(session)
        session.execute(_RUNNING, {"upload": crowd, "count": CROWD})
        last = make.make_job(session)
        queued = make.claim_one(session, worker="w-dead")
        assert queued.job_id == last.id
    with sessions.begin() as session:
        assert queue.rescue(session, misses=4, backoff_seconds=0) == ["w-dead"]
        assert make.job_of(session, queued.upload_id).status is Status.QUEUED
        running = select(func.count()).where(Job.status == Status.RUNNING)
        assert session.scalar(running) == CROWD


def test_a_crowd_of_waiting_retries_does_not_hide_a_ready_job(sessions: db.Sessions) -> None:
    """Elsewhere whoever looked for what was due read all that was not."""
    with sessions.begin() as session:
        make.make_worker(session)
        crowd = make.make_upload(session)
        session.execute(_WAITING, {"upload": crowd, "count": CROWD})
        ready = make.make_job(session)
        assert make.claim_one(session).job_id == ready.id


_CROWD = """
INSERT INTO jobs (upload_id, number, kind, payload, max_attempts, {columns})
SELECT :upload, n, 'misbehave', '{{"from": "png", "to": "nap", "options": {{}}}}', 3, {values}
FROM generate_series(1, :count) AS n
"""
_RUNNING = text(
    _CROWD.format(
        columns="status, locked_by, lease_id, attempts, started_at",
        values="'running', 'w-alive', gen_random_uuid(), 1, now()",
    )
)
_WAITING = text(
    _CROWD.format(columns="status, run_after", values="'queued', now() + interval '1 hour'")
)
