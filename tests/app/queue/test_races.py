"""Two writers at one row, on real row locks, each of them first once: the lease decides."""

import pytest
from sqlalchemy import select, text, update

from app import db, queue
from app.models import Job, Worker
from app.queue import Standing
from app.states import Status
from tests import make
from tests.app.queue.conftest import Race
from tests.app.queue.racing import Case
from worker import beat, sweep

pytestmark = pytest.mark.rounds(50)


def test_a_finish_after_a_rescue_changes_nothing(sessions: db.Sessions) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.rescue(session)
    assert case.finished() is Standing.WAITING
    assert case.job().status is Status.QUEUED


def test_a_rescue_after_a_finish_changes_nothing(sessions: db.Sessions) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        assert case.finish(session) is Standing.MOVED
    with sessions.begin() as session:
        case.rescue(session)
    assert case.job().status is Status.SUCCEEDED


def test_a_rescue_passes_by_a_job_whose_finish_is_being_written(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as finishing:
        assert case.finish(finishing) is Standing.MOVED
        assert race.start(case.rescue).result(30) == ["w-1"]
    assert case.job().status is Status.SUCCEEDED


def test_a_finish_passes_by_a_job_that_is_being_rescued(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as rescuing:
        case.rescue(rescuing)
        assert race.start(case.finish).result(30) is Standing.BUSY
    assert case.job().status is Status.QUEUED


def test_a_finish_behind_a_rescue_and_a_new_claim_is_lost(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as session:
        case.rescue(session)
        theirs = make.claim_one(session, worker="w-2")
        assert race.start(case.finish).result(30) is Standing.BUSY
    assert case.finished() is Standing.LOST
    assert (case.job().status, case.job().lease_id) == (Status.RUNNING, theirs.lease_id)
    with sessions.begin() as session:
        assert queue.succeed(session, [make.success(theirs)])


@pytest.mark.rounds(200)
def test_a_finish_behind_a_new_claim_of_a_rescued_job_is_lost(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.rescue(session)
    with race.open() as claiming:
        (theirs,) = case.claim(claiming)
        assert race.start(case.finish).result(30) is Standing.WAITING
    assert case.finished() is Standing.LOST
    assert (case.job().status, case.job().lease_id) == (Status.RUNNING, theirs.lease_id)


def test_a_claim_passes_by_a_job_whose_finish_is_being_written(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as finishing:
        assert case.finish(finishing) is Standing.MOVED
        race.start(case.rescue).result(30)
        assert race.start(case.claim).result(30) == []
    assert race.start(case.claim).result(30) == []
    assert (case.job().status, case.job().attempts) == (Status.SUCCEEDED, 1)


def test_a_finish_behind_a_retry_of_its_own_attempt_changes_nothing(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as retrying:
        assert case.retry(retrying) is Standing.MOVED
        assert race.start(case.finish).result(30) is Standing.BUSY
    assert case.finished() is Standing.WAITING
    assert (case.job().status, case.job().error) == (Status.QUEUED, case.broken.error)
    (theirs,) = race.start(case.claim).result(30)
    assert case.finished() is Standing.LOST
    assert case.job().lease_id == theirs.lease_id


def test_a_retry_behind_a_finish_of_its_own_attempt_is_lost(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as finishing:
        assert case.finish(finishing) is Standing.MOVED
        assert race.start(case.retry).result(30) is Standing.BUSY
    assert race.start(case.retry).result(30) is Standing.LOST
    assert (case.job().status, case.job().error) == (Status.SUCCEEDED, None)


def test_a_late_release_retry_or_failure_changes_nothing_either(sessions: db.Sessions) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.rescue(session)
        make.claim_one(session, worker="w-2")
    with sessions.begin() as session:
        broken = [make.breakdown(case.claimed)]
        assert not case.release(session)
        assert not queue.fail(session, broken)
        assert not queue.retry(session, broken, backoff_seconds=1)
        beat.note(session, [beat.Step(case.claimed.job_id, case.claimed.lease_id, 0.7, "late")])
    assert (case.job().status, case.job().progress) == (Status.RUNNING, 0)


def test_a_beat_whose_transaction_is_open_wins_against_a_rescue(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as beating:
        assert case.beat(beating)
        assert race.start(case.rescue).result(30) == []
    with sessions.begin() as session:
        assert case.rescue(session) == []
    assert case.job().status is Status.RUNNING


def test_a_beat_behind_a_rescue_learns_that_it_is_lost(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as rescuing:
        assert case.rescue(rescuing) == ["w-1"]
        beating = race.start(case.beat)
        assert race.waits(beating)
    assert beating.result(30) is False


def test_release_and_rescue_give_a_job_back_once(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as releasing:
        assert case.release(releasing)
        race.start(case.rescue).result(30)
    job = case.job()
    assert (job.status, job.releases, job.losses) == (Status.QUEUED, 1, 0)


def test_a_release_after_a_rescue_changes_nothing(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as rescuing:
        case.rescue(rescuing)
        assert not race.start(case.release).result(30)
    job = case.job()
    assert (job.status, job.releases, job.losses) == (Status.QUEUED, 0, 1)


def test_a_strangers_open_transaction_on_one_job_delays_nobody(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        session.execute(update(Worker).values(missed=0))
        for _ in range(2):
            make.make_job(session)
        healthy = make.claim_one(session)
    with race.open() as stranger:
        stranger.execute(
            text("SELECT FROM jobs WHERE id = :id FOR UPDATE"), {"id": case.claimed.job_id}
        )
        stranger.execute(text("SELECT FROM jobs WHERE status = 'queued' FOR UPDATE"))
        steps = [
            beat.Step(one.job_id, one.lease_id, 0.5, "half") for one in (case.claimed, healthy)
        ]
        assert race.start(case.beat).result(30)
        race.start(lambda session: beat.note(session, steps)).result(30)
        race.start(lambda session: sweep.elect(session, sweep_seconds=0)).result(30)
        race.start(case.rescue).result(30)
        race.start(
            lambda session: queue.claim(
                session, worker="w-2", rooms={"misbehave": 1}, leases=[case.claimed.lease_id]
            )
        ).result(30)
    with sessions() as session:
        progress = dict(session.execute(select(Job.id, Job.progress)).all())
    assert progress[healthy.job_id] == 0.5
    assert progress[case.claimed.job_id] == 0
