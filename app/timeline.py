"""What happened to the jobs of an upload, told from their events in plain sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from app.models import Event, Job
from app.states import Move, Status
from app.status import JobState, UploadState

MOST = 500


@dataclass(frozen=True, kw_only=True)
class Voice:
    """To whom it is told: operators hear of workers and requests, people of buttons."""

    names_workers: bool
    again: str
    unoffered: str
    behind: str


OPERATORS = Voice(
    names_workers=True,
    again="Once more: POST …/jobs/{number}/again.",
    unoffered="It waits for a worker that can turn {source} into {target}: start one.",
    behind="It waits for a free slot, {ahead} ahead of it: more workers shorten the line.",
)
PEOPLE = Voice(
    names_workers=False,
    again="“Try again” starts it once more.",
    unoffered="It waits until {source} can be turned into {target} here; it then starts by itself.",
    behind="It waits for its turn, {ahead} ahead of it; it starts by itself.",
)
GUESTS = replace(PEOPLE, again="Whoever sent it can try it once more.")


@dataclass(frozen=True, kw_only=True)
class Happening:
    """One change of one job: when, of which job, and a sentence about it."""

    at: datetime
    number: int
    move: Move
    says: str


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """The story of one job, and what comes next or what can be done."""

    job: JobState
    happened: Sequence[Happening]
    following: str


def story(session: Session, upload: UploadState, *, voice: Voice = OPERATORS) -> list[Chapter]:
    """Tell of each job of an upload; of a very long story the last 500 moves."""
    happened = read(session, upload.id, voice=voice)
    now = session.execute(select(func.now())).scalar_one()
    return [
        Chapter(
            job=job,
            happened=[one for one in happened if one.number == job.number],
            following=next_step(job, now=now, voice=voice),
        )
        for job in upload.jobs
    ]


def read(session: Session, upload_id: UUID, *, voice: Voice = OPERATORS) -> list[Happening]:
    """Return what happened, oldest first; of a very long story the last 500 moves."""
    rows = session.execute(
        select(Event, Job.number, Job.payload)
        .join(Job, Job.id == Event.job_id)
        .where(Job.upload_id == upload_id)
        .order_by(Event.id.desc())
        .limit(MOST)
    ).all()
    return _told(list(reversed(rows)), voice)


def next_step(job: JobState, *, now: datetime, voice: Voice = OPERATORS) -> str:
    """Say what comes next for a job, or what can be done; `now` is the database's time."""
    again = voice.again.format(number=job.number)
    match job.status:
        case Status.QUEUED:
            return _waits(job, (job.run_after - now).total_seconds(), voice)
        case Status.RUNNING:
            return f"It is being converted, {job.progress * 100:.0f} % ({job.stage or 'starting'})."
        case Status.SUCCEEDED:
            return "It is ready."
        case Status.FAILED:
            return f"{(job.error or {}).get('hint', '')} {again}".strip()
        case _:
            return again


def _waits(job: JobState, seconds: float, voice: Voice) -> str:
    if not job.is_offered:
        return voice.unoffered.format(source=job.source, target=job.target)
    if seconds > 0:
        return f"The next attempt waits {_span(seconds)}."
    if job.ahead:
        return voice.behind.format(ahead=job.ahead)
    return "It is next in line, and waits for a free slot."


def _told(rows: Sequence[Row[Any]], voice: Voice) -> list[Happening]:
    claimed: dict[int, datetime] = {}
    told = []
    for place, row in enumerate(rows):
        event: Event = row.Event
        if event.move is Move.CLAIM:
            claimed[row.number] = event.at
        began = claimed.get(row.number)
        took = (event.at - began).total_seconds() if began else None
        follows = _follows(event, row.number, rows[place + 1 :])
        says = _sentence(event, row.payload, took, follows, voice)
        told.append(Happening(at=event.at, number=row.number, move=event.move, says=says))
    return told


def _follows(event: Event, number: int, later: Sequence[Row[Any]]) -> str:
    """Say which attempt came next, and when: or that one will come."""
    for row in later:
        if row.number == number:
            if row.Event.move is not Move.CLAIM:
                break  # somebody cancelled it before
            waited = (row.Event.at - event.at).total_seconds()
            return f"attempt {row.Event.attempt} began {_later(waited)}"
    return "it is tried again"


def _later(seconds: float) -> str:
    return "at once" if seconds < 0.05 else f"{_span(seconds)} later"


def _sentence(
    event: Event, payload: Mapping[str, Any], took: float | None, follows: str, voice: Voice
) -> str:
    who = f"attempt {event.attempt}"
    if voice.names_workers:
        who += f" on {event.worker}"
    after = "" if took is None else f" after {_span(took)}"
    match event.move:
        case Move.ENQUEUE:
            return f"It was put in line: {payload['from']} to {payload['to']}."
        case Move.CANCEL:
            return f"Somebody cancelled it{f' while {who} ran' if event.worker else ''}."
        case Move.AGAIN:
            return "Somebody asked for it once more; counts start anew."
        case _:
            return f"A{who[1:]}{_end(event, after, follows)}"


def _end(event: Event, after: str, follows: str) -> str:
    match event.move:
        case Move.SUCCEED if "adopted" in (event.detail or {}):
            return f" found the work done by an earlier one, and took it over{after}."
        case Move.SUCCEED:
            return f" succeeded{after}."
        case Move.RETRY:
            return f" broke{after}{_reason(event)} {follows.capitalize()}."
        case Move.FAIL:
            return f" failed{after}{_reason(event)}"
        case Move.RELEASE:
            return f" was given back{after}, which does not count as a try; {follows}."
        case Move.RESCUE:
            end = follows if _again(event) else "that was once too often"
            return f": the worker was lost{after}; {end}."
        case _:
            return " began."


def _again(event: Event) -> bool:
    return (event.detail or {}).get("to") == Status.QUEUED


def _reason(event: Event) -> str:
    said = (event.detail or {}).get("detail")
    return f": {said}" if said else "."


def _span(seconds: float) -> str:
    seconds = max(0.0, seconds)
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
