"""Outcomes are recorded in batches, and a value that no row can hold costs nobody else."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from psycopg2 import extensions
from sqlalchemy import update
from sqlalchemy.orm import Session

from app import db, queue
from app.models import Worker
from app.queue import Claimed, Ending, Standing
from app.states import Status
from tests import make
from worker.outcome import Broken, Converted, Interrupted, Outcome, Refused
from worker.record import record
from worker.report import Report
from worker.seat import Seat

RESULT = {"storage_key": "results/x", "facts": {}}


@pytest.fixture
def seat(database_url: str) -> Iterator[Seat]:
    seat = Seat(database_url, name="rowmill worker test")
    yield seat
    seat.drop()
    extensions.set_wait_callback(None)


def claimed(sessions: db.Sessions, count: int) -> list[Claimed]:
    with sessions.begin() as session:
        make.make_worker(session, slots=count)
        for _ in range(count):
            make.make_job(session)
        return [make.claim_one(session) for _ in range(count)]


def statuses(sessions: db.Sessions, jobs: list[Claimed]) -> list[Status]:
    with sessions() as session:
        return [make.job_of(session, job.upload_id).status for job in jobs]


def test_each_outcome_makes_its_move(seat: Seat, sessions: db.Sessions) -> None:
    jobs = claimed(sessions, 4)
    outcomes: list[Outcome] = [
        Converted(),
        Refused("corrupt_input"),
        Broken("stalled"),
        Interrupted(),
    ]
    reports = [
        Report(job, outcome, RESULT if isinstance(outcome, Converted) else None)
        for job, outcome in zip(jobs, outcomes, strict=True)
    ]
    standings = record(seat, reports, backoff_seconds=1)
    assert set(standings.values()) == {Standing.MOVED}
    expected = [Status.SUCCEEDED, Status.FAILED, Status.QUEUED, Status.QUEUED]
    assert statuses(sessions, jobs) == expected


@pytest.mark.parametrize("poison", ["a\x00b", "\ud800", float("nan"), float("inf")])
def test_one_poisoned_value_does_not_fail_the_batch(
    seat: Seat, sessions: db.Sessions, poison: Any
) -> None:
    jobs = claimed(sessions, 3)
    reports = [Report(job, Converted(), RESULT) for job in jobs]
    reports[1] = Report(jobs[1], Converted(), RESULT | {"facts": {"note": poison}})
    standings = record(seat, reports, backoff_seconds=1)
    assert set(standings.values()) == {Standing.MOVED}
    expected = [Status.SUCCEEDED, Status.FAILED, Status.SUCCEEDED]
    assert statuses(sessions, jobs) == expected


def test_a_poisoned_value_leaves_the_larger_statement_to_the_others(
    seat: Seat, sessions: db.Sessions
) -> None:
    jobs = claimed(sessions, 3)
    reports = [Report(job, Converted(), RESULT) for job in jobs]
    reports[1] = Report(jobs[1], Converted(), RESULT | {"facts": {"note": "a\x00b"}})
    tries: list[int] = []

    def larger(session: Session, endings: Sequence[Ending]) -> set[UUID]:
        tries.append(len(endings))
        return queue.succeed(session, endings)

    standings = record(seat, reports, backoff_seconds=1, succeed=larger)
    assert set(standings.values()) == {Standing.MOVED}
    assert statuses(sessions, jobs) == [Status.SUCCEEDED, Status.FAILED, Status.SUCCEEDED]
    assert tries == [3]


@pytest.mark.parametrize("text", ["a\x00b", "\ud800 \udfff", "\x1b[31mred", "x" * 10_000_000])
def test_any_text_of_a_converter_can_be_recorded(
    seat: Seat, sessions: db.Sessions, text: str
) -> None:
    (job,) = claimed(sessions, 1)
    record(seat, [Report(job, Refused("corrupt_input", detail=text))], backoff_seconds=1)
    with sessions() as session:
        error = make.job_of(session, job.upload_id).error
    assert error is not None
    assert error["detail"].isprintable()
    assert len(error["detail"]) <= 1000


def test_an_answer_that_was_lost_is_already(seat: Seat, sessions: db.Sessions) -> None:
    (job,) = claimed(sessions, 1)
    report = Report(job, Converted(), RESULT)
    record(seat, [report], backoff_seconds=1)
    assert record(seat, [report], backoff_seconds=1) == {job.lease_id: Standing.ALREADY}


def test_a_lost_lease_is_waiting_until_the_job_has_another(
    seat: Seat, sessions: db.Sessions
) -> None:
    """Until then what was made is of use: the next attempt adopts it."""
    (job,) = claimed(sessions, 1)
    report = Report(job, Converted(), RESULT)
    with sessions.begin() as session:
        session.execute(update(Worker).values(missed=4))
        queue.rescue(session, misses=4, backoff_seconds=0)
    assert record(seat, [report], backoff_seconds=1) == {job.lease_id: Standing.WAITING}
    with sessions.begin() as session:
        make.make_worker(session, "w-2")
        make.claim_one(session, worker="w-2")
    assert record(seat, [report], backoff_seconds=1) == {job.lease_id: Standing.LOST}


def test_a_lease_that_a_person_took_away_is_lost_although_the_job_waits(
    seat: Seat, sessions: db.Sessions
) -> None:
    (job,) = claimed(sessions, 1)
    with sessions.begin() as session:
        queue.lock(session, job.upload_id)
        queue.cancel(session, job.upload_id)
        queue.again(session, job.upload_id, number=1)
    report = Report(job, Converted(), RESULT)
    assert record(seat, [report], backoff_seconds=1) == {job.lease_id: Standing.LOST}


def test_a_lost_lease_is_lost_and_the_others_are_recorded(
    seat: Seat, sessions: db.Sessions
) -> None:
    jobs = claimed(sessions, 2)
    with sessions.begin() as session:
        queue.lock(session, jobs[0].upload_id)
        queue.cancel(session, jobs[0].upload_id)
    standings = record(seat, [Report(job, Converted(), RESULT) for job in jobs], backoff_seconds=1)
    assert standings == {jobs[0].lease_id: Standing.LOST, jobs[1].lease_id: Standing.MOVED}
