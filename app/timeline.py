"""What happened to the jobs of an upload, told from their events in plain sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from app.models import Event, Job
from app.states import Move, Status, UploadStatus
from app.status import JobState, UploadState
from app.words import ENGLISH, Words

MOST = 500


@dataclass(frozen=True)
class Voice:
    """In which language it is told, and to whom: operators hear of workers and requests.

    People hear of buttons, and guests of whoever has them.
    """

    words: Words
    listener: Literal["operators", "people", "guests"]


OPERATORS = Voice(ENGLISH, "operators")


@dataclass(frozen=True, kw_only=True)
class Happening:
    """One change of one job: when, of which job, and a sentence about it."""

    at: datetime
    number: int
    move: Move
    says: str


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """The story of one job, and what comes next or what can be done; of what is gone, nothing."""

    job: JobState
    happened: Sequence[Happening]
    following: str


def story(session: Session, upload: UploadState, *, voice: Voice = OPERATORS) -> list[Chapter]:
    """Tell of each job of an upload; of a very long story the last 500 moves."""
    happened = read(session, upload.id, voice=voice)
    now = session.execute(select(func.now())).scalar_one()
    is_gone = upload.status in {UploadStatus.DELETED, UploadStatus.EXPIRED}
    return [
        Chapter(
            job=job,
            happened=[one for one in happened if one.number == job.number],
            following="" if is_gone else next_step(job, now=now, voice=voice),
        )
        for job in upload.jobs
    ]


def read(session: Session, upload_id: UUID, *, voice: Voice = OPERATORS) -> list[Happening]:
    """Return what happened, oldest first; of a very long story the last 500 moves."""
    rows = session.execute(
        select(Event, Job.number, Job.payload)
        .join(Job, Job.id == Event.job_id)
        # Not those moves that only a newer release, which runs beside this one, knows.
        .where(Job.upload_id == upload_id, Event.move.in_(list(Move)))
        .order_by(Event.id.desc())
        .limit(MOST)
    ).all()
    return _told(list(reversed(rows)), voice)


def next_step(job: JobState, *, now: datetime, voice: Voice = OPERATORS) -> str:
    """Say what comes next for a job, or what can be done; `now` is the database's time."""
    words = voice.words
    again = words.say(f"again.{voice.listener}", number=job.number)
    match job.status:
        case Status.QUEUED:
            return _waits(job, (job.run_after - now).total_seconds(), voice)
        case Status.RUNNING:
            stage = words.translated(job.stage or "") or words.say("story.starting")
            percent = f"{job.progress * 100:.0f}"
            return words.say("story.converting", percent=percent, stage=stage)
        case Status.SUCCEEDED:
            return words.say("story.ready")
        case Status.FAILED:
            return f"{(job.error or {}).get('hint', '')} {again}".strip()
        case _:
            return again


def _waits(job: JobState, seconds: float, voice: Voice) -> str:
    words = voice.words
    if not job.is_offered:
        return words.say(f"unoffered.{voice.listener}", source=job.source, target=job.target)
    if seconds > 0:
        return words.say("story.pausing", time=_span(words, seconds))
    if job.ahead:
        return words.say(f"behind.{voice.listener}", count=job.ahead)
    return words.say("story.next")


def _told(rows: Sequence[Row[Any]], voice: Voice) -> list[Happening]:
    claimed: dict[int, datetime] = {}
    told = []
    for place, row in enumerate(rows):
        event: Event = row.Event
        if event.move is Move.CLAIM:
            claimed[row.number] = event.at
        began = claimed.get(row.number)
        took = (event.at - began).total_seconds() if began else None
        claim = _next_claim(row.number, rows[place + 1 :])
        says = _sentence(event, row.payload, took, claim, voice)
        told.append(Happening(at=event.at, number=row.number, move=event.move, says=says))
    return told


def _next_claim(number: int, later: Sequence[Row[Any]]) -> Event | None:
    """Return the claim that came next; None if there was none, or somebody cancelled it before."""
    following: Event | None = next((row.Event for row in later if row.number == number), None)
    return following if following is not None and following.move is Move.CLAIM else None


def _sentence(
    event: Event, payload: Mapping[str, Any], took: float | None, claim: Event | None, voice: Voice
) -> str:
    words = voice.words
    on = words.say("story.on", worker=event.worker) if voice.listener == "operators" else ""
    who = {"attempt": event.attempt, "on": on}
    after = "" if took is None else words.say("story.after", time=_span(words, took))
    match event.move:
        case Move.ENQUEUE:
            return words.say("story.enqueued", source=payload["from"], target=payload["to"])
        case Move.CANCEL if event.worker:
            return words.say("story.cancelled_while", **who)
        case Move.CANCEL:
            return words.say("story.cancelled")
        case Move.AGAIN:
            return words.say("story.asked_again")
        case Move.CLAIM:
            return words.say("story.began", **who)
        case Move.HAND_OVER:
            return words.say(f"handed_over.{voice.listener}", **(event.detail or {}))
        case _:
            return _end(words, event, claim, after=after, **who)


def _end(words: Words, event: Event, claim: Event | None, **values: object) -> str:
    detail = event.detail or {}
    match event.move:
        case Move.SUCCEED if "adopted" in detail:
            return words.say("story.adopted", **values)
        case Move.SUCCEED:
            return words.say("story.succeeded", **values)
        case Move.RETRY:
            reason, following = _reason(words, event), _following(words, event, claim)
            return words.say("story.broke", because=reason, following=following, **values)
        case Move.FAIL if "adopted" in detail:
            return words.say("story.adopted_failure", because=_reason(words, event), **values)
        case Move.FAIL:
            return words.say("story.failed", because=_reason(words, event), **values)
        case Move.RELEASE:
            following = _and_following(words, event, claim)
            return words.say("story.released", following=following, **values)
        case _ if detail.get("to") == Status.QUEUED:
            following = _and_following(words, event, claim)
            return words.say("story.rescued", following=following, **values)
        case _:
            following = words.say("story.and_too_often")
            return words.say("story.rescued", following=following, **values)


def _following(words: Words, event: Event, claim: Event | None) -> str:
    """Say which attempt came next, and when: or that one will come."""
    if claim is None:
        return words.say("story.tried_again")
    return words.say("story.next_began", **_beginning(words, event, claim))


def _and_following(words: Words, event: Event, claim: Event | None) -> str:
    """Say the same as the second half of a sentence."""
    if claim is None:
        return words.say("story.and_tried_again")
    return words.say("story.and_next_began", **_beginning(words, event, claim))


def _beginning(words: Words, event: Event, claim: Event) -> dict[str, object]:
    waited = (claim.at - event.at).total_seconds()
    at_once = waited < 0.05
    later = "" if at_once else words.say("story.later", time=_span(words, waited))
    return {"attempt": claim.attempt, "when": later or words.say("story.at_once")}


def _reason(words: Words, event: Event) -> str:
    said = (event.detail or {}).get("detail")
    return words.say("story.because", reason=said) if said else words.say("story.unexplained")


def _span(words: Words, seconds: float) -> str:
    seconds = max(0.0, seconds)
    number = f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"
    return words.say("amount.seconds", number=words.number(number))
