"""Pieces that several moves are made of: the event, the reopened upload, the pause."""

from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Double,
    Text,
    Uuid,
    bindparam,
    case,
    cast,
    func,
    insert,
    literal,
    literal_column,
    null,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.models import Event, Job, Upload
from app.states import Move, Status

LONGEST_BACKOFF_SECONDS = 3600
# The execution option of statements that a busy worker repeats many times a second.
REPEATED = "rowmill_repeated"

# What was tried and counts: not the attempts that a lost worker or a shutdown cut short.
CHARGED = Job.attempts - Job.losses - Job.releases


def word(status: Status) -> ColumnElement[Any]:
    """Return a status that stands in the statement itself, not among its parameters.

    A prepared statement's plan uses a partial index only if it can see the word.
    """
    return literal_column(f"'{status.value}'", Job.status.type)


def without_secrets() -> ColumnElement[Any]:
    """Return the payload as an ended job keeps it: what was secret ends with the job."""
    return Job.payload.op("-", return_type=JSONB())(literal("secrets", Text))


def noted(
    moved: CTE,
    move: Move | ColumnElement[str],
    *,
    worker: Any = None,
    lease: Any = None,
    detail: Any = None,
    name: str = "noted",
) -> CTE:
    """Write one event for each row moved, in the statement that moves it."""
    told = select(
        moved.c.id,
        literal(move.value, Text) if isinstance(move, Move) else move,
        moved.c.attempts,
        cast(null() if worker is None else worker, Text),
        cast(null() if lease is None else lease, Uuid),
        cast(null() if detail is None else detail, JSONB),
    )
    columns = ["job_id", "move", "attempt", "worker", "lease_id", "detail"]
    return insert(Event).from_select(columns, told).cte(name)


def reopened(moved: CTE) -> CTE:
    """Take away the time of an upload that got an open job: it does not expire then."""
    return (
        update(Upload)
        .where(Upload.id == bindparam("upload"), Upload.expires_at.is_not(None))
        .where(select(moved.c.id).exists())
        .values(expires_at=null())
        .cte("reopened")
    )


def pause(failures: Any) -> ColumnElement[Any]:
    """Wait twice as long after each failure, times 0.5 to 1.5 so that a crowd spreads out."""
    doubled = bindparam("backoff", type_=Double) * func.power(2.0, func.least(failures, 20) - 1)
    seconds = case((failures > 0, func.least(doubled, LONGEST_BACKOFF_SECONDS)), else_=0)
    return func.make_interval(0, 0, 0, 0, 0, 0, cast(seconds, Double) * (0.5 + func.random()))
