"""A job of a family that nobody has goes to one that can do it, too, and no other job does."""

import threading
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app import db, queue
from app.formats import catalogue
from app.models import Event, Job
from app.queue import Claimed
from app.settings import Settings
from app.states import Move
from tests import make
from tests.app.queue.history import faults
from tests.worker.desks import desk_of, succeed
from worker import handover
from worker.attempt import Control
from worker.report import HandIn

PAIR = {"from": "docx", "to": "pdf", "options": {}}
OFFICE = {"pairs": {"office": {"docx": ["pdf"]}}}
DOCUMENT = {"pairs": {"document": {"docx": ["pdf", "html"]}}}


def waiting(session: Session, payload: Mapping[str, Any] = PAIR, *, seconds: float = 100) -> Job:
    return make.make_job(
        session,
        kind="office",
        payload=dict(payload),
        run_after=func.now() - timedelta(seconds=seconds),
    )


def kind_after_a_round(session: Session, job: Job) -> str:
    moved = queue.hand_over(session, handover.swaps(session))
    assert moved == told_of(session)
    return make.job_of(session, job.upload_id, job.number).kind


def told_of(session: Session) -> list[int]:
    """Return the jobs whose events tell of a handover."""
    return list(session.scalars(select(Event.job_id).where(Event.move == Move.HAND_OVER)))


def test_both_families_can_do_this_pair() -> None:
    kinds = [family.kind for family in catalogue.families_for("docx", "pdf")]
    assert kinds == ["office", "document"]


def test_a_job_that_nobody_can_do_goes_to_the_family_that_lives(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        job = waiting(session)
        place = (job.run_after, job.status, job.attempts)
        assert queue.hand_over(session, handover.swaps(session)) == [job.id]
        moved = make.job_of(session, job.upload_id)
        assert moved.kind == "document"
        assert (moved.run_after, moved.status, moved.attempts) == place
        (event,) = session.scalars(select(Event).where(Event.move == Move.HAND_OVER))
        assert (event.job_id, event.attempt, event.worker) == (job.id, 0, None)
        assert event.detail == {"was": "office", "kind": "document"}
        [claimed] = [make.claim_one(session, kind="document")]
        assert claimed.job_id == job.id


def test_it_stays_where_somebody_can_do_it(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1", offers=DOCUMENT)
        make.make_worker(session, "w-2", offers=OFFICE)
        assert kind_after_a_round(session, waiting(session)) == "office"


def test_it_stays_where_nobody_can_do_it(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers={"pairs": {"image": {"png": ["jpg"]}}})
        assert kind_after_a_round(session, waiting(session)) == "office"


def test_who_is_lost_can_do_nothing(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1", offers=OFFICE, lost_at=func.now())
        job = waiting(session)
        assert kind_after_a_round(session, job) == "office"
        make.make_worker(session, "w-2", offers=DOCUMENT)
        assert kind_after_a_round(session, job) == "document"


def test_who_was_silent_while_the_database_was_away_has_not_gone(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1", offers=DOCUMENT)
        make.make_worker(session, "w-2", offers=OFFICE, heartbeat=func.now() - timedelta(hours=1))
        assert kind_after_a_round(session, waiting(session)) == "office"


def test_a_family_is_waited_for_during_some_sweeps_and_anew_after_each_return() -> None:
    absences, away = handover.Absences(), {"office:docx>pdf": "document"}
    assert [absences.lasting(away, sweeps=2) for _ in range(4)] == [{}, {}, away, away]
    assert absences.lasting({}, sweeps=2) == {}
    assert absences.lasting(away, sweeps=2) == {}


def test_who_holds_a_job_is_not_waited_for(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        ids = [waiting(session).id for _ in range(2)]
    with sessions.begin() as holder, sessions.begin() as session:
        holder.execute(select(Job.id).where(Job.id == ids[0]).with_for_update())
        assert queue.hand_over(session, handover.swaps(session)) == ids[1:]
        assert told_of(session) == ids[1:]


def test_its_events_and_its_row_agree_also_between_two_attempts(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        job = waiting(session)
        queue.release(session, [make.ending(make.claim_one(session, kind="office"))])
        assert kind_after_a_round(session, job) == "document"
        queue.succeed(session, [make.success(make.claim_one(session, kind="document"))])
        events = session.scalars(select(Event).order_by(Event.id)).all()
        assert faults(make.job_of(session, job.upload_id), events) == []


def test_a_job_that_is_not_due_stays(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        assert kind_after_a_round(session, waiting(session, seconds=-60)) == "office"


@pytest.mark.parametrize(
    "wanted", [{"options": {"archive": True}}, {"secrets": {"password": "a"}}], ids=str
)
def test_a_job_with_options_waits_for_the_family_whose_they_are(
    sessions: db.Sessions, wanted: dict[str, Any]
) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        assert kind_after_a_round(session, waiting(session, PAIR | wanted)) == "office"


@pytest.mark.parametrize("status", ["running", "succeeded", "failed", "cancelled"])
def test_only_what_waits_is_given_away(sessions: db.Sessions, status: str) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        job = make.make_job(session, kind="office", status=status)
        job.payload = PAIR
        job.run_after = func.now() - timedelta(seconds=100)
        session.flush()
        assert kind_after_a_round(session, job) == "office"


def test_another_pair_of_the_same_family_stays(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        job = waiting(session, PAIR | {"from": "pptx"})
        assert kind_after_a_round(session, job) == "office"


def test_a_sweep_gives_it_away_and_a_worker_takes_it(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    with sessions.begin() as session:
        waiting(session)
        session.execute(text("UPDATE house SET swept_at = now() - interval '1 day'"))
    taken, kinds = threading.Event(), []

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        succeed(job, control, hand_in)
        kinds.append(job.kind)
        taken.set()

    settings = Settings(slots=2, sweep_seconds=0.2, lease_seconds=0.5, beat_seconds=0.05)
    rooms, pairs = {"document": 2}, {"document": {"docx": ["pdf"]}}
    with desk_of(
        database_url, tmp_path, work=work, rooms=rooms, pairs=pairs, settings=settings
    ) as running:
        running.run_until(taken, seconds=60)

    assert kinds == ["document"]
