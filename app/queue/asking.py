"""The moves that people ask for: enqueue, cancel, again. The upload's row is locked for them."""

from functools import cache
from uuid import UUID

from sqlalchemy import (
    Integer,
    Select,
    Text,
    Update,
    Uuid,
    bindparam,
    func,
    insert,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.models import Job
from app.queue.parts import noted, reopened, without_secrets
from app.states import OPEN, Move, Status


@cache
def enqueue() -> Select[int]:
    upload = bindparam("upload", type_=Uuid)
    last = select(func.coalesce(func.max(Job.number), 0)).where(Job.upload_id == upload)
    moved = (
        insert(Job)
        .values(
            upload_id=upload,
            number=last.scalar_subquery() + 1,
            kind=bindparam("kind", type_=Text),
            payload=bindparam("payload", type_=JSONB),
            max_attempts=bindparam("max_attempts", type_=Integer),
        )
        .returning(Job.id, Job.number, Job.attempts)
        .cte("moved")
    )
    return select(moved.c.number).add_cte(noted(moved, Move.ENQUEUE), reopened(moved))


@cache
def cancel() -> Select[int]:
    number = bindparam("job_number", type_=Integer)
    held = (
        select(Job.id, Job.locked_by, Job.lease_id)
        .where(Job.upload_id == bindparam("upload"), Job.status.in_(OPEN))
        .where(or_(number.is_(None), Job.number == number))
        .order_by(Job.id)
        .with_for_update()
        .cte("held")
    )
    moved = (
        update(Job)
        .where(Job.id == held.c.id)
        .values(
            status=Status.CANCELLED,
            payload=without_secrets(),
            locked_by=null(),
            lease_id=null(),
            finished_at=func.now(),
            stage=null(),
        )
        .returning(Job.id, Job.number, Job.attempts, held.c.locked_by, held.c.lease_id)
        .cte("moved")
    )
    event = noted(moved, Move.CANCEL, worker=moved.c.locked_by, lease=moved.c.lease_id)
    return select(moved.c.number).add_cte(event)


@cache
def again() -> Select[int]:
    moved = (
        update(Job)
        .where(Job.upload_id == bindparam("upload"), Job.number == bindparam("job_number"))
        .where(Job.status.in_((Status.FAILED, Status.CANCELLED)))
        .values(
            status=Status.QUEUED,
            attempts=0,
            losses=0,
            releases=0,
            run_after=func.now(),
            started_at=null(),
            finished_at=null(),
            heartbeat=null(),
            progress=0,
            error=null(),
        )
        .returning(Job.id, Job.attempts)
        .cte("moved")
    )
    return select(moved.c.id).add_cte(noted(moved, Move.AGAIN), reopened(moved))


def untold(uploads: Select[UUID]) -> Update:
    return (
        update(Job)
        .where(Job.upload_id.in_(uploads), Job.result.is_not(None))
        .values(result=Job.result.op("-")("facts"))
        .execution_options(synchronize_session=False)
    )
