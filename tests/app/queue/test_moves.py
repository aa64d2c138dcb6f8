"""Each move does what the table of moves says, and writes one event."""

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import extract, func, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app import db, queue
from app.failures import failure
from app.models import Event, Job, Upload, Worker
from app.queue import Standing
from app.states import MOVES, Move, Status
from tests import make


def events(session: Session, job: Job) -> list[Event]:
    return list(session.scalars(select(Event).where(Event.job_id == job.id).order_by(Event.id)))


def only_move(session: Session, job: Job, move: Move) -> Event:
    (event,) = [one for one in events(session, job) if one.move is move]
    return event


def seconds_until_run(session: Session, job: Job) -> float:
    left = extract("epoch", Job.run_after - func.now())
    return float(session.scalars(select(left).where(Job.id == job.id)).one())


def test_enqueue_numbers_the_jobs_of_an_upload(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session)
        numbers = [make.make_job(session, upload_id=upload).number for _ in range(3)]
        assert numbers == [1, 2, 3]


def test_a_claim_counts_an_attempt_and_begins_anew(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session)
        claimed = make.claim_one(session)
        job = make.job_of(session, job.upload_id)
        assert (job.status, job.attempts, job.progress) == (Status.RUNNING, 1, 0)
        assert (job.locked_by, job.lease_id) == ("w-1", claimed.lease_id)
        event = only_move(session, job, Move.CLAIM)
        assert (event.worker, event.lease_id, event.attempt) == ("w-1", claimed.lease_id, 1)


def test_success_names_the_result_and_clears_an_old_reason(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session)
        queue.retry(session, [make.breakdown(make.claim_one(session))], backoff_seconds=0)
        claimed = make.claim_one(session)
        assert queue.succeed(session, [make.success(claimed)]) == {claimed.lease_id}
        job = make.job_of(session, job.upload_id)
        assert (job.status, job.progress, job.error) == (Status.SUCCEEDED, 1, None)
        assert job.result is not None
        assert job.finished_at is not None
        assert only_move(session, job, Move.SUCCEED).attempt == 2


def test_a_retry_keeps_the_reason_and_waits_longer_each_time(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session)
        for attempt in (1, 2):
            session.execute(update(Job).values(run_after=func.now()))
            claimed = make.claim_one(session)
            queue.retry(session, [make.breakdown(claimed)], backoff_seconds=10)
            pause = seconds_until_run(session, job)
            assert 5 * 2 ** (attempt - 1) <= pause <= 15 * 2 ** (attempt - 1)
        job = make.job_of(session, job.upload_id)
        assert job.status is Status.QUEUED
        assert job.error == failure("converter_crashed")


