"""Who gets which job, and that nobody waits for it."""

import time
import uuid
from datetime import timedelta

import pytest
from sqlalchemy import Engine, event, func, update
from sqlalchemy.orm import Session

from app import db, queue
from app.models import Job
from tests import make
from tests.app.queue.conftest import Race


def test_two_sessions_that_claim_at_once_get_disjoint_jobs_and_neither_waits(
    sessions: db.Sessions, race: Race
) -> None:
    with sessions.begin() as session:
        for name in ("w-1", "w-2"):
            make.make_worker(session, name)
        for _ in range(2):
            make.make_job(session)
    with race.open() as first:
        mine = make.claim_one(first, worker="w-1")
        began = time.monotonic()
        theirs = race.start(lambda session: make.claim_one(session, worker="w-2")).result(5)
        took = time.monotonic() - began
    assert mine.job_id != theirs.job_id
    assert took < 2  # the lock timeout is 5 s; measured: a few milliseconds
    print(f"\nsecond claim answered after {took * 1000:.1f} ms")  # noqa: T201 - pytest -s shows it


def test_without_skip_locked_the_second_claim_waits(
    engine: Engine, sessions: db.Sessions, race: Race
) -> None:
    """The mutant of the test above: plain FOR UPDATE blocks behind the open transaction."""

    def forget_to_skip(*args: object) -> tuple[str, object]:
        return str(args[2]).replace("SKIP LOCKED", ""), args[3]

    with sessions.begin() as session:
        for name in ("w-1", "w-2"):
            make.make_worker(session, name)
        for _ in range(2):
            make.make_job(session)
    event.listen(engine, "before_cursor_execute", forget_to_skip, retval=True)
    with race.open() as first:
        make.claim_one(first, worker="w-1")
        second = race.start(
            lambda session: queue.claim(
                session, worker="w-2", rooms={"misbehave": 1}, leases=[uuid.uuid4()]
            )
        )
        assert race.waits(second)
    second.result(10)


def test_the_oldest_ready_job_comes_first_whatever_its_kind(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        ages = {"image": 1, "misbehave": 3, "media": 2}
        for kind, minutes in ages.items():
            make.make_job(session, kind=kind, run_after=func.now() - timedelta(minutes=minutes))
        claimed = claim(session, dict.fromkeys(ages, 5), 2)
        assert [one.kind for one in claimed] == ["misbehave", "media"]


def test_a_kind_never_gets_more_than_its_room(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        for kind in ["media"] * 3 + ["image"] * 2:
            make.make_job(session, kind=kind)
        kinds = [one.kind for one in claim(session, {"media": 1, "image": 4}, 4)]
        assert sorted(kinds) == ["image", "image", "media"]


def test_a_job_whose_time_has_not_come_waits(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session, run_after=func.now() + timedelta(seconds=30))
        assert claim(session, {"misbehave": 1}, 1) == []


def test_a_pair_that_the_worker_lacks_is_left_for_others(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        make.make_job(session)
        other = make.make_job(session, payload={"from": "jpg", "to": "nap", "options": {}})
        claimed = queue.claim(
            session,
            worker="w-1",
            rooms={"misbehave": 2},
            leases=[uuid.uuid4(), uuid.uuid4()],
            lacking={"misbehave:png>nap"},
        )
        assert [one.job_id for one in claimed] == [other.id]


@pytest.mark.parametrize("known", [True, False])
def test_a_worker_that_is_lost_or_unknown_gets_nothing(
    sessions: db.Sessions, *, known: bool
) -> None:
    with sessions.begin() as session:
        if known:
            make.make_worker(session, lost_at=func.now())
        make.make_job(session)
        assert claim(session, {"misbehave": 1}, 1) == []


def test_each_claim_has_a_lease_of_its_own(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        for _ in range(3):
            make.make_job(session)
        claimed = claim(session, {"misbehave": 9}, 9)
        assert len({one.lease_id for one in claimed}) == 3


def test_a_claim_names_the_source(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session)
        (claimed,) = claim(session, {"misbehave": 1}, 1)
        shard = job.upload_id.hex[:2]
        assert claimed.storage_key == f"objects/{shard}/{job.upload_id}"
        assert claimed.payload == make.PNG_TO_NAP


def test_ids_beyond_32_bits_are_claimed(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session)
        session.execute(update(Job).values(locked_by=None))
        session.connection().exec_driver_sql(
            "ALTER TABLE jobs ALTER COLUMN id RESTART WITH 9007199254740993"
        )
        large = make.make_job(session, upload_id=job.upload_id)
        assert large.id == 2**53 + 1
        claimed = claim(session, {"misbehave": 2}, 2)
        queue.succeed(session, [make.success(one) for one in claimed])
        assert make.job_of(session, job.upload_id, 2).status == "succeeded"


def claim(session: Session, rooms: dict[str, int], free: int) -> list[queue.Claimed]:
    leases = [uuid.uuid4() for _ in range(free)]
    return queue.claim(session, worker="w-1", rooms=rooms, leases=leases)
