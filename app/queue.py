"""Every move of a job, in life order; nothing else writes `jobs.status`.

Each function takes the session first and never commits. A move and its event are one
statement. Moves that a worker makes are fenced by the lease, moves that a person asks for by
the upload's row, which `lock` takes first (lock order: upload, worker, job).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    Double,
    Integer,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    cast,
    column,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    text,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.failures import failure
from app.models import Event, Job, Upload, Worker
from app.states import OPEN, Move, Status

CHANNEL = "rowmill_jobs"
MOST_LOSSES = 5
LONGEST_BACKOFF_SECONDS = 3600
_CLAIMED = ("id", "lease_id", "upload_id", "number", "kind", "payload", "attempts")
_ENDINGS = frozenset({Move.SUCCEED, Move.RETRY, Move.FAIL, Move.RELEASE})


@dataclass(frozen=True)
class Claimed:
    """A job that one slot may work on, as long as its lease stands."""

    job_id: int
    lease_id: UUID
    upload_id: UUID
    number: int
    kind: str
    payload: dict[str, Any]
    attempt: int
    storage_key: str | None


@dataclass(frozen=True)
class Ending:
    """How one attempt ended: what succeed, retry, fail and release are given in batches."""

    job_id: int
    lease_id: UUID
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    detail: dict[str, Any] = field(default_factory=dict)


class Standing(StrEnum):
    """Why a record moved nothing, or that it did."""

    MOVED = "moved"  # this very statement made the move
    ALREADY = "already"  # an earlier one did, and its answer was lost
    BUSY = "busy"  # the row is locked now; try again
    LOST = "lost"  # the lease is gone: drop what was made


def lock(session: Session, upload_id: UUID) -> Upload | None:
    """Lock the upload's row until the transaction ends; None when there is no such upload."""
    return session.get(
        Upload, upload_id, with_for_update={"key_share": True}, populate_existing=True
    )


def enqueue(
    session: Session, upload_id: UUID, *, kind: str, payload: Mapping[str, Any], max_attempts: int
) -> int:
    """Add a job to an upload that this transaction made or locked; return the job's number."""
    last = select(func.coalesce(func.max(Job.number), 0)).where(Job.upload_id == upload_id)
    moved = (
        insert(Job)
        .values(
            upload_id=upload_id,
            number=last.scalar_subquery() + 1,
            kind=kind,
            payload=dict(payload),
            max_attempts=max_attempts,
        )
        .returning(Job.id, Job.number, Job.attempts)
        .cte("moved")
    )
    noted = _noted(moved, Move.ENQUEUE)
    statement = select(moved.c.number).add_cte(noted, _reopened(upload_id))
    return int(session.scalars(statement).one())


def claim(
    session: Session,
    *,
    worker: str,
    rooms: Mapping[str, int],
    leases: Sequence[UUID],
    lacking: Collection[str] = (),
) -> list[Claimed]:
    """Take at most one ready job for each lease, at most `rooms[kind]` of a kind, oldest first.

    `lacking` lists "from>to" pairs that this worker cannot do although it can do their kind.
    A worker that was declared lost gets nothing.
    """
    ready = _ready(worker, rooms, len(leases), lacking)
    place = _placed(ready, leases)
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
        .returning(
            Job.id,
            Job.lease_id,
            Job.upload_id,
            Job.number,
            Job.kind,
            Job.payload,
            Job.attempts,
            Job.run_after,
        )
        .cte("moved")
    )
    noted = _noted(moved, Move.CLAIM, worker=literal(worker), lease=moved.c.lease_id)
    statement = (
        select(
            *(moved.c[name] for name in _CLAIMED),
            Upload.storage_key,
        )
        .join_from(moved, Upload, Upload.id == moved.c.upload_id)
        .order_by(moved.c.run_after, moved.c.id)
        .add_cte(noted)
    )
    return [Claimed(*tuple(row)) for row in session.execute(statement)]


