"""Two writers at one row, on real row locks, each of them first once: the lease decides."""

from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from app import db, queue
from app.models import Job, Upload, Worker
from app.states import Status
from tests import make
from tests.app.queue.conftest import Race
from worker import beat, sweep


class Case:
    """One upload with one running job of w-1, which has missed four sweeps."""

    def __init__(self, sessions: db.Sessions) -> None:
        self.sessions = sessions
        with sessions.begin() as session:
            make.make_worker(session, "w-1", missed=4)
            make.make_worker(session, "w-2")
            self.upload = make.make_job(session).upload_id
            self.claimed = make.claim_one(session)
        self.success = make.success(self.claimed)

    def job(self) -> Job:
        with self.sessions() as session:
            return make.job_of(session, self.upload)

    def finish(self, session: Session) -> bool:
        return bool(queue.succeed(session, [self.success]))

    def rescue(self, session: Session) -> list[str]:
        return queue.rescue(session, misses=4, backoff_seconds=0)

    def cancel(self, session: Session) -> list[int]:
        queue.lock(session, self.upload)
        return queue.cancel(session, self.upload)

    def release(self, session: Session) -> bool:
        return bool(queue.release(session, [make.ending(self.claimed)]))

    def beat(self, session: Session) -> bool:
        return beat.alive(session, worker="w-1", busy=1, slots=4)

    def delete(self, session: Session) -> bool:
        """Do what the API does for DELETE: lock, look, cancel, blank."""
        upload = queue.lock(session, self.upload)
        assert upload is not None
        if upload.deleted_at is not None:
            return False
        queue.cancel(session, self.upload)
        blank = {"deleted_at": func.now(), "name": "", "sha256": None}
        session.execute(update(Upload).where(Upload.id == self.upload).values(blank))
        return True

    def again(self, session: Session) -> bool:
        upload = queue.lock(session, self.upload)
        assert upload is not None
        return upload.deleted_at is None and queue.again(session, self.upload, number=1)

    def another(self, session: Session) -> bool:
        upload = queue.lock(session, self.upload)
        assert upload is not None
        if upload.deleted_at is not None:
            return False
        make.make_job(session, upload_id=self.upload)
        return True


def test_a_finish_after_a_rescue_changes_nothing(sessions: db.Sessions) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.rescue(session)
    with sessions.begin() as session:
        assert not case.finish(session)
    assert case.job().status is Status.QUEUED


def test_a_rescue_after_a_finish_changes_nothing(sessions: db.Sessions) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        assert case.finish(session)
    with sessions.begin() as session:
        case.rescue(session)
    assert case.job().status is Status.SUCCEEDED


