"""Results go out: whole or in ranges, under a name that every client understands, and harmless."""

import base64
import os
from http import HTTPStatus
from typing import Any
from uuid import UUID

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from app.api import ranges
from app.api.description import responses
from app.api.disposition import content_disposition
from app.api.documents import patience, result_name
from app.api.errors import Problem
from app.api.negotiation import knows
from app.api.parts import Parts, parts_of, state_of
from app.api.paths import JOB
from app.api.replies import known
from app.formats import catalogue
from app.states import Status
from app.status import JobState, UploadState

# What a browser shows of it can run nothing, reach nothing and frame nothing.
HARMLESS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}
PDF = "application/pdf"
# Viewers of PDF are an origin of their own; Firefox's and Safari's show nothing that is sandboxed.
VIEWED = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
    ),
    "X-Frame-Options": "SAMEORIGIN",
}
_FILE: dict[str, Any] = {
    "response_class": Response,
    "responses": {
        200: {"description": "The file", "content": {"application/octet-stream": {}}},
        **responses(None, 206, 304, 404, 409, 410, 416),
    },
}

router = APIRouter(tags=["results"])


@router.get("/uploads/{upload_id:uuid}/result", **_FILE)
@router.head("/uploads/{upload_id:uuid}/result", include_in_schema=False)
async def newest(request: Request, upload_id: UUID) -> Response:
    """Fetch the newest result, whatever the other jobs do.

    `?inline` shows in place what can do no harm there.
    """
    state = await _state(request, upload_id)
    job = state.newest_success
    if job is None:
        raise _not_there(max(state.jobs, key=lambda job: job.number, default=None), state)
    return await _file(request, state, job)


@router.get(f"{JOB}/result", **_FILE)
@router.head(f"{JOB}/result", include_in_schema=False)
async def numbered(request: Request, upload_id: UUID, number: int) -> Response:
    """Fetch the result of one job."""
    state = await _state(request, upload_id)
    job = next((job for job in state.jobs if job.number == number), None)
    if job is None:
        raise Problem("job_unknown", f"The upload has no job {number}.")
    if job.status is not Status.SUCCEEDED:
        raise _not_there(job, state)
    return await _file(request, state, job)


class Download(FileResponse):
    """A file that is open already, so that its removal meanwhile does not break the answer off.

    Chunks of 64 KiB, the parent's, cost five times the CPU (measured).
    """

    chunk_size = 1024**2

    def __init__(self, descriptor: int, *, media_type: str, headers: dict[str, str]) -> None:
        self.asked: str | None = None
        self._descriptor = descriptor
        super().__init__(
            f"/proc/self/fd/{descriptor}",
            media_type=media_type,
            headers=headers,
            stat_result=os.fstat(descriptor),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(self._settled(scope), receive, send)
        finally:
            self.close()

    def choose(self, headers: Headers) -> None:
        """Settle which part is sent; raise a Problem if the file has nothing of what is asked."""
        size = int(self.headers["content-length"])
        validators = (self.headers["etag"], self.headers["last-modified"])
        self.asked = ranges.satisfiable(headers, size=size, validators=validators)

    def close(self) -> None:
        os.close(self._descriptor)

    def _settled(self, scope: Scope) -> Scope:
        """Leave the parent nothing to judge: it answers 400 or 416 in plain text."""
        kept = [pair for pair in scope["headers"] if pair[0] not in {b"range", b"if-range"}]
        asked = [(b"range", self.asked.encode())] if self.asked else []
        return {**scope, "headers": [*kept, *asked]}


async def _state(request: Request, upload_id: UUID) -> UploadState:
    return known(await state_of(parts_of(request), upload_id))


async def _file(request: Request, state: UploadState, job: JobState) -> Response:
    result = job.result or {}
    tag = f'"{result["sha256"]}"'
    if knows(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": tag})
    name = result_name(state, job)
    is_inline = _inline(request, job)
    headers = {
        **HARMLESS,
        **(VIEWED if is_inline and _is_pdf(job) else {}),
        "ETag": tag,
        "Repr-Digest": _digest(result["sha256"]),
        "Content-Disposition": content_disposition(name, inline=is_inline),
    }
    descriptor = await _opened(parts_of(request), result["storage_key"])
    download = Download(descriptor, media_type=result["media_type"], headers=headers)
    try:
        download.choose(request.headers)
    except Problem:
        download.close()
        raise
    return download


async def _opened(parts: Parts, key: str) -> int:
    path = parts.storage.path(key)
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return await parts.threads.run(lambda: os.open(path, flags), undo=os.close)
    except FileNotFoundError as error:
        raise Problem("result_gone") from error
    except OSError as error:  # a TimeoutError is one
        raise Problem("storage_away", "The result cannot be read now.") from error


def _inline(request: Request, job: JobState) -> bool:
    """Only what we made and what can run nothing is shown in place; never what a client names."""
    described = catalogue.format_named(job.target)
    is_shown = (described is not None and described.inline) or _is_pdf(job)
    return "inline" in request.query_params and is_shown


def _is_pdf(job: JobState) -> bool:
    return (job.result or {}).get("media_type") == PDF


def _digest(sha256: str) -> str:
    return f"sha-256=:{base64.b64encode(bytes.fromhex(sha256)).decode()}:"


def _not_there(job: JobState | None, state: UploadState) -> Problem:
    error = (job.error if job else None) or state.error
    if job is not None and job.finished_at is None:
        return Problem("not_ready", headers=patience(state))
    if job is not None and job.status is Status.CANCELLED:
        return Problem("conversion_cancelled")
    if error:
        return Problem("conversion_failed", error["detail"], hint=error["hint"], error=error)
    return Problem("not_ready", headers=patience(state))