def test_retries_that_began_together_do_not_come_back_together(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        jobs = [make.make_job(session) for _ in range(10)]
        broken = [make.breakdown(make.claim_one(session)) for _ in jobs]
        assert len(queue.retry(session, broken, backoff_seconds=10)) == len(jobs)
        pauses = [seconds_until_run(session, job) for job in jobs]
    assert all(5 <= pause <= 15 for pause in pauses)
    assert len(set(pauses)) == len(jobs)


def test_a_retry_fails_when_the_attempts_are_spent(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session, max_attempts=2)
        for _ in range(2):
            queue.retry(session, [make.breakdown(make.claim_one(session))], backoff_seconds=0)
        job = make.job_of(session, job.upload_id)
        assert (job.status, job.attempts) == (Status.FAILED, 2)
        moves = [event.move for event in events(session, job)]
        assert moves == [Move.ENQUEUE, Move.CLAIM, Move.RETRY, Move.CLAIM, Move.FAIL]


def test_losses_and_releases_are_not_charged(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session, max_attempts=2)
        queue.release(session, [make.ending(make.claim_one(session))])
        make.claim_one(session)
        lose(session, "w-1")
        make.make_worker(session, "w-2")
        queue.retry(
            session, [make.breakdown(make.claim_one(session, worker="w-2"))], backoff_seconds=0
        )
        job = make.job_of(session, job.upload_id)
        assert (job.status, job.attempts, job.losses, job.releases) == (Status.QUEUED, 3, 1, 1)


def test_a_release_keeps_the_place_in_the_line(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        first = make.make_job(session)
        make.make_job(session)
        claimed = make.claim_one(session)
        queue.release(session, [make.ending(claimed)])
        assert make.claim_one(session).job_id == first.id


def test_a_refusal_fails_at_once(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session)
        refused = make.ending(make.claim_one(session), error=failure("corrupt_input"))
        queue.fail(session, [refused])
        job = make.job_of(session, job.upload_id)
        assert job.status is Status.FAILED
        assert job.error is not None
        assert job.error["code"] == "corrupt_input"


def test_the_first_loss_costs_no_pause_and_the_fifth_is_the_end(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        job = make.make_job(session)
        for loss in range(1, queue.MOST_LOSSES + 1):
            session.execute(update(Job).values(run_after=func.least(Job.run_after, func.now())))
            name = make.make_worker(session, f"w-{loss}")
            make.claim_one(session, worker=name)
            assert lose(session, name) == [name]
            pause = seconds_until_run(session, job)
            assert pause <= 0 if loss in (1, queue.MOST_LOSSES) else pause > 0
        job = make.job_of(session, job.upload_id)
        assert (job.status, job.losses) == (Status.FAILED, 5)
        assert job.error is not None
        assert job.error["code"] == "worker_lost"


def test_a_worker_that_missed_too_few_sweeps_keeps_its_jobs(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, missed=3)
        make.make_job(session)
        make.claim_one(session)
        assert queue.rescue(session, misses=4, backoff_seconds=1) == []


def test_a_lost_worker_is_reported_once_but_its_jobs_are_never_forgotten(
    sessions: db.Sessions,
) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1", lost_at=func.now() - timedelta(minutes=1))
        job = make.make_job(session)
        session.execute(
            update(Job).values(status="running", locked_by="w-1", lease_id=uuid.uuid4(), attempts=1)
        )
        assert queue.rescue(session, misses=4, backoff_seconds=1) == []
        assert make.job_of(session, job.upload_id).status is Status.QUEUED


def test_cancel_takes_one_job_or_all_open_ones(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session)
        for _ in range(3):
            make.make_job(session, upload_id=upload)
        assert queue.cancel(session, upload, number=2) == [2]
        assert sorted(queue.cancel(session, upload)) == [1, 3]
        assert queue.cancel(session, upload) == []


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_again_starts_the_counts_anew(sessions: db.Sessions, status: str) -> None:
    with sessions.begin() as session:
        job = make.make_job(session, status=status)
        session.execute(update(Upload).values(expires_at=func.now()))
        assert queue.again(session, job.upload_id, number=1)
        job = make.job_of(session, job.upload_id)
        assert (job.status, job.attempts, job.error) == (Status.QUEUED, 0, None)
        assert session.scalar(select(Upload.expires_at)) is None


@pytest.mark.parametrize("status", ["queued", "running", "succeeded"])
def test_again_is_only_for_what_ended_badly(sessions: db.Sessions, status: str) -> None:
    with sessions.begin() as session:
        job = make.make_job(session, status=status)
        assert not queue.again(session, job.upload_id, number=1)


def test_no_move_leaves_the_table_of_moves(sessions: db.Sessions) -> None:
    """Every change of status that any move makes from any status is one that the table lists."""
    for status in Status:
        for move, act in acts().items():
            with sessions() as session:
                job = make.make_job(session, status=status)
                act(session, job)
                after = make.job_of(session, job.upload_id).status
                rule = MOVES[move]
                if after is not status:
                    assert status in rule.sources, f"{move} from {status}"
                    assert after in rule.targets, f"{move} to {after}"
                session.rollback()


Act = Callable[[Session, Job], object]


def acts() -> dict[Move, Act]:
    def by_lease(record: Callable[[Session, list[queue.Ending]], object]) -> Act:
        def act(session: Session, job: Job) -> None:
            lease = job.lease_id or uuid.uuid4()
            ending = queue.Ending(job.id, lease, result={"facts": {}}, error={"code": "x"})
            record(session, [ending])

        return act

    return {
        Move.SUCCEED: by_lease(queue.succeed),
        Move.FAIL: by_lease(queue.fail),
        Move.RELEASE: by_lease(queue.release),
        Move.RETRY: by_lease(lambda session, some: queue.retry(session, some, backoff_seconds=1)),
        Move.CANCEL: lambda session, job: queue.cancel(session, job.upload_id),
        Move.AGAIN: lambda session, job: queue.again(session, job.upload_id, number=1),
        Move.RESCUE: lambda session, job: lose(session, job.locked_by or "nobody"),
        Move.CLAIM: lambda session, job: queue.claim(
            session,
            worker=make.make_worker(session, "claimer"),
            rooms={"misbehave": 1},
            leases=[uuid.uuid4()],
        ),
    }


def test_a_record_says_whether_it_was_made_before(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
        success = make.success(make.claim_one(session))
        queue.succeed(session, [success])
        assert queue.succeed(session, [success]) == set()
        assert standing(session, Move.SUCCEED, success) is Standing.ALREADY
        assert standing(session, Move.RELEASE, success) is Standing.LOST


def test_a_spent_retry_whose_answer_was_lost_is_recognised(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session, max_attempts=1)
        broken = make.breakdown(make.claim_one(session))
        queue.retry(session, [broken], backoff_seconds=1)
        assert standing(session, Move.RETRY, broken) is Standing.ALREADY


def test_a_locked_row_is_busy_and_not_lost(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
        success = make.success(make.claim_one(session))
    with sessions.begin() as stranger:
        stranger.execute(text("SELECT FROM jobs FOR UPDATE"))
        with sessions.begin() as session:
            assert queue.succeed(session, [success]) == set()
            assert standing(session, Move.SUCCEED, success) is Standing.BUSY


def test_outcomes_that_end_together_are_recorded_together(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        for _ in range(5):
            make.make_job(session)
        leases = [uuid.uuid4() for _ in range(5)]
        claimed = queue.claim(session, worker="w-1", rooms={"misbehave": 5}, leases=leases)
        moved = queue.succeed(session, [make.success(one) for one in claimed])
        assert moved == set(leases)


@pytest.mark.parametrize(
    "broken",
    [
        "status = 'running'",
        "status = 'succeeded'",
        "status = 'paused'",
        "finished_at = now()",
        "lease_id = gen_random_uuid()",
        "progress = 2",
        "progress = 1",
        "losses = 1",
        "status = 'failed', finished_at = now()",
        "result = '{}'",
    ],
)
def test_a_row_that_cannot_be_is_refused(sessions: db.Sessions, broken: str) -> None:
    with sessions() as session:
        make.make_job(session)
        with pytest.raises(IntegrityError):
            session.execute(text(f"UPDATE jobs SET {broken}"))


def test_an_upload_and_its_number_are_unique(sessions: db.Sessions) -> None:
    with sessions() as session:
        upload = make.make_upload(session)
        make.make_job(session, upload_id=upload)
        make.make_job(session, upload_id=upload)
        with pytest.raises(IntegrityError):
            session.execute(text("UPDATE jobs SET number = 1"))


def standing(session: Session, move: Move, ending: queue.Ending) -> Standing:
    return queue.standing(session, move, [ending])[ending.lease_id]


def lose(session: Session, worker: str) -> list[str]:
    session.execute(update(Worker).where(Worker.name == worker).values(missed=4))
    return queue.rescue(session, misses=4, backoff_seconds=10)
