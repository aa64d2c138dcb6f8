"""An upload begins: everything that can be refused is refused before its first byte."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import Response

from app.api import owners
from app.api.database import refuse_read_only
from app.api.documents import path_of
from app.api.errors import Problem
from app.api.idempotency import Reservation, reserved
from app.api.owners import Rights
from app.api.parts import Parts, parts_of
from app.api.resumable import headers, rows
from app.api.resumable.access import held
from app.api.resumable.bringing import Brought, bring, refuse_too_long, too_large
from app.api.resumable.crowd import Client, client_of
from app.api.resumable.dialect import expiry
from app.api.resumable.headers import Creation
from app.api.resumable.joining import join
from app.api.resumable.wanting import (
    name_of,
    refuse_hopeless,
    stored,
    wanted,
    without_secrets,
)
from app.api.wishes import Wishes
from app.db import Sessions
from app.formats import names
from app.ingest.farewell import farewell
from app.ingest.headers import has_body
from app.ingest.refusals import NoRoom, StorageAway
from app.ingest.resumable.part import make
from app.ingest.resumable.threads import in_thread


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """What the headers and the query say, all of it looked at."""

    said: Creation
    name: str
    wishes: Wishes


async def create(request: Request) -> Response:
    """Answer 201 with the address of an upload, which may have its first bytes already."""
    parts = parts_of(request)
    headers.refuse_other_versions(request)
    plan = _plan(parts, request)
    said, query = plan.said, sorted(request.query_params.multi_items())
    async with reserved(parts, request, "tus", *said.facts, query) as key:
        if key.upload_id is not None:
            owners.hand_out(request, key.manage)
            return farewell(request, await _again(parts, request, key.upload_id))
        rights = owners.rights(request, key.manage)
        if said.parts:
            state = await join(
                parts, said, name=plan.name, wishes=plan.wishes, key=key, rights=rights
            )
            return farewell(request, _created(request, state.id, None, None))
        upload_id, expires_at = await _made(parts, plan, key, rights, client_of(request))
    if not (headers.brings_pieces(request) and has_body(request)):
        return farewell(request, _created(request, upload_id, expires_at, None))
    return await _with_bytes(parts, request, upload_id)


def _plan(parts: Parts, request: Request) -> _Plan:
    said = headers.creation(request)
    query = request.query_params.multi_items()
    if said.size is not None and said.size > parts.settings.max_upload_bytes:
        raise too_large(parts)
    if said.concat == "partial":
        return _Plan(said=said, name=names.clean_name(""), wishes=Wishes(options={}))
    if said.size == 0:
        raise Problem("empty_file")
    wishes = wanted(said.metadata, query)
    refuse_hopeless(wishes)
    return _Plan(said=said, name=names.clean_name(name_of(said.metadata, query)), wishes=wishes)


async def _made(
    parts: Parts, plan: _Plan, key: Reservation, rights: Rights, client: Client
) -> tuple[UUID, datetime]:
    """Make the empty file, then its row: a crash in between leaves an orphan, never a lie."""
    upload_id, said = uuid4(), plan.said
    path = parts.storage.incoming(upload_id)

    def look(sessions: Sessions) -> int:
        with sessions.begin() as session:
            refuse_read_only(session)
            parts.crowd.refuse_another(session, client)
            return rows.reserved(session)

    def work(sessions: Sessions, free: int) -> tuple[datetime, int]:
        with sessions.begin() as session:
            expires_at = rows.make(
                session,
                upload_id=upload_id,
                name=plan.name,
                size=said.size,
                metadata=without_secrets(said.metadata),
                wishes=stored(plan.wishes),
                concat=said.concat,
                rights=rights,
                expires_seconds=parts.settings.upload_expires_seconds,
            )
            key.settle(session, upload_id)
            return expires_at, rows.reserve_within(session, free)

    room = parts.dock.room
    room.set_aside = await parts.database.run(look)
    async with room.promised(said.size) as promise:
        try:
            await in_thread(parts.dock, lambda: make(path))
            expires_at, room.set_aside = await parts.database.run(partial(work, free=promise.free))
        except OSError as error:
            raise StorageAway from error
        except NoRoom:
            await in_thread(parts.dock, lambda: path.unlink(missing_ok=True))
            raise
        parts.crowd.began(client, upload_id)
        return upload_id, expires_at


async def _with_bytes(parts: Parts, request: Request, upload_id: UUID) -> Response:
    """Take the first bytes; if they are refused, the answer still says where the upload is."""
    try:
        async with held(parts, upload_id) as (turn, row):
            if turn is not None:
                refuse_too_long(parts, request, turn, row)
                brought = await bring(parts, request, turn, row)
            else:  # somebody knew the address at once, and has sent it all
                brought = Brought(row.received, None)
    except Problem as problem:
        problem.headers["Location"] = _location(request, upload_id)
        raise
    return _created(request, upload_id, brought.expires_at, brought)


async def _again(parts: Parts, request: Request, upload_id: UUID) -> Response:
    """Repeat the answer that was lost; what its body brought is in the file."""
    async with held(parts, upload_id) as (turn, row):
        offset = row.received if turn is None else turn.part.size
    brought = Brought(offset, row.expires_at) if headers.brings_pieces(request) else None
    return _created(request, upload_id, None if row.is_complete else row.expires_at, brought)


def _created(
    request: Request, upload_id: UUID, expires_at: datetime | None, brought: Brought | None
) -> Response:
    said: dict[str, Any] = {"Location": _location(request, upload_id), **expiry(expires_at)}
    if brought is not None:
        said["Upload-Offset"] = str(brought.offset)
    return Response(status_code=201, headers=said)


def _location(request: Request, upload_id: UUID) -> str:
    """Return a reference without a host, which a proxy cannot make wrong.

    Beside an address that ends in a slash the id is enough, and aiotus understands nothing else.
    """
    return str(upload_id) if request.url.path.endswith("/") else path_of(upload_id)
