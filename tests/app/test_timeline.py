"""An upload's story: every move in plain words, with what comes next."""

import re
import uuid
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app import db, queue, status, timeline
from app.failures import CATALOGUE, failure
from app.models import Job, Worker
from tests import make

CRASHED = CATALOGUE["converter_crashed"].sentence
UNCHARGED = "which does not count as a try"
OFFERS = {"kinds": {"misbehave": 1}, "pairs": {"misbehave": {"png": ["nap"]}}}


def story(session: Session, upload_id: uuid.UUID) -> list[str]:
    """Return the sentences, with times as they are rounded away."""
    told = [one.says for one in timeline.read(session, upload_id)]
    told = [re.sub(r"after [\d.]+ s", "after a while", says) for says in told]
    return [re.sub(r"began ([\d.]+ s later|at once)", "began soon", says) for says in told]


def step(session: Session, upload_id: uuid.UUID) -> str:
    found = status.read(session, [upload_id], keep_seconds=100, live_seconds=60)[upload_id]
    now = session.scalar(select(func.now()))
    assert now is not None
    return timeline.next_step(found.jobs[0], now=now)


def test_every_move_is_told_in_the_order_in_which_it_happened(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=OFFERS)
        job = make.make_job(session)
        queue.release(session, [make.ending(make.claim_one(session))])
        broken = make.ending(make.claim_one(session), error=failure("converter_crashed"))
        detailed = queue.Ending(
            broken.job_id, broken.lease_id, error=broken.error, detail=broken.error or {}
        )
        queue.retry(session, [detailed], backoff_seconds=0)
        make.claim_one(session)
        session.execute(update(Worker).values(missed=9))
        queue.rescue(session, misses=4, backoff_seconds=0)
        queue.cancel(session, job.upload_id)
        queue.again(session, job.upload_id, number=1)
        make.make_worker(session, "w-2", offers=OFFERS)
        queue.succeed(session, [make.success(make.claim_one(session, worker="w-2"))])
        assert story(session, job.upload_id) == [
            "It was put in line: png to nap.",
            "Attempt 1 on w-1 began.",
            f"Attempt 1 on w-1 was given back after a while, {UNCHARGED}; attempt 2 began soon.",
            "Attempt 2 on w-1 began.",
            f"Attempt 2 on w-1 broke after a while: {CRASHED} Attempt 3 began soon.",
            "Attempt 3 on w-1 began.",
            "Attempt 3 on w-1: the worker was lost after a while; it is tried again.",
            "Somebody cancelled it.",
            "Somebody asked for it once more; counts start anew.",
            "Attempt 1 on w-2 began.",
            "Attempt 1 on w-2 succeeded after a while.",
        ]
        assert step(session, job.upload_id) == "It is ready."


def test_what_was_taken_over_from_an_earlier_attempt_is_told_as_that(
    sessions: db.Sessions,
) -> None:
    refused, trace = failure("corrupt_input"), {"adopted": str(uuid.uuid4())}
    with sessions.begin() as session:
        make.make_worker(session)
        made, failed = make.make_job(session), make.make_job(session)
        success = make.success(make.claim_one(session))
        queue.succeed(session, [replace(success, detail=trace)])
        refusal = make.ending(make.claim_one(session), error=refused, detail=refused | trace)
        queue.fail(session, [refusal])
        assert story(session, made.upload_id)[-1] == (
            "Attempt 1 on w-1 found the work done by an earlier one,"
            " and took it over after a while."
        )
        assert story(session, failed.upload_id)[-1] == (
            "Attempt 1 on w-1 found that an earlier one had failed,"
            f" and took that over after a while: {refused['detail']}"
        )


def test_a_handover_is_told_to_operators_by_the_families_and_to_people_without(
    sessions: db.Sessions,
) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session)
        queue.retry(session, [make.breakdown(make.claim_one(session))], backoff_seconds=0)
        assert queue.hand_over(session, {"misbehave:png>nap": "siesta"}) == [job.id]
        make.claim_one(session, kind="siesta")
        assert story(session, job.upload_id)[2:] == [
            "Attempt 1 on w-1 broke after a while. It is tried again.",
            "No worker offers misbehave any more: it was handed over to siesta.",
            "Attempt 2 on w-1 began.",
        ]
        for listener in ("people", "guests"):
            voice = replace(timeline.OPERATORS, listener=listener)
            told = [one.says for one in timeline.read(session, job.upload_id, voice=voice)]
            assert told[3] == (
                "What it waited for has been away for too long; it is converted in another way."
            )


def test_what_comes_next_is_said(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        job = make.make_job(session)
        upload = job.upload_id
        assert step(session, upload) == (
            "It waits for a worker that can turn png into nap: start one."
        )
        make.make_worker(session, offers=OFFERS)
        assert step(session, upload) == "It is next in line, and waits for a free slot."
        session.execute(update(Job).values(run_after=func.now() + timedelta(seconds=20)))
        assert step(session, upload) == "The next attempt waits 20 s."
        session.execute(update(Job).values(run_after=func.now() - timedelta(seconds=20)))
        make.make_job(session, run_after=func.now() - timedelta(seconds=90))
        assert "1 ahead of it" in step(session, upload)
        queue.cancel(session, upload)
        assert step(session, upload) == "Once more: POST …/jobs/1/again."


def test_a_failure_ends_with_what_to_do(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        job = make.make_job(session, status="failed")
        said = step(session, job.upload_id)
    assert said.startswith("Try again, or choose another target format.")
