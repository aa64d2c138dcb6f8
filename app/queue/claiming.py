"""The claim: for each kind the first jobs by age, locked without waiting for anybody."""

from functools import cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    CTE,
    Integer,
    Select,
    Text,
    Uuid,
    any_,
    bindparam,
    func,
    null,
    select,
    true,
    update,
)

from app.models import Job, Upload, Worker
from app.queue.parts import noted
from app.states import Move, Status

_CLAIMED = ("id", "lease_id", "upload_id", "number", "kind", "payload", "attempts")


@cache
def claim() -> Select[Any]:
    """Return the claim; it takes worker, kinds, rooms, leases, free and lacking."""
    worker = bindparam("worker", type_=Text)
    place = _placed(_ready())
    moved = (
        update(Job)
        .where(Job.id == place.c.id)
        .values(
            status=Status.RUNNING,
            locked_by=worker,
            lease_id=place.c.lease_id,
            attempts=Job.attempts + 1,
            started_at=func.now(),
            heartbeat=func.now(),
            progress=0,
            stage=null(),
        )
        .returning(*(getattr(Job, name) for name in _CLAIMED), Job.run_after)
        .cte("moved")
    )
    event = noted(moved, Move.CLAIM, worker=worker, lease=moved.c.lease_id)
    return (
        select(*(moved.c[name] for name in _CLAIMED), Upload.storage_key)
        .join_from(moved, Upload, Upload.id == moved.c.upload_id)
        .order_by(moved.c.run_after, moved.c.id)
        .add_cte(event)
    )


def _ready() -> CTE:
    # One index scan of jobs_ready for each kind: a worker that cannot do office files must
    # not walk over ten thousand of them.
    room = (
        func.unnest(bindparam("kinds", type_=ARRAY(Text)), bindparam("rooms", type_=ARRAY(Integer)))
        .table_valued("kind", "most", name="room")
        .render_derived()
    )
    pair = Job.kind + ":" + Job.payload["from"].astext + ">" + Job.payload["to"].astext
    job = (
        select(Job.id, Job.run_after)
        .where(
            Job.status == Status.QUEUED,
            Job.kind == room.c.kind,
            Job.run_after <= func.now(),
            ~(pair == any_(bindparam("lacking", type_=ARRAY(Text)))),
        )
        .order_by(Job.run_after, Job.id)
        .limit(room.c.most)
        .with_for_update(skip_locked=True)
        .lateral("job")
    )
    us = select(Worker.name).where(Worker.name == bindparam("worker"), Worker.lost_at.is_(None))
    return (
        select(job.c.id, job.c.run_after)
        .select_from(room.join(job, true()))
        .where(us.exists())
        .order_by(job.c.run_after, job.c.id)
        .limit(bindparam("free", type_=Integer))
        .cte("ready")
        .prefix_with("MATERIALIZED")
    )


def _placed(ready: CTE) -> CTE:
    """Give each ready job one of the leases."""
    lease = (
        func.unnest(bindparam("leases", type_=ARRAY(Uuid())))
        .table_valued("lease_id", with_ordinality="n", name="lease")
        .render_derived()
    )
    line = select(
        ready.c.id, func.row_number().over(order_by=(ready.c.run_after, ready.c.id)).label("n")
    ).subquery("line")
    return (
        select(line.c.id, lease.c.lease_id)
        .join_from(line, lease, line.c.n == lease.c.n)
        .cte("place")
    )
