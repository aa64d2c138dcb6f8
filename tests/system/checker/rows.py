"""What is wrong with the rows: a job and its events that disagree, an upload without its jobs."""

from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import Event, Job, Upload
from app.states import OPEN, Move
from tests.app.queue import history
from tests.system.house import House


def faults(house: House) -> list[str]:
    with house.sessions() as session:
        return [*_jobs(session), *_uploads(session)]


def _jobs(session: Session) -> Iterator[str]:
    known = select(Event).where(Event.move.in_(list(Move)))  # a newer release may add some
    events = session.scalars(known.order_by(Event.id)).all()
    by_job: dict[int, list[Event]] = defaultdict(list)
    for event in events:
        by_job[event.job_id].append(event)
    for job in session.scalars(select(Job)):
        yield from history.faults(job, by_job.pop(job.id, []))
    yield from (f"events of job {job_id}, which is in no row" for job_id in by_job)
    yield from history.claimed_twice(events)


def _uploads(session: Session) -> Iterator[str]:
    jobs = select(Job.id).where(Job.upload_id == Upload.id)
    jobless = select(Upload.id).where(
        Upload.error.is_(None), Upload.completed_at.is_not(None), ~jobs.exists()
    )
    yield from (f"upload {upload} has no job" for upload in session.scalars(jobless))
    has_open = jobs.where(Job.status.in_(OPEN)).exists()
    worked_on = select(Upload.id).where(Upload.deleted_at.is_not(None), has_open)
    yield from (
        f"upload {upload} is gone and has an open job" for upload in session.scalars(worked_on)
    )
