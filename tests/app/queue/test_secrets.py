"""A secret of a job lives in its row until the job ends, and nowhere else."""

import json
from typing import Any

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app import db, queue, status
from app.models import Event, Job, Worker
from app.queue import Claimed
from app.states import FINAL
from tests import make

PASSWORD = "hunter2 of the house"
PAYLOAD = {**make.PNG_TO_NAP, "secrets": {"password": PASSWORD}}


def claimed(session: Session, **columns: Any) -> Claimed:
    make.make_worker(session)
    make.make_job(session, payload=PAYLOAD, **columns)
    return make.claim_one(session)


def succeed(session: Session) -> None:
    queue.succeed(session, [make.success(claimed(session))])


def turn_over(session: Session) -> None:
    ending = make.success(claimed(session))
    queue.turn_over(session, [ending], worker="w-1", rooms={}, leases=[ending.lease_id])


def fail(session: Session) -> None:
    queue.fail(session, [make.breakdown(claimed(session))])


def break_once_too_often(session: Session) -> None:
    ending = make.breakdown(claimed(session, max_attempts=1))
    queue.retry(session, [ending], backoff_seconds=0)


def lose_once_too_often(session: Session) -> None:
    claimed(session)
    session.execute(update(Job).values(losses=4, attempts=5))
    session.execute(update(Worker).values(missed=4))
    queue.rescue(session, misses=4, backoff_seconds=0)


def cancel_while_queued(session: Session) -> None:
    queue.cancel(session, make.make_job(session, payload=PAYLOAD).upload_id)


def cancel_while_running(session: Session) -> None:
    queue.cancel(session, claimed(session).upload_id)


@pytest.mark.parametrize(
    "end",
    [
        succeed,
        turn_over,
        fail,
        break_once_too_often,
        lose_once_too_often,
        cancel_while_queued,
        cancel_while_running,
    ],
)
def test_whatever_ends_a_job_takes_its_secret_away(sessions: db.Sessions, end: object) -> None:
    with sessions.begin() as session:
        end(session)  # type: ignore[operator]
        job = session.scalars(select(Job)).one()
        assert job.status in FINAL
        assert job.payload == make.PNG_TO_NAP
        assert everything_told(session, job).count(PASSWORD) == 0


def test_an_attempt_gets_it_and_so_does_the_next_one(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        first = claimed(session)
        assert first.payload["secrets"] == {"password": PASSWORD}
        queue.retry(session, [make.breakdown(first)], backoff_seconds=0)
        second = make.claim_one(session)
        assert second.payload["secrets"] == {"password": PASSWORD}
        queue.release(session, [make.ending(second)])
        assert make.claim_one(session).payload["secrets"] == {"password": PASSWORD}
        job = session.scalars(select(Job)).one()
        assert everything_told(session, job).count(PASSWORD) == 0


def test_a_row_that_would_keep_it_is_refused(sessions: db.Sessions) -> None:
    with sessions() as session:
        make.make_job(session, status="succeeded")
        with pytest.raises(IntegrityError, match="secrets_end"):
            session.execute(text("UPDATE jobs SET payload = payload || '{\"secrets\": {}}'"))


def everything_told(session: Session, job: Job) -> str:
    """Return all that people and operators can read of a job."""
    events = [event.detail for event in session.scalars(select(Event))]
    found = status.read(session, [job.upload_id], keep_seconds=100, live_seconds=60)
    return json.dumps(events) + repr(found)