def test_a_rescue_passes_by_a_job_whose_finish_is_being_written(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as finishing:
        assert case.finish(finishing)
        assert race.start(case.rescue).result(5) == ["w-1"]
    assert case.job().status is Status.SUCCEEDED


def test_a_finish_passes_by_a_job_that_is_being_rescued(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as rescuing:
        case.rescue(rescuing)
        assert not race.start(case.finish).result(5)
    assert case.job().status is Status.QUEUED


def test_a_finish_after_a_new_claim_changes_nothing(sessions: db.Sessions) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.rescue(session)
        theirs = make.claim_one(session, worker="w-2")
    with sessions.begin() as session:
        assert not case.finish(session)
    assert (case.job().status, case.job().lease_id) == (Status.RUNNING, theirs.lease_id)
    with sessions.begin() as session:
        assert queue.succeed(session, [make.success(theirs)])


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


def test_a_finish_after_a_cancel_changes_nothing(sessions: db.Sessions) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        assert case.cancel(session) == [1]
    with sessions.begin() as session:
        assert not case.finish(session)
    assert case.job().status is Status.CANCELLED


def test_a_cancel_waits_for_a_finish_that_was_first(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as finishing:
        assert case.finish(finishing)
        cancelling = race.start(case.cancel)
        assert race.waits(cancelling)
    assert cancelling.result(5) == []
    assert case.job().status is Status.SUCCEEDED


def test_a_beat_whose_transaction_is_open_wins_against_a_rescue(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as beating:
        assert case.beat(beating)
        assert race.start(case.rescue).result(5) == []
    with sessions.begin() as session:
        assert case.rescue(session) == []
    assert case.job().status is Status.RUNNING


def test_a_beat_behind_a_rescue_learns_that_it_is_lost(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as rescuing:
        assert case.rescue(rescuing) == ["w-1"]
        beating = race.start(case.beat)
        assert race.waits(beating)
    assert beating.result(5) is False


def test_release_and_rescue_give_a_job_back_once(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as releasing:
        assert case.release(releasing)
        race.start(case.rescue).result(5)
    job = case.job()
    assert (job.status, job.releases, job.losses) == (Status.QUEUED, 1, 0)


def test_a_release_after_a_rescue_changes_nothing(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with race.open() as rescuing:
        case.rescue(rescuing)
        assert not race.start(case.release).result(5)
    job = case.job()
    assert (job.status, job.releases, job.losses) == (Status.QUEUED, 0, 1)


def test_a_delete_waits_for_a_finish_and_a_finish_after_it_is_lost(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with race.open() as finishing:
        assert case.finish(finishing)
        deleting = race.start(case.delete)
        assert race.waits(deleting)
    assert deleting.result(5)
    assert case.job().status is Status.SUCCEEDED  # its file is in the tombstone's care
    other = Case2(sessions)
    with sessions.begin() as session:
        assert other.delete(session)
    with sessions.begin() as session:
        assert not other.finish(session)
    assert other.job().status is Status.CANCELLED


class Case2(Case):
    """A second case beside the first one, on a worker of its own."""

    def __init__(self, sessions: db.Sessions) -> None:
        self.sessions = sessions
        with sessions.begin() as session:
            make.make_worker(session, "w-3")
            self.upload = make.make_job(session).upload_id
            self.claimed = make.claim_one(session, worker="w-3")
        self.success = make.success(self.claimed)


def test_again_behind_a_delete_finds_a_tombstone(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.cancel(session)
    with race.open() as deleting:
        assert case.delete(deleting)
        asking = race.start(case.again)
        assert race.waits(asking)
    assert asking.result(5) is False
    assert case.job().status is Status.CANCELLED


def test_a_delete_behind_again_cancels_what_was_asked_for(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.cancel(session)
    with race.open() as asking:
        assert case.again(asking)
        deleting = race.start(case.delete)
        assert race.waits(deleting)
    assert deleting.result(5)
    assert case.job().status is Status.CANCELLED


def test_another_job_is_safe_from_an_expiry_that_comes_second(
    sessions: db.Sessions, race: Race
) -> None:
    case = ended(sessions)
    with race.open() as asking:
        assert case.another(asking)
        assert race.start(sweep.expire).result(5) == []  # the row is locked: skipped
    with sessions.begin() as session:
        assert sweep.expire(session) == []
    with sessions() as session:
        assert session.scalar(select(Upload.deleted_at)) is None


def test_another_job_behind_an_expiry_finds_a_tombstone(sessions: db.Sessions, race: Race) -> None:
    case = ended(sessions)
    with race.open() as sweeping:
        assert sweep.expire(sweeping) == [case.upload]
        asking = race.start(case.another)
        assert race.waits(asking)
    assert asking.result(5) is False


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
        assert race.start(case.beat).result(5)
        race.start(lambda session: beat.note(session, steps)).result(5)
        race.start(lambda session: sweep.elect(session, sweep_seconds=0)).result(5)
        race.start(case.rescue).result(5)
        race.start(
            lambda session: queue.claim(
                session, worker="w-2", rooms={"misbehave": 1}, leases=[case.claimed.lease_id]
            )
        ).result(5)
    with sessions() as session:
        progress = dict(session.execute(select(Job.id, Job.progress)).all())
    assert progress[healthy.job_id] == 0.5
    assert progress[case.claimed.job_id] == 0


def ended(sessions: db.Sessions) -> Case:
    case = Case(sessions)
    with sessions.begin() as session:
        case.finish(session)
        session.execute(update(Upload).values(expires_at=func.now()))
    return case