def succeed(session: Session, endings: Sequence[Ending]) -> set[UUID]:
    """Record results; return the leases whose jobs this statement moved."""
    held = _held(endings)
    return _ended(
        session,
        held,
        Move.SUCCEED,
        status=Status.SUCCEEDED,
        finished_at=func.now(),
        progress=1,
        stage=null(),
        result=held.c.result,
        error=null(),
    )


def retry(session: Session, endings: Sequence[Ending], *, backoff_seconds: float) -> set[UUID]:
    """Queue jobs again after a pause, or fail those whose attempts are spent; keep the reason."""
    held = _held(endings)
    charged = Job.attempts - Job.losses - Job.releases
    spent = charged >= Job.max_attempts
    return _ended(
        session,
        held,
        case((held.c.spent, Move.FAIL.value), else_=Move.RETRY.value),
        status=case((spent, Status.FAILED.value), else_=Status.QUEUED.value),
        finished_at=case((spent, func.now())),
        run_after=func.now() + _pause(charged, backoff_seconds),
        error=held.c.error,
        stage=null(),
    )


def fail(session: Session, endings: Sequence[Ending]) -> set[UUID]:
    """Record that these inputs cannot be converted, each with its reason."""
    held = _held(endings)
    return _ended(
        session,
        held,
        Move.FAIL,
        status=Status.FAILED,
        finished_at=func.now(),
        error=held.c.error,
        stage=null(),
    )


def release(session: Session, endings: Sequence[Ending]) -> set[UUID]:
    """Give jobs back uncharged, at their old place in the line."""
    return _ended(
        session,
        _held(endings),
        Move.RELEASE,
        status=Status.QUEUED,
        releases=Job.releases + 1,
        stage=null(),
        progress=0,
    )


def standing(session: Session, move: Move, endings: Sequence[Ending]) -> dict[UUID, Standing]:
    """Say for each ending that a record did not move why: already, busy or lost."""
    ending = _given(endings)
    same = {Move.RETRY, Move.FAIL} if move is Move.RETRY else {move}
    done = (
        select(Event.id)
        .where(
            Event.job_id == ending.c.job_id,
            Event.lease_id == ending.c.lease_id,
            Event.move.in_(same & _ENDINGS),
        )
        .exists()
    )
    ours = (
        select(Job.id).where(Job.id == ending.c.job_id, Job.lease_id == ending.c.lease_id).exists()
    )
    rows = session.execute(select(ending.c.lease_id, done, ours))
    return {lease: _standing(done=done, ours=ours) for lease, done, ours in rows}


def rescue(session: Session, *, misses: int, backoff_seconds: float, most: int = 1000) -> list[str]:
    """Declare silent workers lost and queue their jobs again; return the workers newly lost.

    A worker whose row is locked is beating right now and wins. The first loss costs no pause;
    after MOST_LOSSES a job fails: its input may be what brings the workers down.
    """
    silent = _silent(misses)
    lost = (
        update(Worker)
        .where(Worker.name == silent.c.name)
        .values(lost_at=func.coalesce(Worker.lost_at, func.now()), busy=0)
        .returning(Worker.name, silent.c.known)
        .cte("lost")
    )
    held = (
        select(Job.id, Job.locked_by, Job.lease_id)
        .where(Job.locked_by == lost.c.name, Job.status == Status.RUNNING)
        .order_by(Job.id)
        .limit(most)
        .with_for_update(of=Job, skip_locked=True)
        .cte("held")
    )
    spent = Job.losses + 1 >= MOST_LOSSES
    reason = literal(failure("worker_lost"), JSONB())
    moved = (
        update(Job)
        .where(Job.id == held.c.id)
        .values(
            status=case((spent, Status.FAILED.value), else_=Status.QUEUED.value),
            losses=Job.losses + 1,
            locked_by=null(),
            lease_id=null(),
            finished_at=case((spent, func.now())),
            run_after=case(
                (spent, Job.run_after), else_=func.now() + _pause(Job.losses, backoff_seconds)
            ),
            error=reason,
            progress=0,
            stage=null(),
        )
        .returning(Job.id, Job.attempts, Job.status, held.c.locked_by, held.c.lease_id)
        .cte("moved")
    )
    detail = func.jsonb_build_object("to", moved.c.status, type_=JSONB)
    noted = _noted(
        moved, Move.RESCUE, worker=moved.c.locked_by, lease=moved.c.lease_id, detail=detail
    )
    rows = session.execute(select(lost.c.name, lost.c.known).add_cte(noted))
    return [name for name, known in rows if not known]


