"""The uploads of one browser, newest first, a page at a time."""

import base64
import binascii
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter
from sqlalchemy import ColumnElement, Select, and_, func, or_, select, tuple_
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import status
from app.api.description import responses
from app.api.documents import document
from app.api.errors import Problem
from app.api.negotiation import wants_page
from app.api.owners import owner_of
from app.api.pages import list_page
from app.api.parts import Parts, parts_of
from app.api.shapes import ListDocument
from app.db import Sessions
from app.models import Upload
from app.status import UploadState

USUAL, MOST = 20, 100
_MARK = struct.Struct(">q16s")  # microseconds since 1970, id
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

router = APIRouter(tags=["uploads"])


@dataclass(frozen=True)
class Mark:
    """An upload's place in the list; it stays, whatever comes before it or goes."""

    created_at: datetime
    id: UUID


@router.get("/uploads", responses=responses(None) | {200: {"model": ListDocument}})
@router.get("/uploads/", include_in_schema=False)
@router.head("/uploads", include_in_schema=False)
async def read_list(request: Request) -> Response:
    """List what was sent with the cookie of this request; without one there is nothing.

    Each as GET /uploads/{id} has it, newest first, `limit` at a time (20, at most 100);
    `links.next` leads to those before. A browser that asks for HTML gets a page of them.
    """
    limit, before = _limit(request), _before(request)
    owner = owner_of(request)
    found = [] if owner is None else await _look(parts_of(request), owner, before, limit + 1)
    more = _path(found[limit - 1], limit) if len(found) > limit else None
    said: dict[str, Any] = {
        "uploads": [document(state) for state in found[:limit]],
        "links": {"next": more},
    }
    if wants_page(request):
        return list_page(request, said["uploads"], older=more)
    return JSONResponse(said, headers={"Vary": "Accept, Cookie"})


def page(owner: str, *, before: Mark | None, limit: int) -> Select[UUID]:
    """Select the newest uploads of an owner, or those older than `before`."""
    order = (Upload.created_at, Upload.id)
    newest_first = [column.desc() for column in order]
    chosen = select(Upload.id).where(listed(owner)).order_by(*newest_first).limit(limit)
    if before is None:
        return chosen
    return chosen.where(tuple_(*order) < tuple_(before.created_at, before.id))


def listed(owner: str) -> ColumnElement[bool]:
    """Match what an owner's list has: parts of an upload are none of their own; nothing gone."""
    return and_(
        Upload.owner == owner,
        Upload.deleted_at.is_(None),
        or_(Upload.expires_at.is_(None), Upload.expires_at > func.now()),
        Upload.concat.is_distinct_from("partial"),
    )


async def _look(parts: Parts, owner: str, before: Mark | None, limit: int) -> Sequence[UploadState]:
    settings = parts.settings

    def work(sessions: Sessions) -> list[UploadState]:
        with sessions.begin() as session:
            ids = session.scalars(page(owner, before=before, limit=limit)).all()
            states = status.read(
                session,
                ids,
                keep_seconds=settings.keep_seconds,
                live_seconds=settings.lease_seconds,
            )
        return [states[upload_id] for upload_id in ids if upload_id in states]

    return await parts.database.run(work)


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(USUAL))
    if not (text.isascii() and text.isdigit()) or not int(text[:4]):
        raise Problem("bad_request", f"limit must be a whole number from 1 to {MOST}.")
    return min(int(text[:4]), MOST)


def _path(state: UploadState, limit: int) -> str:
    since = (state.created_at - _EPOCH) // timedelta(microseconds=1)
    mark = base64.urlsafe_b64encode(_MARK.pack(since, state.id.bytes)).decode()
    return f"/uploads?{urlencode({'limit': limit, 'before': mark})}"


def _before(request: Request) -> Mark | None:
    text = request.query_params.get("before")
    if text is None:
        return None
    try:
        since, upload_id = _MARK.unpack(base64.b64decode(text, altchars=b"-_", validate=True))
        return Mark(_EPOCH + timedelta(microseconds=since), UUID(bytes=upload_id))
    except (ValueError, binascii.Error, struct.error, OverflowError):
        detail = "before is not a mark of this list. Take it from links.next of the page before."
        raise Problem("bad_request", detail) from None
