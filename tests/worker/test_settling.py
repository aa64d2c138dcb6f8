"""A job of a family that nobody has goes to one that can do it, too, and no other job does."""

import threading
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, text
from sqlalchemy.orm import Session

from app import db
from app.formats import catalogue
from app.models import Job
from app.queue import Claimed
from tests import make
from tests.worker.desks import desk_of, succeed
from worker import settling
from worker.attempt import Control
from worker.report import HandIn

LEASE = 60
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
    settling.settle(session, lease_seconds=LEASE)
    return make.job_of(session, job.upload_id, job.number).kind


def test_both_families_can_do_this_pair() -> None:
    kinds = [family.kind for family in catalogue.families_for("docx", "pdf")]
    assert kinds == ["office", "document"]


def test_a_job_that_nobody_can_do_goes_to_the_family_that_lives(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        job = waiting(session)
        place = (job.run_after, job.status, job.attempts)
        assert settling.settle(session, lease_seconds=LEASE) == 1
        moved = make.job_of(session, job.upload_id)
        assert moved.kind == "document"
        assert (moved.run_after, moved.status, moved.attempts) == place
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


@pytest.mark.parametrize(
    "silent", [{"lost_at": func.now()}, {"heartbeat": func.now() - timedelta(seconds=LEASE + 1)}]
)
def test_who_is_silent_can_do_nothing(sessions: db.Sessions, silent: dict[str, Any]) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1", offers=OFFICE, **silent)
        job = waiting(session)
        assert kind_after_a_round(session, job) == "office"
        make.make_worker(session, "w-2", offers=DOCUMENT)
        assert kind_after_a_round(session, job) == "document"


def test_a_worker_that_is_being_restarted_is_waited_for(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, offers=DOCUMENT)
        assert kind_after_a_round(session, waiting(session, seconds=LEASE - 5)) == "office"


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
        make.make_worker(session, offers=DOCUMENT)
        waiting(session)
        session.execute(text("UPDATE house SET swept_at = now() - interval '1 day'"))
    taken, kinds = threading.Event(), []

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        succeed(job, control, hand_in)
        kinds.append(job.kind)
        taken.set()

    with desk_of(database_url, tmp_path, work=work, rooms={"document": 2}) as running:
        running.run_until(taken, seconds=60)

    assert kinds == ["document"]
