"""The status document: the one object that POST and GET answer with and that the page draws."""

import hashlib
import json
from collections import Counter
from typing import Any
from uuid import UUID

from app.api.shapes import ErrorDocument, JobDocument, LinksDocument, ResultDocument, UploadDocument
from app.formats import catalogue, names
from app.states import Status
from app.status import JobState, UploadState
from app.words import ENGLISH

Document = dict[str, Any]


def path_of(upload_id: UUID) -> str:
    return f"/uploads/{upload_id}"


def document(state: UploadState) -> Document:
    """Return the document as JSON values."""
    path = path_of(state.id)
    claimed = _claimed(state)
    counts = Counter(job.status for job in state.jobs)
    return UploadDocument(
        id=state.id,
        name=state.name,
        size=state.size,
        received=state.received,
        format=state.format,
        media_type=state.media_type,
        sha256=state.sha256,
        name_says=claimed,
        name_disagrees=claimed and _disagreement(claimed, state),
        status=state.status,
        error=_error(state.error),
        jobs=[_job(job, state) for job in state.jobs],
        counts={status: counts[status] for status in Status},
        created_at=state.created_at,
        completed_at=state.completed_at,
        expires_at=state.expires_at,
        links=LinksDocument(self=path, result=f"{path}/result" if state.newest_success else None),
    ).model_dump(mode="json", by_alias=True)


def tag(document: Document) -> str:
    """Return a weak ETag: a far place in the line counts in steps, or all who wait would ask.

    Weak, because two documents may share it that differ in such a place alone (RFC 9110 §8.8.1).
    """
    jobs = [
        {**job, "queue_position": _step(job["queue_position"] or 0)} for job in document["jobs"]
    ]
    text = json.dumps({**document, "jobs": jobs}, sort_keys=True)
    return f'W/"{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}"'


def patience(state: UploadState) -> dict[str, str]:
    """Return Retry-After for whoever comes back: sooner the nearer the next change is."""
    if state.is_settled:
        return {}
    places = [job.ahead or 0 for job in state.jobs if job.finished_at is None]
    return {"Retry-After": str(1 + min(min(places, default=0) // 20, 9))}


def result_name(state: UploadState, job: JobState) -> str:
    return name_made(state.name, (job.result or {}).get("format", job.target))


def name_made(name: str, made: str) -> str:
    """Return what a file is called after it was made into another format."""
    described = catalogue.format_named(made)
    return names.result_name(name, described.extensions[0] if described else made)


def _step(place: int) -> int:
    size = 1 if place < 20 else 10 if place < 100 else 100
    return place // size * size


def _job(job: JobState, state: UploadState) -> JobDocument:
    is_open = job.finished_at is None
    return JobDocument(
        number=job.number,
        kind=job.kind,
        source=job.source,
        to=job.target,
        options=job.options,
        status=job.status,
        progress=job.progress,
        stage=job.stage,
        attempt=job.attempt,
        max_attempts=job.max_attempts,
        interruptions=job.interruptions,
        queue_position=job.ahead,
        waiting_for=_waiting_for(job),
        run_after=job.run_after if job.status is Status.QUEUED else None,
        retry_reason=_error(job.error) if is_open else None,
        error=_error(job.error) if job.status is Status.FAILED else None,
        result=_result(job, state),
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


def _result(job: JobState, state: UploadState) -> ResultDocument | None:
    if job.result is None:
        return None
    return ResultDocument(
        href=f"{path_of(state.id)}/jobs/{job.number}/result",
        name=result_name(state, job),
        size=job.result["size"],
        format=job.result["format"],
        media_type=job.result["media_type"],
        sha256=job.result["sha256"],
        facts=job.result.get("facts") or {},
    )


def _error(error: dict[str, Any] | None) -> ErrorDocument | None:
    if not error:
        return None
    # A newer release, which runs beside this one, may have written more into the row.
    return ErrorDocument(**{name: error[name] for name in ErrorDocument.model_fields})


def _waiting_for(job: JobState) -> str | None:
    if job.status is not Status.QUEUED or job.is_offered:
        return None
    return ENGLISH.say("job.no_worker_for", source=job.source, target=job.target)


def _claimed(state: UploadState) -> str | None:
    if state.format is None or catalogue.name_agrees(state.name, state.format):
        return None
    return catalogue.format_of_name(state.name)


def _disagreement(claimed: str, state: UploadState) -> str:
    return ENGLISH.say("card.name_disagrees", claimed=claimed, format=state.format)
