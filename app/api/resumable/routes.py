"""The requests of tus 1.0 beside those that every upload has."""

from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.api import owners
from app.api.description import responses
from app.api.errors import Problem
from app.api.parts import Parts, parts_of
from app.api.paths import NAME
from app.api.resumable import headers
from app.api.resumable.access import found, held
from app.api.resumable.bringing import bring, refuse_too_long, settle
from app.api.resumable.dialect import discovery, expiry, standing
from app.api.resumable.length import declare, with_length
from app.api.resumable.rows import Row
from app.ingest.headers import has_body
from app.ingest.refusals import StorageAway
from app.ingest.resumable.threads import in_thread

router = APIRouter(tags=["uploads"])


@router.options("/uploads", include_in_schema=False)
@router.options(f"/uploads/{NAME}", include_in_schema=False)
async def options(request: Request) -> Response:
    """Say what of tus is spoken here, and how large an upload may be.

    A page that asks before it sends many files gets its cookie now, not one with each of them.
    """
    owners.greet(request)
    return Response(status_code=204, headers=discovery(parts_of(request).settings))


@router.patch(
    "/uploads/{upload_id:uuid}", status_code=204, responses=responses(None, 404, 409, 410, 423)
)
async def patch(request: Request, upload_id: UUID) -> Response:
    """Go on with an upload that was made with Tus-Resumable, from its Upload-Offset.

    All that can be refused is refused before anything of the upload is changed.
    """
    parts = parts_of(request)
    headers.refuse_other_versions(request)
    if not headers.brings_pieces(request):
        raise Problem("bad_media_type", hint=f"Send Content-Type: {headers.PIECES}.")
    at, length = headers.offset(request), headers.length(request)
    async with held(parts, upload_id) as (turn, as_found):
        if turn is None:
            return _repeated(request, as_found, at=at)
        _refuse_gap(at, stands=turn.part.size)
        row = with_length(parts, turn, as_found, length)
        refuse_too_long(parts, request, turn, row)
        if as_found.size is None and row.size is not None:
            await declare(parts, turn, row)
        brought = await bring(parts, request, turn, row)
    said = {"Upload-Offset": str(brought.offset), **expiry(brought.expires_at)}
    return Response(status_code=204, headers=said)


@router.patch("/uploads/{name}", include_in_schema=False)
async def patch_unknown(name: str) -> Response:
    """Say that there is no such upload, where a wrong method would be the answer."""
    raise Problem("upload_unknown", f"There is no upload {name[:60]!r}.")


async def offset(request: Request, upload_id: UUID) -> Response:
    """Say where an upload stands, after ending whatever writes to it.

    What has come whole is completed first: a client that is told so does not come again.
    """
    parts = parts_of(request)
    async with held(parts, upload_id) as (turn, row):
        if turn is None:
            return _bare(standing(row, offset=row.received))
        stands = turn.part.size
        if stands == row.size and not row.is_partial:
            await settle(parts, turn, row)
            return _bare(standing(replace(row, is_complete=True), offset=stands))
        return _bare(standing(row, offset=stands))


async def glance(request: Request, upload_id: UUID) -> Response:
    """Say how much of an upload is in its file, and leave whoever writes to it alone.

    For those who speak no tus: previews of links send HEAD too. A file that is whole, or gone, has
    nobody to be disturbed any more.
    """
    parts = parts_of(request)
    row = await found(parts, upload_id)
    try:
        stands = None if row.is_complete else await in_thread(parts.dock, lambda: _size(parts, row))
    except OSError as error:
        raise StorageAway from error
    if stands is None or (stands == row.size and not row.is_partial):
        return await offset(request, upload_id)
    return _bare(standing(row, offset=stands))


def _size(parts: Parts, row: Row) -> int | None:
    try:
        return parts.storage.incoming(row.id).stat().st_size
    except FileNotFoundError:
        return None


def _repeated(request: Request, row: Row, *, at: int) -> Response:
    """Answer the last PATCH again, whose answer was lost; it changes nothing."""
    if row.concat is not None:
        raise Problem("final_upload")
    _refuse_gap(at, stands=row.received)
    said = {"Upload-Offset": str(row.received)}
    if has_body(request):
        raise Problem("beyond_length", headers=said)
    return Response(status_code=204, headers=said)


def _refuse_gap(at: int, *, stands: int) -> None:
    if at != stands:
        detail = f"The upload stands at byte {stands}, and the bytes are for {at}."
        raise Problem("wrong_offset", detail, headers={"Upload-Offset": str(stands)})


def _bare(said: dict[str, str]) -> Response:
    """Answer HEAD without a length: it would be that of a document that GET would answer with."""
    answer = Response(status_code=200, headers=said)
    del answer.headers["content-length"]
    return answer
