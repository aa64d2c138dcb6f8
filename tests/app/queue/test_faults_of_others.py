"""Faults that other queues had in public, tried on this one's statements."""

import uuid

import pytest
from sqlalchemy import Engine, delete, exc, func, select, text

from app import db, queue
from app.models import Job, Worker
from app.settings import Settings
from app.states import Status
from tests import make
from tests.app.queue.test_plan import buffers, explain, nodes, vacuum
from tests.polling import poll
from worker import beat, sweep

CROWD = 5000
AT_ONCE = 1000  # a claim takes no more


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


def test_neither_what_is_done_nor_what_runs_nor_what_waits_makes_a_claim_longer(
    engine: Engine, sessions: db.Sessions, database_url: str
) -> None:
    """Elsewhere it filtered or sorted all of them, and took seconds when there were millions."""
    with sessions.begin() as session:
        make.make_worker(session, "w-1")
        make.make_worker(session, "w-alive")
        for crowd in (_RUNNING, _WAITING, _DONE):
            session.execute(crowd, {"upload": make.make_upload(session), "count": CROWD})
        make.make_job(session)
    vacuum(database_url)
    with sessions() as session:
        plan = explain(engine, session, slots=1)
    looks = [node for node in nodes(plan) if node.get("Relation Name") == "jobs"]
    assert "Seq Scan" not in {node["Node Type"] for node in looks}
    (line,) = [node for node in looks if node.get("Index Name") == "jobs_ready"]
    assert "run_after <= now()" in line["Index Cond"]
    assert buffers(line) < 14


def test_without_any_vacuum_a_claim_walks_over_what_is_done_once(
    engine: Engine, sessions: db.Sessions
) -> None:
    """Elsewhere autovacuum was busy with other tables, and each claim walked over all of it."""
    with sessions.begin() as session:
        session.execute(text("ALTER TABLE jobs SET (autovacuum_enabled = off)"))
        make.make_worker(session)
        session.execute(_READY, {"upload": make.make_upload(session), "count": AT_ONCE})
    rooms, found = {"misbehave": AT_ONCE}, [uuid.uuid4() for _ in range(AT_ONCE)]
    with sessions.begin() as session:
        claimed = queue.claim(session, worker="w-1", rooms=rooms, leases=found)
    with sessions.begin() as session:
        assert len(queue.succeed(session, [make.success(one) for one in claimed])) == AT_ONCE

    def read() -> int:
        with sessions() as session:
            plan = explain(engine, session, slots=1)
        return sum(buffers(node) for node in nodes(plan) if node.get("Index Name") == "jobs_ready")

    assert read() > 30, "nothing was done: this test shows nothing"
    poll(lambda: read() < 14)  # a session that looks around may hold the horizon for a moment


def test_a_worker_that_beats_at_the_last_moment_keeps_its_job(sessions: db.Sessions) -> None:
    """Elsewhere one that was as late as it might be was robbed of it, and it ran twice."""
    misses = Settings().misses
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_worker(session, "w-2")
        make.make_job(session)
        held = make.claim_one(session)
    for _ in range(3):
        assert lost_after(sessions, misses - 1, misses=misses) == []
        with sessions.begin() as session:
            assert beat.alive(session, worker="w-1", busy=1, slots=1)
            assert beat.alive(session, worker="w-2", busy=0, slots=1)
            assert beat.leases(session, worker="w-1") == {held.lease_id: held.job_id}
            rooms = {"misbehave": 1}
            assert queue.claim(session, worker="w-2", rooms=rooms, leases=[uuid.uuid4()]) == []
    assert lost_after(sessions, misses, misses=misses) == ["w-1", "w-2"]


def lost_after(sessions: db.Sessions, sweeps: int, *, misses: int) -> list[str]:
    """Sweep so often, each time as a sweep does it; return who was found to be lost."""
    lost: list[str] = []
    for _ in range(sweeps):
        with sessions.begin() as session:
            assert sweep.elect(session, sweep_seconds=0)
        with sessions.begin() as session:
            lost += queue.rescue(session, misses=misses, backoff_seconds=0)
    return sorted(lost)


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
_READY = text(_CROWD.format(columns="status", values="'queued'"))
_DONE = text(
    _CROWD.format(
        columns="status, finished_at, result, progress",
        values="'succeeded', now(), '{}', 1",
    )
)
