"""The four ways in which an attempt ends, each for a batch, each fenced by the lease."""

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    Text,
    Uuid,
    any_,
    bindparam,
    case,
    column,
    func,
    literal,
    null,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.models import Event, Job
from app.queue.parts import CHARGED, REPEATED, noted, pause, without_secrets, word
from app.queue.shapes import Ending
from app.states import Move, Status

__all__ = ["fail", "release", "retry", "rows", "standing", "succeed", "succeeded", "values"]

_SPENT = Job.max_attempts <= CHARGED


@cache
def succeed() -> Select[UUID]:
    return _ended(*succeeded()).execution_options(**{REPEATED: True})


def succeeded() -> tuple[CTE, CTE]:
    """Return the jobs moved and their events, to be part of a larger statement, too."""
    held = _held()
    return _moved(
        held,
        Move.SUCCEED,
        status=Status.SUCCEEDED,
        finished_at=func.now(),
        progress=1,
        result=held.c.result,
        error=null(),
        payload=without_secrets(),
    )


@cache
def retry() -> Select[UUID]:
    held = _held()
    moved = _moved(
        held,
        case((held.c.spent, Move.FAIL.value), else_=Move.RETRY.value),
        status=case((_SPENT, Status.FAILED.value), else_=Status.QUEUED.value),
        finished_at=case((_SPENT, func.now())),
        run_after=func.now() + pause(CHARGED),
        error=held.c.error,
        payload=case((_SPENT, without_secrets()), else_=Job.payload),
    )
    return _ended(*moved)


@cache
def fail() -> Select[UUID]:
    held = _held()
    moved = _moved(
        held,
        Move.FAIL,
        status=Status.FAILED,
        finished_at=func.now(),
        error=held.c.error,
        payload=without_secrets(),
    )
    return _ended(*moved)


@cache
def release() -> Select[UUID]:
    moved = _moved(
        _held(), Move.RELEASE, status=Status.QUEUED, releases=Job.releases + 1, progress=0
    )
    return _ended(*moved)


@cache
def standing(move: Move) -> Select[UUID, bool, bool, bool]:
    """Return for each ending its lease, and three answers.

    Whether the move is in its events, if the job is ours, and if it waits for one more attempt.
    """
    ending = _given()
    same = {Move.RETRY, Move.FAIL} if move is Move.RETRY else {move}
    done = select(Event.id).where(
        Event.job_id == ending.c.job_id,
        Event.lease_id == ending.c.lease_id,
        Event.move.in_(same),
    )
    ours = select(Job.id).where(Job.id == ending.c.job_id, Job.lease_id == ending.c.lease_id)
    # A first attempt adopts nothing: the job was cancelled, and somebody asked once more.
    waits = select(Job.id).where(
        Job.id == ending.c.job_id, Job.status == Status.QUEUED, Job.attempts > 0
    )
    return select(ending.c.lease_id, done.exists(), ours.exists(), waits.exists())


def values(endings: Sequence[Ending]) -> dict[str, Any]:
    """Return what the ends take: the endings, and their jobs once more."""
    return {"endings": rows(endings), "ended": [ending.job_id for ending in endings]}


def rows(endings: Sequence[Ending]) -> list[dict[str, Any]]:
    """Return endings as the JSON that the statements read."""
    return [
        {
            "n": n,
            "job_id": ending.job_id,
            "lease_id": str(ending.lease_id),
            "result": ending.result,
            "error": ending.error,
            "detail": ending.detail or None,
        }
        for n, ending in enumerate(endings)
    ]


def _given() -> Any:
    return (
        func.jsonb_to_recordset(bindparam("endings", type_=JSONB))
        .table_valued(
            column("n", Integer),
            column("job_id", BigInteger),
            column("lease_id", Uuid),
            column("result", JSONB),
            column("error", JSONB),
            column("detail", JSONB),
            name="ending",
        )
        .render_derived(with_types=True)
    )


def _held() -> CTE:
    # The lease is the fence. Rows that somebody else has locked are left for the next round.
    ending = _given()
    return (
        select(
            Job.id,
            Job.locked_by,
            ending.c.n,
            ending.c.lease_id,
            ending.c.result,
            ending.c.error,
            ending.c.detail,
            _SPENT.label("spent"),
        )
        .join_from(Job, ending, Job.id == ending.c.job_id)
        .where(Job.lease_id == ending.c.lease_id, Job.status == word(Status.RUNNING))
        # The same rows, by their key: the planner takes JSON for a hundred rows and would read a
        # small table whole; the index of what runs keeps what ran while the horizon is held.
        .where(Job.id == any_(bindparam("ended", type_=ARRAY(BigInteger))))
        .order_by(Job.id)
        .with_for_update(of=Job, skip_locked=True)
        .cte("held")
    )


def _ended(moved: CTE, event: CTE) -> Select[UUID]:
    return select(moved.c.lease_id).add_cte(event)


def _moved(held: CTE, move: Move | ColumnElement[str], **values: Any) -> tuple[CTE, CTE]:
    moved = (
        update(Job)
        .where(Job.id == held.c.id)
        .values(locked_by=null(), lease_id=null(), stage=null(), **values)
        .returning(
            Job.id,
            Job.kind,
            Job.attempts,
            held.c.n,
            held.c.locked_by,
            held.c.lease_id,
            held.c.detail,
            (literal(move.value, Text) if isinstance(move, Move) else move).label("move"),
        )
        .cte("ended")
    )
    event = noted(
        moved,
        moved.c.move,
        worker=moved.c.locked_by,
        lease=moved.c.lease_id,
        detail=moved.c.detail,
        name="end_noted",
    )
    return moved, event
