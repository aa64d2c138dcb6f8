"""The one query behind GET /uploads/{id}: uploads, their jobs, and the places in the line."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    BindParameter,
    ColumnElement,
    Interval,
    Row,
    Select,
    Uuid,
    bindparam,
    case,
    func,
    select,
    true,
)
from sqlalchemy.orm import Session

from app.models import Job, Upload, Worker
from app.states import OPEN, Status, UploadStatus

LONGEST_LINE = 1000  # a place further back is told as this number


@dataclass(frozen=True, kw_only=True)
class JobState:
    """One conversion. `ahead` counts the ready jobs of its kind before it, while it is queued.

    `attempt` counts those that are charged to the job, `interruptions` those that are not: its
    worker was lost or shut down. `is_offered` says whether a live worker can do it.
    `error` is also there while the job waits for another attempt, or makes it.
    """

    number: int
    kind: str
    source: str
    target: str
    options: dict[str, Any]
    status: Status
    attempt: int
    max_attempts: int
    interruptions: int
    progress: float
    stage: str | None
    ahead: int | None
    is_offered: bool
    run_after: datetime
    result: dict[str, Any] | None
    error: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class UploadState:
    """An upload as a person sees it; jobs in the order of their numbers."""

    id: UUID
    name: str
    size: int | None
    received: int
    format: str | None
    media_type: str | None
    sha256: str | None
    status: UploadStatus
    error: dict[str, Any] | None
    created_at: datetime
    completed_at: datetime | None
    expires_at: datetime | None
    owner: str | None = field(repr=False)
    manage: str | None = field(repr=False)
    jobs: tuple[JobState, ...]

    @property
    def is_settled(self) -> bool:
        """Whether nothing will happen any more unless somebody asks."""
        return self.status not in {UploadStatus.RECEIVING, UploadStatus.CONVERTING}

    @property
    def newest_success(self) -> JobState | None:
        """The job that finished last with a result."""
        done = [job for job in self.jobs if job.status is Status.SUCCEEDED and job.finished_at]
        return max(done, key=lambda job: (job.finished_at, job.number), default=None)


def read(
    session: Session, ids: Collection[UUID], *, keep_seconds: float, live_seconds: float
) -> dict[UUID, UploadState]:
    """Return those of the uploads that exist. A worker silent for `live_seconds` is not live."""
    # What this transaction changed by statements is stale in the session's own memory.
    fresh = {"populate_existing": True}
    given = {"ids": list(ids), "live": timedelta(seconds=live_seconds)}
    rows = session.execute(_query(), given, execution_options=fresh).all()
    grouped = groupby(rows, key=lambda row: row.upload_id)
    return {upload_id: _upload(list(group), keep_seconds) for upload_id, group in grouped}


def derive(
    *,
    is_deleted: bool,
    expires_at: datetime | None,
    is_over: bool,
    is_complete: bool,
    jobs: Collection[Status],
) -> UploadStatus:
    """Return the first status that matches; a person's DELETE blanks `expires_at`."""
    if is_deleted:
        return UploadStatus.DELETED if expires_at is None else UploadStatus.EXPIRED
    if is_over:
        return UploadStatus.EXPIRED
    if not is_complete:
        return UploadStatus.RECEIVING
    if OPEN.intersection(jobs):
        return UploadStatus.CONVERTING
    if Status.SUCCEEDED in jobs:
        return UploadStatus.READY
    all_cancelled = set(jobs) == {Status.CANCELLED}
    return UploadStatus.CANCELLED if all_cancelled else UploadStatus.FAILED


def is_live() -> ColumnElement[bool]:
    """Whether a worker has beaten within `:live`, an interval.

    With no other worker left to sweep, nobody declares the last one lost.
    """
    return Worker.lost_at.is_(None) & (
        Worker.heartbeat > func.now() - bindparam("live", type_=Interval)
    )


@cache
def _query() -> Select[*tuple[Any, ...]]:
    """Build the statement once: building it costs more than the database needs for it."""
    ids = bindparam("ids", expanding=True, type_=Uuid())
    line = _line(ids)
    in_line = select(func.count()).where(line.c.kind == Job.kind).correlate(Job).scalar_subquery()
    return (
        select(
            Upload.id.label("upload_id"),
            Upload,
            (Upload.expires_at <= func.now()).label("is_over"),
            Job,
            func.coalesce(line.c.ahead, in_line).label("ahead"),
            _is_offered().label("is_offered"),
        )
        .outerjoin_from(Upload, Job, Job.upload_id == Upload.id)
        .outerjoin(line, line.c.id == Job.id)
        .where(Upload.id.in_(ids))
        .order_by(Upload.id, Job.number)
    )


