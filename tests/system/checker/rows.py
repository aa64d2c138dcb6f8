"""What is wrong with the rows: a job and its events that disagree, an upload without its jobs."""

from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import Event, Job, Upload
from app.states import OPEN, Move
from tests.app.queue import history
from tests.system.house import House

# The statement that says that the files of an expired upload are gone forgets its events, too.
_FORGOTTEN = (
    Upload.deleted_at.is_not(None),
    Upload.expires_at.is_not(None),
    Upload.storage_key.is_(None),
)


def faults(house: House) -> list[str]:
    with house.sessions() as session:
        return [*_jobs(session), *_uploads(session)]


def _jobs(session: Session) -> Iterator[str]:
    known = select(Event).where(Event.move.in_(list(Move)))  # a newer release may add some
    events = session.scalars(known.order_by(Event.id)).all()
    by_job: dict[int, list[Event]] = defaultdict(list)
    for event in events:
        by_job[event.job_id].append(event)
    forgotten = set(session.scalars(select(Job.id).join(Upload).where(*_FORGOTTEN)))
    for job in session.scalars(select(Job)):
        its_own = by_job.pop(job.id, [])
        if job.id not in forgotten:
            yield from history.faults(job, its_own)
        elif its_own:
            yield f"job {job.id} has {len(its_own)} events left, and its upload is forgotten"
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
