"""All results at once: of one browser, of some of its uploads, or of one upload."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.api import ranges
from app.api.archive import choice
from app.api.archive.archive import Archive
from app.api.archive.choice import Made
from app.api.archive.sending import Sending
from app.api.description import responses
from app.api.disposition import content_disposition
from app.api.documents import name_made
from app.api.errors import Problem
from app.api.owners import owner_of
from app.api.parts import Parts, parts_of, state_of
from app.api.replies import known
from app.api.results import HARMLESS
from app.db import Sessions
from app.ingest.refusals import StorageAway

MOST_CHOSEN = 1000
_CHOOSE: dict[str, Any] = {
    "parameters": [
        {
            "name": "upload",
            "in": "query",
            "description": "Only the results of this upload; may be repeated.",
            "schema": {"type": "array", "items": {"type": "string", "format": "uuid"}},
        }
    ]
}
_ZIP: dict[str, Any] = {
    "response_class": Response,
    "responses": {
        200: {"description": "The zip", "content": {"application/zip": {}}},
        **responses(None, 206, 404, 410, 416),
    },
}

router = APIRouter(tags=["results"])


@router.get("/uploads/results.zip", openapi_extra=_CHOOSE, **_ZIP)
@router.head("/uploads/results.zip", include_in_schema=False)
async def of_visitor(request: Request) -> Response:
    """Fetch every result of what was sent with this request's cookie as one zip, newest first.

    `upload` chooses some of the uploads. A download that was cut goes on with `Range`, as long as
    nothing was added meanwhile.
    """
    chosen, owner = _chosen(request), owner_of(request)

    def work(sessions: Sessions) -> list[Made]:
        with sessions.begin() as session:
            return choice.of_owner(session, owner or "", chosen)

    return await _sent(request, await parts_of(request).database.run(work), name="results.zip")


@router.get("/uploads/{upload_id:uuid}/results.zip", **_ZIP)
@router.head("/uploads/{upload_id:uuid}/results.zip", include_in_schema=False)
async def of_upload(request: Request, upload_id: UUID) -> Response:
    """Fetch all results of one upload as one zip."""
    parts = parts_of(request)
    state = known(await state_of(parts, upload_id))

    def work(sessions: Sessions) -> list[Made]:
        with sessions.begin() as session:
            return choice.of_upload(session, upload_id)

    made = await parts.database.run(work)
    return await _sent(request, made, name=name_made(state.name, "zip"))


def _chosen(request: Request) -> list[UUID]:
    given = request.query_params.getlist("upload")
    if len(given) > MOST_CHOSEN:
        raise Problem("bad_request", f"At most {MOST_CHOSEN} uploads can be chosen.")
    return [_id(text) for text in given]


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Problem("upload_unknown", f"There is no upload {text[:60]!r}.") from None


async def _sent(request: Request, made: list[Made], *, name: str) -> Response:
    parts = parts_of(request)
    archive = await _archive(parts, made)
    headers = {
        **HARMLESS,
        "ETag": archive.tag,
        "Accept-Ranges": "bytes",
        "Content-Disposition": content_disposition(name),
    }
    first, end = _stretch(request, archive)
    headers["Content-Length"] = str(end - first)
    status = 200
    if end - first < archive.size:
        status, headers["Content-Range"] = 206, f"bytes {first}-{end - 1}/{archive.size}"
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers, media_type="application/zip")
    pieces = archive.pieces(first, end)
    return Sending(pieces, threads=parts.archives.threads, status=status, headers=headers)


async def _archive(parts: Parts, made: list[Made]) -> Archive:
    def work() -> Archive:
        entries = choice.entries(made, storage=parts.storage)
        return Archive(entries, checksums=parts.archives.checksums)

    try:
        return await parts.threads.run(work)
    except OSError as error:  # a TimeoutError is one
        raise StorageAway from error


def _stretch(request: Request, archive: Archive) -> tuple[int, int]:
    """Return what is asked for, all of it unless it is one stretch."""
    asked = ranges.satisfiable(request.headers, size=archive.size, validators=[archive.tag])
    if asked is None or "," in asked:
        return 0, archive.size
    first, _, last = asked.removeprefix("bytes=").partition("-")
    if not first:
        return max(0, archive.size - int(last)), archive.size
    return int(first), min(int(last) + 1, archive.size) if last else archive.size
