"""The claim: for each kind the first jobs by age, locked without waiting for anybody."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    DateTime,
    FromClause,
    Integer,
    Select,
    TableValuedAlias,
    Text,
    Uuid,
    any_,
    bindparam,
    column,
    func,
    literal_column,
    null,
    select,
    true,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from app.models import Job, Upload, Worker
from app.queue.parts import REPEATED, noted, word
from app.queue.shapes import Claimed
from app.states import Move, Status

_TIME = DateTime(timezone=True)
_START = literal_column("'-infinity'", _TIME)
_MOST_AT_ONCE = literal_column("1000", Integer)
_CLAIMED = ("id", "upload_id", "number", "kind", "payload", "attempts", "run_after")


@cache
def claim() -> Select[Any]:
    """Return the claim; it takes worker, kinds, rooms, floors, leases, free and lacking.

    It gives for each job the place of its lease in the list, counted from 1.
    """
    jobs, event = taken(free_rooms(), bindparam("free", type_=Integer))
    age = jobs.selected_columns
    return jobs.order_by(age.run_after, age.id).add_cte(event).execution_options(**{REPEATED: True})


def values(
    *,
    worker: str,
    rooms: Mapping[str, int],
    leases: Sequence[UUID],
    lacking: Collection[str],
    floors: Mapping[str, datetime],
) -> dict[str, Any]:
    """Return what the claim takes, but for `free`."""
    return {
        "worker": worker,
        "kinds": list(rooms),
        "rooms": list(rooms.values()),
        "floors": [floors.get(kind) for kind in rooms],
        "leases": list(leases),
        "lacking": list(lacking),
    }


def claimed(row: Any, leases: Sequence[UUID]) -> Claimed:
    """Make a claimed job from a row of the claim."""
    job_id, upload_id, number, kind, payload, attempt, run_after, storage_key, n = row
    lease = leases[n - 1]
    return Claimed(job_id, lease, upload_id, number, kind, payload, attempt, storage_key, run_after)


def taken(room: FromClause, free: ColumnElement[int]) -> tuple[Select[Any], CTE]:
    """Return the jobs claimed and their events, to be part of a larger statement, too."""
    worker = bindparam("worker", type_=Text)
    line = _line(_ready(room, free))
    n = func.array_position(line.c.ids, Job.id, type_=Integer)
    leases = select(bindparam("leases", type_=ARRAY(Uuid()))).scalar_subquery()
    moved = (
        update(Job)
        .where(Job.id == any_(line.c.ids))
        .values(
            status=Status.RUNNING,
            locked_by=worker,
            lease_id=leases[n],
            attempts=Job.attempts + 1,
            started_at=func.now(),
            heartbeat=func.now(),
            progress=0,
            stage=null(),
        )
        .returning(*(getattr(Job, name) for name in _CLAIMED), Job.lease_id, n.label("n"))
        .cte("moved")
    )
    event = noted(moved, Move.CLAIM, worker=worker, lease=moved.c.lease_id)
    # Not a join: for thirty rows the planner would read a table of some thousand uploads.
    storage_key = select(Upload.storage_key).where(Upload.id == moved.c.upload_id)
    jobs = select(
        *(moved.c[name] for name in _CLAIMED),
        storage_key.scalar_subquery().label("storage_key"),
        moved.c.n,
    )
    return jobs, event


def free_rooms() -> TableValuedAlias:
    """Return the most jobs for each kind and its floor, as the statement is given them."""
    return (
        func.unnest(
            bindparam("kinds", type_=ARRAY(Text)),
            bindparam("rooms", type_=ARRAY(Integer)),
            bindparam("floors", type_=ARRAY(_TIME)),
        )
        .table_valued(
            column("kind", Text), column("most", Integer), column("floor", _TIME), name="room"
        )
        .render_derived()
    )


def _ready(room: FromClause, free: ColumnElement[int]) -> CTE:
    # One index scan of jobs_ready for each kind: a worker that cannot do office files must
    # not walk over ten thousand of them, nor over the dead entries of all that is done.
    pair = Job.kind + ":" + Job.payload["from"].astext + ">" + Job.payload["to"].astext
    line = (
        select(Job.id, Job.run_after)
        .where(
            Job.status == word(Status.QUEUED),
            Job.kind == room.c.kind,
            Job.run_after >= func.coalesce(room.c.floor, _START),
            Job.run_after <= func.now(),
            ~(pair == any_(bindparam("lacking", type_=ARRAY(Text)))),
        )
        .order_by(Job.run_after, Job.id)
        .limit(room.c.most)
        .with_for_update(skip_locked=True)
        .correlate(room)
        .subquery("line")
    )
    # A plan that serves all parameters takes a LIMIT that it does not know for a tenth of the
    # table. This one it knows.
    job = select(line).limit(_MOST_AT_ONCE).correlate(room).lateral("job")
    us = select(Worker.name).where(Worker.name == bindparam("worker"), Worker.lost_at.is_(None))
    return (
        select(job.c.id, job.c.run_after)
        .select_from(room.join(job, true()))
        .where(us.exists())
        .order_by(job.c.run_after, job.c.id)
        .limit(free)
        .cte("ready")
        .prefix_with("MATERIALIZED")
    )


def _line(ready: CTE) -> CTE:
    # One row: where thirty are joined with a table of some thousand, the planner reads it all.
    ids = func.array_agg(aggregate_order_by(ready.c.id, ready.c.run_after, ready.c.id))
    return select(type_coerce(ids, ARRAY(BigInteger)).label("ids")).cte("line")
