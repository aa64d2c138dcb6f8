"""What the operator's page shows, read in one transaction: on one seat, and changing nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, case, func, or_, select
from sqlalchemy.orm import Session

from app.db import seconds
from app.diagnosis.whole import Diagnosis, diagnose
from app.models import Event, Job, Worker
from app.states import Move, Status
from app.status import is_live

MOST_WORKERS, MOST_RUNNING, MOST_FAILURES = 200, 100, 25
RECENT_MOVES = 5_000  # so far back failures are looked for: there is no index of them
LOST_SECONDS = 86400.0  # a lost worker is shown for a day

Rows = Sequence[Row[*tuple[Any, ...]]]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The rows as they are now, by the database's clock."""

    at: datetime
    workers: Rows
    lines: Rows
    running: Rows
    failures: Rows
    diagnosis: Diagnosis


def look(session: Session, *, live_seconds: float) -> Seen:
    """Look at everything; a worker silent for `live_seconds` is not live."""
    return Seen(
        at=session.execute(select(func.now())).scalar_one(),
        workers=_workers(session, live_seconds),
        lines=_lines(session),
        running=_running(session),
        failures=_failures(session),
        diagnosis=diagnose(session, live_seconds=live_seconds),
    )


def _workers(session: Session, live_seconds: float) -> Rows:
    lost_lately = Worker.lost_at > func.now() - seconds(LOST_SECONDS)
    state = case((Worker.lost_at.is_not(None), "lost"), (is_live(), "live"), else_="silent")
    return session.execute(
        select(Worker, state.label("state"), _age(Worker.heartbeat).label("silent_seconds"))
        .where(or_(Worker.lost_at.is_(None), lost_lately))
        .order_by(Worker.lost_at.desc().nulls_first(), Worker.name)
        .limit(MOST_WORKERS),
        {"live": timedelta(seconds=live_seconds)},
    ).all()


def _lines(session: Session) -> Rows:
    """Return for each kind how many wait, by how long they have been ready."""
    age = func.now() - Job.run_after
    minute, ten = timedelta(minutes=1), timedelta(minutes=10)
    zero = timedelta(0)
    return session.execute(
        select(
            Job.kind,
            func.count().filter(age >= zero, age < minute).label("under_a_minute"),
            func.count().filter(age >= minute, age < ten).label("under_ten_minutes"),
            func.count().filter(age >= ten).label("longer"),
            func.count().filter(age < zero).label("later"),
            func.coalesce(func.max(_age(Job.run_after)).filter(age >= zero), 0).label("oldest"),
        )
        .where(Job.status == Status.QUEUED)
        .group_by(Job.kind)
        .order_by(Job.kind)
    ).all()


def _running(session: Session) -> Rows:
    # A job is locked while it runs, and only then; said so, the index jobs_running serves.
    return session.execute(
        select(
            Job,
            _age(Job.started_at).label("seconds"),
            _age(func.coalesce(Job.heartbeat, Job.started_at)).label("still_seconds"),
        )
        .where(Job.locked_by.is_not(None))
        .order_by(Job.started_at, Job.id)
        .limit(MOST_RUNNING)
    ).all()


def _failures(session: Session) -> Rows:
    """Return attempts that failed, newest first, of the last few thousand moves of any kind."""
    since = select(func.max(Event.id) - RECENT_MOVES).scalar_subquery()
    return session.execute(
        select(Event, Job.kind, Job.payload)
        .join(Job, Job.id == Event.job_id)
        .where(Event.id > since, Event.move.in_([Move.FAIL, Move.RETRY, Move.RESCUE]))
        .order_by(Event.id.desc())
        .limit(MOST_FAILURES)
    ).all()


def _age(moment: Any) -> ColumnElement[float]:
    return func.greatest(func.extract("epoch", func.now() - moment), 0)
