"""A length that comes late: it is looked at first, and declared when nothing else is refused."""

from dataclasses import replace
from functools import partial

from app.api.errors import Problem
from app.api.parts import Parts
from app.api.resumable import rows
from app.api.resumable.access import give_up
from app.api.resumable.bringing import too_large
from app.api.resumable.rows import Row
from app.db import Sessions
from app.ingest.refusals import NoRoom
from app.ingest.resumable.turn import Turn


def with_length(parts: Parts, turn: Turn, row: Row, length: int | None) -> Row:
    """Return the upload as it will be, which changes nothing yet; refuse a length it cannot have.

    One that is known stays as it is.
    """
    if length is None:
        return row
    stands = turn.part.size
    if length > parts.settings.max_upload_bytes:
        raise too_large(parts, offset=stands)
    if length < stands:
        detail = f"Upload-Length is {length}, but {stands} bytes are there."
        raise Problem("bad_upload_header", detail)
    if row.size is not None and row.size != length:
        raise Problem("bad_upload_header", f"Upload-Length is {row.size} already.")
    return replace(row, size=length)


async def declare(parts: Parts, turn: Turn, row: Row) -> None:
    """Note the length, and keep room for what is still to come, if there is anything."""
    length, stands = row.size or 0, turn.part.size
    if length == 0 and not row.is_partial:
        raise await give_up(parts, row.id, Problem("empty_file"))

    def work(sessions: Sessions, free: int | None = None) -> int:
        with sessions.begin() as session:
            rows.settle_size(session, row.id, size=length, received=stands)
            return rows.reserved(session) if free is None else rows.reserve_within(session, free)

    room = parts.dock.room
    room.set_aside = await parts.database.run(work if length == stands else rows.reserved_now)
    if length == stands:
        return
    try:
        async with room.promised(length - stands) as promise:
            room.set_aside = await parts.database.run(partial(work, free=promise.free))
    except NoRoom:
        raise Problem("no_room", headers={"Upload-Offset": str(stands)}) from None