def _line(ids: BindParameter[UUID]) -> CTE:
    # The head of each line that one of these uploads stands in, read once for all who wait. A
    # job that is not in it stands behind it, or waits for its next attempt behind all of it.
    mine = select(Job.kind).where(Job.upload_id.in_(ids), Job.status == Status.QUEUED)
    kind = mine.distinct().cte("waiting")
    order = (Job.run_after, Job.id)
    ready = (
        select(Job.id, (func.row_number().over(order_by=order) - 1).label("ahead"))
        .where(Job.kind == kind.c.kind, Job.status == Status.QUEUED, Job.run_after <= func.now())
        .order_by(*order)
        .limit(LONGEST_LINE)
        .lateral("ready")
    )
    return select(kind.c.kind, ready.c.id, ready.c.ahead).join_from(kind, ready, true()).cte("line")


def _is_offered() -> ColumnElement[bool]:
    pair = func.jsonb_build_object(
        "pairs",
        func.jsonb_build_object(
            Job.kind,
            func.jsonb_build_object(
                Job.payload["from"].astext, func.jsonb_build_array(Job.payload["to"].astext)
            ),
        ),
    )
    able = select(Worker.name).where(is_live(), Worker.offers.contains(pair))
    # An upload without a job has no kind, and a key of JSON must not be null.
    return case((Job.status == Status.QUEUED, able.exists()), else_=False)


def _upload(rows: Sequence[Row[Any]], keep_seconds: float) -> UploadState:
    upload: Upload = rows[0].Upload
    jobs = tuple(_job(row) for row in rows if row.Job is not None)
    status = derive(
        is_deleted=upload.deleted_at is not None,
        expires_at=upload.expires_at,
        is_over=bool(rows[0].is_over),
        # One that can come to nothing is not waited for, however much of it is missing.
        is_complete=upload.completed_at is not None or upload.error is not None,
        jobs=[job.status for job in jobs],
    )
    return UploadState(
        id=upload.id,
        name=upload.name,
        size=upload.size,
        received=upload.received,
        format=upload.format,
        media_type=upload.media_type,
        sha256=upload.sha256,
        status=status,
        # Why it could not become a job; after another wish it may have become one.
        error=None if jobs else upload.error,
        created_at=upload.created_at,
        completed_at=upload.completed_at,
        expires_at=upload.expires_at or _expected_end(upload, jobs, keep_seconds),
        owner=upload.owner,
        manage=upload.manage,
        jobs=jobs,
    )


def _expected_end(upload: Upload, jobs: Iterable[JobState], keep_seconds: float) -> datetime | None:
    # A sweep stamps the row soon after the last finish, with this very sum.
    ends = [upload.completed_at, *(job.finished_at for job in jobs)]
    known = [end for end in ends if end is not None]
    if upload.deleted_at is not None or len(known) < len(ends):
        return None
    return max(known) + timedelta(seconds=keep_seconds)


def _job(row: Row[Any]) -> JobState:
    job: Job = row.Job
    return JobState(
        number=job.number,
        kind=job.kind,
        source=job.payload["from"],
        target=job.payload["to"],
        options=job.payload.get("options") or {},
        status=job.status,
        attempt=_attempt(job),
        max_attempts=job.max_attempts,
        interruptions=job.losses + job.releases,
        progress=job.progress,
        stage=job.stage,
        ahead=row.ahead if job.status is Status.QUEUED else None,
        is_offered=row.is_offered,
        run_after=job.run_after,
        result=job.result,
        error=job.error,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


def _attempt(job: Job) -> int:
    """Count what is charged; an interrupted attempt keeps its number, and so does its successor.

    So the number never falls, unless a person asks for it all again.
    """
    charged = job.attempts - job.losses - job.releases
    was_lost = job.status is Status.FAILED and (job.error or {}).get("code") == "worker_lost"
    if job.status is Status.QUEUED or was_lost:
        return min(job.attempts, charged + 1)
    return charged
