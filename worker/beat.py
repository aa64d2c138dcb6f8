"""One heartbeat for all slots: alive, whose lease is gone, whose is unknown, how far they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import REAL, BigInteger, Text, Uuid, bindparam, column, func, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.models import Job, Worker
from app.states import Status


@dataclass(frozen=True)
class Step:
    """How far a running job is: progress from 0 to 1 and the name of the stage."""

    job_id: int
    lease_id: UUID
    progress: float
    stage: str


def alive(session: Session, *, worker: str, busy: int, slots: int) -> bool:
    """Say that this worker lives; False when it was declared lost, or its row is gone.

    For a transaction of its own: nothing else may hold this statement up.
    """
    statement = (
        update(Worker)
        .where(Worker.name == worker, Worker.lost_at.is_(None))
        .values(heartbeat=func.now(), missed=0, busy=busy, slots=slots)
        .returning(Worker.name)
    )
    return session.scalars(statement).first() is not None


def leases(session: Session, *, worker: str) -> dict[UUID, int]:
    """Return the leases that the database thinks this worker holds, with their jobs."""
    statement = select(Job.lease_id, Job.id).where(
        Job.locked_by == worker, Job.status == Status.RUNNING
    )
    return {lease: job_id for lease, job_id in session.execute(statement) if lease is not None}


def note(session: Session, steps: Sequence[Step]) -> set[UUID]:
    """Write how far these jobs are; return the leases of those written.

    Rows that somebody has locked are left out this time. None of the columns is in an index,
    so each write is a HOT update.
    """
    step = _given(steps)
    held = (
        select(Job.id, Job.lease_id, step.c.progress, step.c.stage)
        .join_from(Job, step, Job.id == step.c.job_id)
        .where(Job.lease_id == step.c.lease_id, Job.status == Status.RUNNING)
        .order_by(Job.id)
        .with_for_update(of=Job, skip_locked=True)
        .cte("held")
    )
    statement = (
        update(Job)
        .where(Job.id == held.c.id)
        .values(
            progress=func.greatest(Job.progress, held.c.progress),
            stage=held.c.stage,
            heartbeat=func.now(),
        )
        .returning(held.c.lease_id)
        .execution_options(synchronize_session=False)
    )
    return set(session.scalars(statement))


def _given(steps: Sequence[Step]) -> Any:
    rows = [
        {
            "job_id": step.job_id,
            "lease_id": str(step.lease_id),
            "progress": min(max(step.progress, 0.0), 0.99),  # 1 comes with success only
            "stage": step.stage,
        }
        for step in steps
    ]
    return (
        func.jsonb_to_recordset(bindparam("steps", rows, JSONB))
        .table_valued(
            column("job_id", BigInteger),
            column("lease_id", Uuid),
            column("progress", REAL),
            column("stage", Text),
            name="step",
        )
        .render_derived(with_types=True)
    )
