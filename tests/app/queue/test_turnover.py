"""Success and claim in one statement: a slot that becomes free gets its next job by it."""

import uuid
from datetime import timedelta

from sqlalchemy import func, text
from sqlalchemy.orm import Session

from app import db, queue
from app.queue import Claimed, Ending
from tests import make


def test_what_ends_makes_room_for_the_oldest(sessions: db.Sessions) -> None:
    ending = ended(sessions)
    with sessions.begin() as session:
        make.make_job(session)
        oldest = make.make_job(session, run_after=func.now() - timedelta(minutes=1))
        moved, (claimed,) = turn_over(session, [ending], {"misbehave": 0})
    assert moved == {ending.lease_id}
    assert (claimed.job_id, claimed.payload) == (oldest.id, make.PNG_TO_NAP)
    with sessions() as session:
        assert statuses(session) == ["queued", "running", "succeeded"]
        assert events(session, ending.job_id) == ["enqueue", "claim", "succeed"]
        assert events(session, oldest.id) == ["enqueue", "claim"]


def test_slots_that_were_free_before_get_jobs_too(sessions: db.Sessions) -> None:
    ending = ended(sessions)
    with sessions.begin() as session:
        for _ in range(4):
            make.make_job(session)
        _, claimed = turn_over(session, [ending], {"misbehave": 9}, free=2)
    assert len({one.lease_id for one in claimed}) == 3


def test_a_lease_that_is_gone_frees_no_slot(sessions: db.Sessions) -> None:
    ending = ended(sessions)
    with sessions.begin() as session:
        make.make_job(session)
        gone = Ending(ending.job_id, uuid.uuid4(), result={})
        assert turn_over(session, [gone], {"misbehave": 9}) == (set(), [])


def test_a_row_that_is_locked_frees_no_slot(sessions: db.Sessions) -> None:
    ending = ended(sessions)
    with sessions.begin() as stranger:
        stranger.execute(text("SELECT FROM jobs FOR UPDATE"))
        with sessions.begin() as session:
            make.make_job(session)
            assert turn_over(session, [ending], {"misbehave": 9}) == (set(), [])


def test_a_kind_gets_the_room_of_its_own_jobs_only(sessions: db.Sessions) -> None:
    ending = ended(sessions)
    with sessions.begin() as session:
        make.make_job(session, kind="media", run_after=func.now() - timedelta(minutes=1))
        make.make_job(session)
        _, claimed = turn_over(session, [ending], {"media": 0, "misbehave": 0})
    assert [one.kind for one in claimed] == ["misbehave"]


def test_a_lost_worker_records_and_claims_nothing(sessions: db.Sessions) -> None:
    ending = ended(sessions)
    with sessions.begin() as session:
        make.make_job(session)
        session.execute(text("UPDATE workers SET lost_at = now()"))
        assert turn_over(session, [ending], {"misbehave": 9}) == ({ending.lease_id}, [])


def ended(sessions: db.Sessions) -> Ending:
    """Return the success of a job that a worker has claimed, not recorded yet."""
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
        return make.success(make.claim_one(session))


def turn_over(
    session: Session, endings: list[Ending], rooms: dict[str, int], *, free: int = 0
) -> tuple[set[uuid.UUID], list[Claimed]]:
    leases = [uuid.uuid4() for _ in range(free + len(endings))]
    return queue.turn_over(session, endings, worker="w-1", rooms=rooms, leases=leases)


def statuses(session: Session) -> list[str]:
    return list(session.scalars(text("SELECT status FROM jobs ORDER BY status")))


def events(session: Session, job_id: int) -> list[str]:
    statement = text("SELECT move FROM events WHERE job_id = :job ORDER BY id")
    return list(session.scalars(statement, {"job": job_id}))
