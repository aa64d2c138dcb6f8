"""The statements of a sweep, each on rows that are made for it."""

import uuid
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Engine, func, select, text, update
from sqlalchemy.orm import Session

from app import db, queue
from app.models import Event, Job, Upload, Worker
from app.settings import Settings
from app.storage import keys
from tests import make
from tests.app.queue.conftest import Race
from worker import sweep
from worker.rounds import SPREAD

DAY = 86400.0


@pytest.fixture
def race(engine: Engine) -> Race:
    return Race(engine)


def expiry(session: Session, upload: UUID) -> object:
    return session.scalars(select(Upload.expires_at).where(Upload.id == upload)).one()


def test_one_of_two_sweepers_is_elected_and_each_worker_misses_one(
    sessions: db.Sessions, race: Race
) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1")
        make.make_worker(session, "w-2", missed=2)
        make.make_worker(session, "w-3", lost_at=func.now())
        session.execute(text("UPDATE house SET swept_at = now() - interval '20 seconds'"))
    with race.open() as first:
        assert sweep.elect(first, sweep_seconds=15)
        second = race.start(lambda session: sweep.elect(session, sweep_seconds=15))
        assert race.waits(second)
    assert second.result(60) is False
    with sessions() as session:
        missed = dict(session.execute(select(Worker.name, Worker.missed)).all())
        assert missed == {"w-1": 1, "w-2": 3, "w-3": 0}
        assert 0 < sweep.until_due(session, sweep_seconds=15) <= 15  # five seconds late before


def test_the_sweeps_that_a_dead_worker_misses_take_less_than_the_75_seconds_promised() -> None:
    settings = Settings()
    latest = settings.misses * settings.sweep_seconds * (1 + SPREAD[1])
    assert latest == pytest.approx(61.2)
    assert latest < 75


def test_a_clock_that_was_set_back_stops_no_sweep(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        session.execute(text("UPDATE house SET swept_at = now() + interval '3 days'"))
        assert sweep.until_due(session, sweep_seconds=15) <= 15
        assert sweep.elect(session, sweep_seconds=15)
        assert not sweep.elect(session, sweep_seconds=15)


def test_an_upload_with_an_open_job_never_expires(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_job(session)
        session.execute(update(Upload).values(expires_at=func.now() - timedelta(days=1)))
        assert sweep.expire(session) == []


def test_a_worker_that_is_beating_right_now_has_missed_nothing(
    sessions: db.Sessions, race: Race
) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1")
    with race.open() as beating:
        beating.execute(update(Worker).values(heartbeat=func.now()))
        race.start(lambda session: sweep.elect(session, sweep_seconds=0)).result(60)
    with sessions() as session:
        assert session.scalars(select(Worker.missed)).one() == 0


@pytest.mark.parametrize(
    ("status", "counted"),
    [("queued", False), ("running", False), ("succeeded", True), ("failed", True)],
)
def test_time_is_counted_only_when_no_job_is_open(
    sessions: db.Sessions, status: str, *, counted: bool
) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session)
        make.make_job(session, upload_id=upload, status="cancelled")
        make.make_job(session, upload_id=upload, status=status)
        sweep.stamp(session, keep_seconds=DAY)
        assert (expiry(session, upload) is not None) is counted


def test_time_is_counted_from_the_last_finish(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session, completed_at=func.now() - timedelta(days=9))
        for days in (3, 2):
            finished = func.now() - timedelta(days=days)
            make.make_job(session, upload_id=upload, status="succeeded", finished_at=finished)
        sweep.stamp(session, keep_seconds=DAY)
        left = select(Upload.expires_at - func.now())
        assert session.scalars(left).one() == timedelta(days=-1)


def test_an_upload_that_got_no_job_expires_too(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session, completed_at=func.now() - timedelta(days=2))
        sweep.stamp(session, keep_seconds=DAY)
        assert sweep.expire(session) == [upload]


def test_a_stamp_behind_another_job_sees_that_job(sessions: db.Sessions, race: Race) -> None:
    """The request holds the lock when the stamp begins, so this round passes by."""
    with sessions.begin() as session:
        upload = make.make_upload(session)
        make.make_job(session, upload_id=upload, status="succeeded")
    with race.open() as asking:
        queue.lock(asking, upload)
        make.make_job(asking, upload_id=upload)
        race.start(lambda session: sweep.stamp(session, keep_seconds=DAY)).result(60)
    with sessions.begin() as session:
        sweep.stamp(session, keep_seconds=DAY)
        assert expiry(session, upload) is None


def test_another_job_behind_a_stamp_takes_the_time_away(sessions: db.Sessions, race: Race) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session)
        make.make_job(session, upload_id=upload, status="failed")

    def ask(session: Session) -> bool:
        queue.lock(session, upload)
        return queue.again(session, upload, number=1)

    with race.open() as stamping:
        sweep.stamp(stamping, keep_seconds=DAY)
        asking = race.start(ask)
        assert race.waits(asking)
    assert asking.result(60)
    with sessions() as session:
        assert expiry(session, upload) is None