def cancel(session: Session, upload_id: UUID, *, number: int | None = None) -> list[int]:
    """Cancel a job of a locked upload, or all its open ones; return the numbers moved."""
    held = (
        select(Job.id, Job.locked_by, Job.lease_id)
        .where(Job.upload_id == upload_id, Job.status.in_(OPEN))
        .where(Job.number == number if number is not None else true())
        .order_by(Job.id)
        .with_for_update()
        .cte("held")
    )
    moved = (
        update(Job)
        .where(Job.id == held.c.id)
        .values(
            status=Status.CANCELLED,
            locked_by=null(),
            lease_id=null(),
            finished_at=func.now(),
            stage=null(),
        )
        .returning(Job.id, Job.number, Job.attempts, held.c.locked_by, held.c.lease_id)
        .cte("moved")
    )
    noted = _noted(moved, Move.CANCEL, worker=moved.c.locked_by, lease=moved.c.lease_id)
    return list(session.scalars(select(moved.c.number).add_cte(noted)))


def again(session: Session, upload_id: UUID, *, number: int) -> bool:
    """Queue a failed or cancelled job of a locked upload anew; False when it is neither."""
    moved = (
        update(Job)
        .where(Job.upload_id == upload_id, Job.number == number)
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
    noted = _noted(moved, Move.AGAIN)
    statement = select(moved.c.id).add_cte(noted, _reopened(upload_id))
    return session.scalars(statement).first() is not None


def wake(session: Session) -> None:
    """Tell idle workers that there may be work; for a transaction of its own, best effort."""
    session.execute(text("SELECT pg_notify(:channel, '')"), {"channel": CHANNEL})


def _ready(worker: str, rooms: Mapping[str, int], free: int, lacking: Collection[str]) -> CTE:
    # One index scan of jobs_ready for each kind: a worker that cannot do office files must
    # not walk over ten thousand of them.
    room = (
        func.unnest(
            bindparam("kinds", list(rooms), ARRAY(Text)),
            bindparam("rooms", list(rooms.values()), ARRAY(Integer)),
        )
        .table_valued("kind", "most", name="room")
        .render_derived()
    )
    first = (
        select(Job.id, Job.run_after)
        .where(
            Job.status == Status.QUEUED,
            Job.kind == room.c.kind,
            Job.run_after <= func.now(),
        )
        .order_by(Job.run_after, Job.id)
        .limit(room.c.most)
        .with_for_update(skip_locked=True)
    )
    if lacking:
        pair = Job.payload["from"].astext + ">" + Job.payload["to"].astext
        first = first.where(pair.not_in(lacking))
    job = first.lateral("job")
    alive = select(Worker.name).where(Worker.name == worker, Worker.lost_at.is_(None)).exists()
    return (
        select(job.c.id, job.c.run_after)
        .select_from(room.join(job, true()))
        .where(alive)
        .order_by(job.c.run_after, job.c.id)
        .limit(free)
        .cte("ready")
        .prefix_with("MATERIALIZED")
    )


def _placed(ready: CTE, leases: Sequence[UUID]) -> CTE:
    lease = (
        func.unnest(bindparam("leases", list(leases), ARRAY(Uuid())))
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


def _silent(misses: int) -> CTE:
    # Lost workers whose jobs were locked by a stranger at the last sweep are looked at again.
    holds = select(Job.id).where(Job.locked_by == Worker.name, Job.status == Status.RUNNING)
    return (
        select(Worker.name, Worker.lost_at.is_not(None).label("known"))
        .where(
            or_(
                and_(Worker.lost_at.is_(None), Worker.missed >= misses),
                and_(Worker.lost_at.is_not(None), holds.exists()),
            )
        )
        .order_by(Worker.name)
        .with_for_update(key_share=True, skip_locked=True)
        .cte("silent")
    )


def _given(endings: Sequence[Ending]) -> Any:
    rows = [
        {
            "job_id": ending.job_id,
            "lease_id": str(ending.lease_id),
            "result": ending.result,
            "error": ending.error,
            "detail": ending.detail or None,
        }
        for ending in endings
    ]
    return (
        func.jsonb_to_recordset(bindparam("endings", rows, JSONB))
        .table_valued(
            column("job_id", BigInteger),
            column("lease_id", Uuid),
            column("result", JSONB),
            column("error", JSONB),
            column("detail", JSONB),
            name="ending",
        )
        .render_derived(with_types=True)
    )


def _held(endings: Sequence[Ending]) -> CTE:
    # The lease is the fence. Rows that somebody else has locked are left for the next round.
    ending = _given(endings)
    charged = Job.attempts - Job.losses - Job.releases
    return (
        select(
            Job.id,
            Job.locked_by,
            ending.c.lease_id,
            ending.c.result,
            ending.c.error,
            ending.c.detail,
            (charged >= Job.max_attempts).label("spent"),
        )
        .join_from(Job, ending, Job.id == ending.c.job_id)
        .where(Job.lease_id == ending.c.lease_id, Job.status == Status.RUNNING)
        .order_by(Job.id)
        .with_for_update(of=Job, skip_locked=True)
        .cte("held")
    )


def _ended(
    session: Session, held: CTE, move: Move | ColumnElement[str], **values: Any
) -> set[UUID]:
    moved = (
        update(Job)
        .where(Job.id == held.c.id)
        .values(locked_by=null(), lease_id=null(), **values)
        .returning(
            Job.id,
            Job.attempts,
            held.c.locked_by,
            held.c.lease_id,
            held.c.detail,
            (literal(move.value, Text) if isinstance(move, Move) else move).label("move"),
        )
        .cte("moved")
    )
    noted = _noted(
        moved,
        moved.c.move,
        worker=moved.c.locked_by,
        lease=moved.c.lease_id,
        detail=moved.c.detail,
    )
    return set(session.scalars(select(moved.c.lease_id).add_cte(noted)))


def _noted(
    moved: CTE,
    move: Move | ColumnElement[str],
    *,
    worker: ColumnElement[Any] | None = None,
    lease: ColumnElement[Any] | None = None,
    detail: ColumnElement[Any] | None = None,
) -> CTE:
    return (
        insert(Event)
        .from_select(
            ["job_id", "move", "attempt", "worker", "lease_id", "detail"],
            select(
                moved.c.id,
                literal(move.value, Text) if isinstance(move, Move) else move,
                moved.c.attempts,
                cast(null() if worker is None else worker, Text),
                cast(null() if lease is None else lease, Uuid),
                cast(null() if detail is None else detail, JSONB),
            ),
        )
        .cte("noted")
    )


def _reopened(upload_id: UUID) -> CTE:
    # An upload with an open job does not expire.
    return (
        update(Upload)
        .where(Upload.id == upload_id, Upload.expires_at.is_not(None))
        .values(expires_at=null())
        .cte("reopened")
    )


def _pause(failures: Any, backoff_seconds: float) -> ColumnElement[Any]:
    # Doubles with each failure, half to one and a half of it, so that a crowd spreads out.
    doubled = backoff_seconds * func.power(2.0, func.least(failures, 20) - 1)
    seconds = case((failures > 0, func.least(doubled, LONGEST_BACKOFF_SECONDS)), else_=0)
    jittered = cast(seconds, Double) * (0.5 + func.random())
    return func.make_interval(0, 0, 0, 0, 0, 0, jittered)


def _standing(*, done: bool, ours: bool) -> Standing:
    if done:
        return Standing.ALREADY
    return Standing.BUSY if ours else Standing.LOST
