"""What a person can ask of an upload's jobs: another one, once more, stop."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from app import intake, queue, status
from app.api.able import who_can
from app.api.bodies import fields_of, object_of, small_body
from app.api.description import WISH, responses
from app.api.errors import Problem
from app.api.idempotency import Reservation, reserved
from app.api.owners import refuse_strangers
from app.api.parts import Parts, parts_of
from app.api.paths import JOB
from app.api.replies import changed, known
from app.api.shapes import UploadDocument
from app.api.wishes import Wishes, orders, targets, wishes
from app.db import Sessions
from app.settings import Settings
from app.states import Status, UploadStatus
from app.status import UploadState

MOST_JOBS = 100

Change = Callable[[Session, UploadState], None]

router = APIRouter(tags=["jobs"])


@router.post(
    "/uploads/{upload_id:uuid}/jobs",
    status_code=202,
    openapi_extra=WISH,
    responses=responses(UploadDocument, 403, 404, 409, 410, 422),
)
async def add(request: Request, upload_id: UUID) -> Response:
    """Convert the same upload to another format.

    With `Idempotency-Key` it can be sent again: the jobs are made once.
    """
    parts = parts_of(request)
    wanted = await _wishes(request, parts.settings)
    facts = ("jobs", wanted.targets, sorted(wanted.options.items()))
    async with reserved(parts, request, *facts) as key:
        is_new = key.upload_id is None
        state = await _change(request, upload_id, _adding(parts, wanted, key) if is_new else _look)
    if is_new:
        parts.wake.soon()
    return changed(request, state, status=202)


def _adding(parts: Parts, wanted: Wishes, key: Reservation) -> Change:
    def change(session: Session, state: UploadState) -> None:
        if state.status is UploadStatus.RECEIVING:
            raise Problem("still_receiving")
        able = who_can(session, parts.settings)
        ordered = orders(state.format, wanted.targets, wanted.options, able=able)
        if len(state.jobs) + len(ordered) > MOST_JOBS:
            raise Problem("too_many_jobs", f"An upload has at most {MOST_JOBS} jobs.")
        attempts = parts.settings.max_attempts
        intake.place(session, state.id, orders=ordered, max_attempts=attempts)
        key.settle(session, state.id)

    return change


def _look(session: Session, state: UploadState) -> None:
    """Change nothing: an earlier request with this key has done it."""


@router.post(
    f"{JOB}/again",
    status_code=202,
    responses=responses(UploadDocument, 403, 404, 409, 410),
)
async def again(request: Request, upload_id: UUID, number: int) -> Response:
    """Try a failed or cancelled job once more, as if for the first time."""
    parts = parts_of(request)

    def change(session: Session, state: UploadState) -> None:
        _numbered(state, number)
        if not queue.again(session, upload_id, number=number):
            raise Problem("job_not_ended")

    state = await _change(request, upload_id, change)
    parts.wake.soon()
    return changed(request, state, status=202)


@router.post(
    f"{JOB}/cancel",
    responses=responses(UploadDocument, 403, 404, 409, 410),
)
async def cancel(request: Request, upload_id: UUID, number: int) -> Response:
    """Stop one job; it stays cancelled until somebody asks for it again."""

    def change(session: Session, state: UploadState) -> None:
        job = _numbered(state, number)
        if not queue.cancel(session, upload_id, number=number) and job is not Status.CANCELLED:
            raise Problem("already_ended")

    return changed(request, await _change(request, upload_id, change))


@router.post(
    "/uploads/{upload_id:uuid}/cancel", responses=responses(UploadDocument, 403, 404, 409, 410)
)
async def cancel_all(request: Request, upload_id: UUID) -> Response:
    """Stop all jobs that are queued or running; results that exist stay."""

    def change(session: Session, state: UploadState) -> None:
        moved = queue.cancel(session, upload_id)
        if not moved and state.status is not UploadStatus.CANCELLED:
            raise Problem("already_ended")

    return changed(request, await _change(request, upload_id, change))


async def _change(request: Request, upload_id: UUID, change: Change) -> UploadState:
    """Make a change that the request may make, with the upload's row locked; return the state."""
    parts = parts_of(request)

    def work(sessions: Sessions) -> UploadState:
        with sessions.begin() as session:
            queue.lock(session, upload_id)
            state = known(_state(session, upload_id, parts.settings))
            refuse_strangers(request, state)
            change(session, state)
            return known(_state(session, upload_id, parts.settings))

    return await parts.database.run(work)


def _state(session: Session, upload_id: UUID, settings: Settings) -> UploadState | None:
    states = status.read(
        session,
        [upload_id],
        keep_seconds=settings.keep_seconds,
        live_seconds=settings.lease_seconds,
    )
    return states.get(upload_id)


def _numbered(state: UploadState, number: int) -> Status:
    for job in state.jobs:
        if job.number == number:
            return job.status
    raise Problem("job_unknown", f"The upload has no job {number}.")


async def _wishes(request: Request, settings: Settings) -> Wishes:
    body = await small_body(request, idle_seconds=settings.body_timeout_seconds)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    match media_type:
        case "application/json":
            return _from_object(object_of(body))
        case "application/x-www-form-urlencoded" | "":
            return wishes([*request.query_params.multi_items(), *fields_of(body)])
        case _:
            raise Problem("bad_media_type")


def _from_object(given: Mapping[str, Any]) -> Wishes:
    unknown = sorted(set(given) - {"to", "options"})
    if unknown:
        raise Problem("bad_request", f"Unknown: {', '.join(unknown)[:200]}. Known: to, options.")
    to = given.get("to") or []
    wanted = [to] if isinstance(to, str) else to
    if not isinstance(wanted, list) or not all(isinstance(text, str) for text in wanted):
        raise Problem("bad_request", "to must be a text or a list of texts.")
    options = given.get("options") or {}
    if not isinstance(options, dict):
        raise Problem("bad_request", "options must be an object.")
    return Wishes(targets=targets(wanted), options=options)
