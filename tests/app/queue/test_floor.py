"""Whatever puts a job behind a worker's floor, the next full look takes it, before all others."""

import uuid
from datetime import timedelta

import pytest
from sqlalchemy import func, text

from app import db, queue
from app.queue import Claimed
from tests import make
from tests.app.queue.conftest import Race
from worker.floor import Floor

SWEEP_SECONDS = 15.0
KIND = "misbehave"


class Busy:
    """A worker with one slot for which there is always a newer job."""

    def __init__(self, sessions: db.Sessions, name: str = "w-1") -> None:
        self.sessions = sessions
        self.name = name
        self.now = 0.0
        self.floor = Floor(sweep_seconds=SWEEP_SECONDS, clock=lambda: self.now)
        with sessions.begin() as session:
            make.make_worker(session, name)

    def work(self, rooms: dict[str, int] | None = None) -> Claimed:
        """Look once, and do the job."""
        with self.sessions.begin() as session:
            make.make_job(session)
        rooms, look = rooms or {KIND: 1}, self.floor.begin()
        with self.sessions.begin() as session:
            (claimed,) = queue.claim(
                session, worker=self.name, rooms=rooms, leases=[uuid.uuid4()], floors=look.floors
            )
            queue.succeed(session, [make.success(claimed)])
        self.floor.end(look, [claimed], rooms=rooms, free=1)
        return claimed

    def finds_in_time(self, job_id: int) -> None:
        """Fail unless the job is passed by until the next full look, and taken by that one."""
        assert self.work().job_id != job_id, "it does not stand behind the floor"
        self.now += SWEEP_SECONDS
        assert self.work().job_id == job_id
        assert self.work().job_id != job_id


@pytest.fixture
def busy(sessions: db.Sessions) -> Busy:
    busy = Busy(sessions)
    busy.work()
    return busy


def test_a_commit_that_was_late(busy: Busy, race: Race) -> None:
    with race.open() as session:
        late = make.make_job(session).id
        busy.work()
    busy.finds_in_time(late)


def test_a_release_which_keeps_its_place(busy: Busy, sessions: db.Sessions) -> None:
    other = Busy(sessions, "w-2")
    with sessions.begin() as session:
        make.make_job(session)
        theirs = make.claim_one(session, worker=other.name)
    busy.work()
    with sessions.begin() as session:
        queue.release(session, [make.ending(theirs)])
    busy.finds_in_time(theirs.job_id)


def test_a_row_that_somebody_held(busy: Busy, sessions: db.Sessions, race: Race) -> None:
    with sessions.begin() as session:
        passed_by = make.make_job(session).id
    with race.open() as stranger:
        stranger.execute(text("SELECT FROM jobs WHERE status = 'queued' FOR UPDATE"))
        busy.work()
    busy.finds_in_time(passed_by)


def test_a_claim_that_came_to_nothing(busy: Busy, sessions: db.Sessions) -> None:
    other = Busy(sessions, "w-2")
    with sessions.begin() as session:
        make.make_job(session)
    with sessions() as session:
        theirs = make.claim_one(session, worker=other.name)
        busy.work()
        session.rollback()
    busy.finds_in_time(theirs.job_id)


def test_a_place_in_the_line_that_was_set_by_hand(busy: Busy, sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        moved = make.make_job(session, run_after=func.now() - timedelta(days=1)).id
    busy.finds_in_time(moved)


def test_a_retry_is_never_behind(busy: Busy, sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_job(session)
        theirs = make.claim_one(session)
    busy.work()
    with sessions.begin() as session:
        queue.retry(session, [make.breakdown(theirs)], backoff_seconds=0)
    assert busy.work().job_id == theirs.job_id


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_what_a_person_asks_for_again_is_never_behind(
    busy: Busy, sessions: db.Sessions, status: str
) -> None:
    with sessions.begin() as session:
        job = make.make_job(session, status=status, worker=busy.name)
    busy.work()
    with sessions.begin() as session:
        queue.lock(session, job.upload_id)
        assert queue.again(session, job.upload_id, number=1)
    assert busy.work().job_id == job.id


def test_another_kind_has_a_floor_of_its_own(busy: Busy, sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        older = make.make_job(session, kind="media", run_after=func.now() - timedelta(days=1)).id
    assert busy.work({KIND: 1, "media": 1}).job_id == older


def test_a_worker_that_starts_has_no_floor(busy: Busy, sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        old = make.make_job(session, run_after=func.now() - timedelta(days=1)).id
    busy.work()
    assert Busy(sessions, "w-2").work().job_id == old


def test_of_many_that_stand_behind_the_floor_all_come_first(
    busy: Busy, sessions: db.Sessions
) -> None:
    with sessions.begin() as session:
        old = [
            make.make_job(session, run_after=func.now() - timedelta(minutes=minutes)).id
            for minutes in (9, 8, 7)
        ]
    busy.work()
    busy.now += SWEEP_SECONDS
    assert [busy.work().job_id for _ in old] == old


def test_a_worker_that_finds_nothing_looks_again_from_the_start(
    busy: Busy, sessions: db.Sessions
) -> None:
    with sessions.begin() as session:
        old = make.make_job(session, run_after=func.now() - timedelta(days=1)).id
    found = [job.job_id for _ in range(3) for job in looked(busy)]
    assert found == [old]


def looked(busy: Busy) -> list[Claimed]:
    look = busy.floor.begin()
    with busy.sessions.begin() as session:
        claimed = queue.claim(
            session,
            worker=busy.name,
            rooms={KIND: 1},
            leases=[uuid.uuid4()],
            floors=look.floors,
        )
    busy.floor.end(look, claimed, rooms={KIND: 1}, free=1)
    return claimed