def test_expiry_blanks_the_name_and_the_hash_and_names_the_files(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session)
        job = make.make_job(session, upload_id=upload, status="succeeded")
        assert job.result is not None
        result = job.result["storage_key"]
        told = job.result | {"facts": {"first_rows": [["a secret"]]}}
        session.execute(update(Job).values(result=told))
        session.execute(update(Upload).values(expires_at=func.now()))
        assert sweep.expire(session) == [upload]
        row = session.get_one(Upload, upload, populate_existing=True)
        assert (row.name, row.sha256) == ("", None)
        assert session.scalars(select(Job.result)).one() == {
            name: value for name, value in told.items() if name != "facts"
        }
        (remains,) = sweep.untidied(session)
        assert remains == sweep.Remains(upload, (keys.source_key(upload), result))


def test_tidied_files_are_not_looked_for_again_and_events_end_with_expiry(
    sessions: db.Sessions,
) -> None:
    with sessions.begin() as session:
        expired = make.make_job(session, status="failed").upload_id
        deleted = make.make_job(session, status="failed").upload_id
        blank = {"deleted_at": func.now(), "name": "", "sha256": None}
        session.execute(update(Upload).values(blank))
        session.execute(update(Upload).where(Upload.id == expired).values(expires_at=func.now()))
        sweep.tidied(session, [expired, deleted])
        assert sweep.untidied(session) == []
        left = set(session.scalars(select(Job.upload_id).join(Event, Event.job_id == Job.id)))
        assert left == {deleted}


def test_after_a_month_nothing_is_left(sessions: db.Sessions) -> None:
    long_ago = func.now() - timedelta(days=31)
    with sessions.begin() as session:
        make.make_worker(session, "old", lost_at=long_ago)
        make.make_worker(session, "new", lost_at=func.now())
        gone = make.make_job(session, status="cancelled").upload_id
        kept = make.make_job(session).upload_id
        session.execute(update(Event).values(at=long_ago))
        blank = {"deleted_at": long_ago, "name": "", "sha256": None, "storage_key": None}
        session.execute(update(Upload).where(Upload.id == gone).values(blank))
        for part in range(sweep.PARTS):
            assert not sweep.forget(session, part=part)
        assert list(session.scalars(select(Upload.id))) == [kept]
        assert list(session.scalars(select(Event.id))) == []
        assert list(session.scalars(select(Worker.name))) == ["new"]


def test_files_of_rows_are_no_orphans(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session)
        lease = uuid.uuid4()
        wanted = keys.result_key(upload, 1, lease)
        make.make_job(session, upload_id=upload, status="succeeded", result={"storage_key": wanted})
        lost = keys.result_key(upload, 1, uuid.uuid4())
        recorded = keys.outcome_key(upload, 1, lease)
        stranger = keys.source_key(uuid.uuid4())
        broken = keys.incoming_key(uuid.uuid4())
        found = [keys.source_key(upload), wanted, lost, recorded, stranger, broken]
        assert sweep.orphans(session, found) == [lost, recorded, stranger, broken]


@pytest.mark.parametrize("status", ["queued", "running"])
def test_the_result_of_an_open_job_is_no_orphan(sessions: db.Sessions, status: str) -> None:
    """Its worker may still be trying to record it, or a rescue may be under way."""
    with sessions.begin() as session:
        job = make.make_job(session, status=status)
        attempt = (job.upload_id, 1, uuid.uuid4())
        assert sweep.orphans(session, [keys.result_key(*attempt), keys.outcome_key(*attempt)]) == []


def test_a_file_that_still_arrives_is_no_orphan(sessions: db.Sessions) -> None:
    """Its last step is its lasting name, and then the row that says so."""
    upload = uuid.uuid4()
    with sessions.begin() as session:
        still = {"storage_key": keys.incoming_key(upload), "completed_at": None}
        make.make_upload(session, id=upload, received=1, **still)
        found = [keys.incoming_key(upload), keys.source_key(upload)]
        assert sweep.orphans(session, found) == []
