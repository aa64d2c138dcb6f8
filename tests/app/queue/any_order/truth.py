"""What the rows say, compared with the model, and with the table of moves."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import models, status
from app.models import Event
from app.states import FINAL
from tests.app.queue import history
from tests.app.queue.any_order.model import Job, Upload, Worker


def compare(
    session: Session, uploads: Mapping[UUID, Upload], workers: Mapping[str, Worker]
) -> None:
    """Assert that nothing is lost, doubled, invented or contradicted."""
    jobs = {job.id: job for upload in uploads.values() for job in upload.jobs}
    rows = {row.id: row for row in session.scalars(select(models.Job))}
    events = session.scalars(select(Event).order_by(Event.id)).all()
    stories = _stories(events)
    assert rows.keys() == jobs.keys() == stories.keys()
    for job_id, job in jobs.items():
        _compare_row(rows[job_id], job)
        assert [(event.move, event.lease_id) for event in stories[job_id]] == job.story
        assert history.faults(rows[job_id], stories[job_id]) == []
    assert history.claimed_twice(events) == []
    _compare_uploads(session, uploads)
    _compare_workers(session, workers)


def _stories(events: Sequence[Event]) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = defaultdict(list)
    for event in events:
        found[event.job_id].append(event)
    return found


def _compare_row(row: models.Job, job: Job) -> None:
    counts = row.attempts, row.losses, row.releases, row.max_attempts
    assert counts == (job.attempts, job.losses, job.releases, job.max_attempts)
    assert (row.upload_id, row.number, row.kind) == (job.upload, job.number, job.kind)
    assert (row.status, row.lease_id, row.locked_by) == (job.status, job.lease, job.worker)
    assert abs(row.progress - job.progress) < 0.001
    assert (row.finished_at is not None) == (job.status in FINAL)
    assert job.is_moved or row.run_after == job.run_after, "it has lost its place in the line"
    job.run_after, job.is_moved = row.run_after, False


def _compare_uploads(session: Session, uploads: Mapping[UUID, Upload]) -> None:
    told = status.read(session, list(uploads), keep_seconds=3600, live_seconds=3600)
    assert {key: state.status for key, state in told.items()} == {
        key: upload.status for key, upload in uploads.items()
    }
    rows: Any = session.execute(select(models.Upload.id, models.Upload.expires_at)).all()
    stamped = {key for key, expires_at in rows if expires_at is not None}
    assert stamped == {key for key, upload in uploads.items() if upload.is_stamped}
    for key, upload in uploads.items():
        assert [job.number for job in told[key].jobs] == [job.number for job in upload.jobs]
        assert [job.number for job in upload.jobs] == list(range(1, len(upload.jobs) + 1))


def _compare_workers(session: Session, workers: Mapping[str, Worker]) -> None:
    rows = session.scalars(select(models.Worker))
    assert {row.name: (row.missed, row.lost_at is not None) for row in rows} == {
        name: (worker.missed, worker.is_lost) for name, worker in workers.items()
    }
