"""What happened to the jobs of an upload, told from their events in plain sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from app.models import Event, Job
from app.states import Move, Status
from app.status import JobState

MOST = 500


@dataclass(frozen=True, kw_only=True)
class Happening:
    """One change of one job: when, of which job, and a sentence about it."""

    at: datetime
    number: int
    move: Move
    says: str


def read(session: Session, upload_id: UUID) -> list[Happening]:
    """Return what happened, oldest first; of a very long story the last 500 moves."""
    rows = session.execute(
        select(Event, Job.number, Job.payload)
        .join(Job, Job.id == Event.job_id)
        .where(Job.upload_id == upload_id)
        .order_by(Event.id.desc())
        .limit(MOST)
    ).all()
    return _told(list(reversed(rows)))


def next_step(job: JobState, *, now: datetime) -> str:
    """Say what comes next for a job, or what a person can do; `now` is the database's time."""
    match job.status:
        case Status.QUEUED:
            return _waits(job, (job.run_after - now).total_seconds())
        case Status.RUNNING:
            return f"It is being converted, {job.progress * 100:.0f} % ({job.stage or 'starting'})."
        case Status.SUCCEEDED:
            return "It is ready."
        case Status.FAILED:
            hint = (job.error or {}).get("hint", "")
            return f"{hint} Once more: POST …/jobs/{job.number}/again."
        case _:
            return f"Once more: POST …/jobs/{job.number}/again."


def _waits(job: JobState, seconds: float) -> str:
    if not job.is_offered:
        return f"It waits for a worker that can turn {job.source} into {job.target}: start one."
    if seconds > 0:
        return f"The next attempt waits {_span(seconds)}."
    if job.ahead:
        return f"It waits for a free slot, {job.ahead} ahead of it: more workers shorten the line."
    return "It is next in line, and waits for a free slot."


def _told(rows: Sequence[Row[Any]]) -> list[Happening]:
    claimed: dict[int, datetime] = {}
    told = []
    for row in rows:
        event: Event = row.Event
        if event.move is Move.CLAIM:
            claimed[row.number] = event.at
        began = claimed.get(row.number)
        took = (event.at - began).total_seconds() if began else None
        says = _sentence(event, row.payload, took)
        told.append(Happening(at=event.at, number=row.number, move=event.move, says=says))
    return told


def _sentence(event: Event, payload: dict[str, Any], took: float | None) -> str:
    who = f"attempt {event.attempt} on {event.worker}"
    after = "" if took is None else f" after {_span(took)}"
    match event.move:
        case Move.ENQUEUE:
            return f"It was put in line: {payload['from']} to {payload['to']}."
        case Move.CANCEL:
            return f"Somebody cancelled it{f' while {who} ran' if event.worker else ''}."
        case Move.AGAIN:
            return "Somebody asked for it once more; counts start anew."
        case _:
            return f"A{who[1:]}{_end(event, after)}"


def _end(event: Event, after: str) -> str:
    match event.move:
        case Move.SUCCEED:
            return f" succeeded{after}."
        case Move.RETRY:
            return f" broke{after}{_reason(event)} It is tried again."
        case Move.FAIL:
            return f" failed{after}{_reason(event)}"
        case Move.RELEASE:
            return f" was given back{after}; this does not count as a try."
        case Move.RESCUE:
            end = "it is tried again" if _again(event) else "that was once too often"
            return f": the worker was lost{after}; {end}."
        case _:
            return " began."


def _again(event: Event) -> bool:
    return (event.detail or {}).get("to") == Status.QUEUED


def _reason(event: Event) -> str:
    said = (event.detail or {}).get("detail")
    return f": {said}" if said else "."


def _span(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
