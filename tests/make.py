"""Factories: each fills what the asked-for state implies, on real rows."""

import uuid
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, update
from sqlalchemy.orm import Session

from app import queue
from app.failures import failure
from app.models import Job, Upload, Worker
from app.queue import Claimed, Ending
from app.storage.keys import result_key

PNG_TO_NAP = {"from": "png", "to": "nap", "options": {}}


def make_worker(session: Session, name: str = "w-1", **columns: Any) -> str:
    """Add a living worker."""
    values = {"name": name, "host": "test", "offers": {}, "slots": 4, "version": "0"} | columns
    session.execute(insert(Worker).values(values))
    return name


def make_upload(session: Session, **columns: Any) -> UUID:
    """Add a complete upload without a job."""
    upload_id = columns.pop("id", None) or uuid.uuid4()
    values = {
        "id": upload_id,
        "name": "photo.png",
        "size": 3,
        "received": 3,
        "format": "png",
        "media_type": "image/png",
        "sha256": "0" * 64,
        "storage_key": f"objects/{upload_id.hex[:2]}/{upload_id}",
        "completed_at": func.now(),
    } | columns
    session.execute(insert(Upload).values(values))
    return upload_id


def make_job(
    session: Session,
    *,
    upload_id: UUID | None = None,
    status: str = "queued",
    kind: str = "misbehave",
    worker: str | None = None,
    **columns: Any,
) -> Job:
    """Add a job in any status, through the real moves; return its row, fresh."""
    upload_id = upload_id or make_upload(session)
    number = queue.enqueue(
        session,
        upload_id,
        kind=kind,
        payload=PNG_TO_NAP,
        max_attempts=columns.pop("max_attempts", 3),
    )
    if status != "queued":
        _bring_to(session, status, upload_id, number, kind, worker)
    if columns:
        found = (Job.upload_id == upload_id, Job.number == number)
        session.execute(update(Job).where(*found).values(columns))
    return job_of(session, upload_id, number)


def job_of(session: Session, upload_id: UUID, number: int = 1) -> Job:
    """Return the row as it is in the database now."""
    query = session.query(Job).filter_by(upload_id=upload_id, number=number)
    return query.populate_existing().one()


def claim_one(session: Session, *, worker: str = "w-1", kind: str = "misbehave") -> Claimed:
    """Claim exactly one job."""
    (claimed,) = queue.claim(session, worker=worker, rooms={kind: 1}, leases=[uuid.uuid4()])
    return claimed


def ending(claimed: Claimed, **fields: Any) -> Ending:
    """Return an ending of this claim."""
    return Ending(claimed.job_id, claimed.lease_id, **fields)


def success(claimed: Claimed) -> Ending:
    result = {
        "storage_key": result_key(claimed.upload_id, claimed.number, claimed.lease_id),
        "size": 4,
        "format": claimed.payload["to"],
        "media_type": "application/x-nap",
        "sha256": "0" * 64,
        "facts": {},
    }
    return ending(claimed, result=result)


def breakdown(claimed: Claimed) -> Ending:
    return ending(claimed, error=failure("converter_crashed"))


def _bring_to(
    session: Session, status: str, upload_id: UUID, number: int, kind: str, worker: str | None
) -> None:
    if status == "cancelled":
        queue.cancel(session, upload_id, number=number)
        return
    name = worker or make_worker(session, f"w-{uuid.uuid4().hex[:8]}")
    claimed = claim_one(session, worker=name, kind=kind)
    assert (claimed.upload_id, claimed.number) == (upload_id, number), "another job stood first"
    if status == "succeeded":
        queue.succeed(session, [success(claimed)])
    if status == "failed":
        queue.fail(session, [breakdown(claimed)])
