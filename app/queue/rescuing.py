"""The rescue: workers that missed too many sweeps are lost, and their jobs run elsewhere."""

from functools import cache

from sqlalchemy import (
    CTE,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    func,
    literal,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.failures import failure
from app.models import Job, Worker
from app.queue.parts import noted, pause, without_secrets
from app.states import Move, Status

MOST_LOSSES = 5
_FAILED = failure("worker_lost")
_QUEUED = failure("worker_lost", "The machine that converted this file was lost.") | {
    "hint": "There is nothing to do: another one tries it again."
}
_SPENT = Job.losses + 1 >= MOST_LOSSES


@cache
def rescue() -> Select[str, bool]:
    """Return the rescue; it takes misses and backoff, and gives workers and if they were known."""
    lost = _lost()
    moved = _requeued(lost)
    event = noted(
        moved,
        Move.RESCUE,
        worker=moved.c.locked_by,
        lease=moved.c.lease_id,
        detail=func.jsonb_build_object("to", moved.c.status, type_=JSONB),
    )
    return select(lost.c.name, lost.c.known).add_cte(event)


def _lost() -> CTE:
    # The worker's row is taken first, so that a beat in flight wins.
    silent = _silent()
    return (
        update(Worker)
        .where(Worker.name == silent.c.name)
        .values(lost_at=func.coalesce(Worker.lost_at, func.now()), busy=0)
        .returning(Worker.name, silent.c.known)
        .cte("lost")
    )


def _silent() -> CTE:
    # Lost workers whose jobs were locked by a stranger at the last sweep are looked at again.
    holds = select(Job.id).where(Job.locked_by == Worker.name, Job.status == Status.RUNNING)
    return (
        select(Worker.name, Worker.lost_at.is_not(None).label("known"))
        .where(
            or_(
                and_(Worker.lost_at.is_(None), Worker.missed >= bindparam("misses", type_=Integer)),
                and_(Worker.lost_at.is_not(None), holds.exists()),
            )
        )
        .order_by(Worker.name)
        .with_for_update(key_share=True, skip_locked=True)
        .cte("silent")
    )


def _requeued(lost: CTE) -> CTE:
    held = (
        select(Job.id, Job.locked_by, Job.lease_id)
        .where(Job.locked_by == lost.c.name, Job.status == Status.RUNNING)
        .order_by(Job.id)
        .with_for_update(of=Job, skip_locked=True)
        .cte("held")
    )
    return (
        update(Job)
        .where(Job.id == held.c.id)
        .values(
            status=case((_SPENT, Status.FAILED.value), else_=Status.QUEUED.value),
            losses=Job.losses + 1,
            locked_by=null(),
            lease_id=null(),
            finished_at=case((_SPENT, func.now())),
            run_after=case((_SPENT, Job.run_after), else_=func.now() + pause(Job.losses)),
            error=case((_SPENT, literal(_FAILED, JSONB())), else_=literal(_QUEUED, JSONB())),
            payload=case((_SPENT, without_secrets()), else_=Job.payload),
            progress=0,
            stage=null(),
        )
        .returning(Job.id, Job.attempts, Job.status, held.c.locked_by, held.c.lease_id)
        .cte("moved")
    )
