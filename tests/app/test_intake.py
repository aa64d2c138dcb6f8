"""An upload and its jobs come into being together, once, or not at all."""

import threading
import uuid
from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError

from app import intake
from app.db import Sessions
from app.intake import Arrival, Order
from app.models import Event, Job, Upload
from tests.polling import poll
from tests.postgres import Server

ORDERS = [
    Order(kind="image", source="png", target=target, options={"width": 3})
    for target in ("webp", "jpg")
]


@pytest.fixture
def database_url(each_postgres: Server) -> Iterator[str]:
    with each_postgres.database() as url:
        yield url


def arrival(upload_id: UUID | None = None) -> Arrival:
    upload_id = upload_id or uuid.uuid4()
    return Arrival(
        upload_id=upload_id,
        name="photo.png",
        size=5,
        sha256="0" * 64,
        format="png",
        media_type="image/png",
        storage_key=f"objects/{upload_id.hex[:2]}/{upload_id}",
    )


def counts(sessions: Sessions) -> tuple[int, int, int]:
    with sessions.begin() as session:
        found = [
            session.scalar(select(func.count()).select_from(table))
            for table in (Upload, Job, Event)
        ]
    return (found[0] or 0, found[1] or 0, found[2] or 0)


def test_upload_jobs_and_events_are_written_together(sessions: Sessions) -> None:
    with sessions.begin() as session:
        assert intake.admit(session, arrival(), orders=ORDERS, max_attempts=2)
        assert counts(sessions) == (0, 0, 0)
    assert counts(sessions) == (1, 2, 2)
    with sessions.begin() as session:
        upload = session.scalars(select(Upload)).one()
        assert (upload.size, upload.received) == (5, 5)
        assert upload.completed_at is not None
        jobs = session.scalars(select(Job).order_by(Job.number)).all()
        assert [(job.number, job.kind, job.max_attempts) for job in jobs] == [
            (1, "image", 2),
            (2, "image", 2),
        ]
        assert jobs[0].payload == {"from": "png", "to": "webp", "options": {"width": 3}}


def test_the_same_rows_sent_again_change_nothing(sessions: Sessions) -> None:
    given = arrival()
    for expected in (True, False, False):
        with sessions.begin() as session:
            admitted = intake.admit(session, given, orders=ORDERS, max_attempts=3)
            assert admitted is expected
    assert counts(sessions) == (1, 2, 2)


@pytest.mark.parametrize("commits", [True, False])
def test_a_second_try_waits_for_the_truth_about_the_first(
    sessions: Sessions, commits: bool
) -> None:
    given = arrival()
    outcome: list[bool] = []

    def try_again() -> None:
        with sessions.begin() as session:
            outcome.append(intake.admit(session, given, orders=ORDERS, max_attempts=3))

    first = sessions()
    intake.admit(first, given, orders=ORDERS, max_attempts=3)
    second = threading.Thread(target=try_again)
    second.start()
    poll(lambda: somebody_waits(sessions))
    assert outcome == []
    first.commit() if commits else first.rollback()
    first.close()
    second.join(60)
    assert outcome == [not commits]
    assert counts(sessions) == (1, 2, 2)


def somebody_waits(sessions: Sessions) -> bool:
    with sessions.begin() as session:
        waiting = text(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(session.scalar(waiting))


@pytest.mark.parametrize("table", ["uploads", "jobs", "events"])
def test_a_failure_at_any_table_leaves_nothing(sessions: Sessions, table: str) -> None:
    with sessions.begin() as session:
        session.execute(text(f"ALTER TABLE {table} ADD CONSTRAINT none CHECK (false)"))
    with pytest.raises(IntegrityError), sessions.begin() as session:
        intake.admit(session, arrival(), orders=ORDERS, max_attempts=3)
    assert counts(sessions) == (0, 0, 0)
