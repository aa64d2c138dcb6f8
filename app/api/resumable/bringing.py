"""Bytes come for an upload: they are kept whatever ends the request; the last one completes it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request

from app.api.database import DatabaseAway
from app.api.errors import Problem
from app.api.parts import Parts
from app.api.resumable import rows
from app.api.resumable.access import found, give_up, lost
from app.api.resumable.completion import complete
from app.api.resumable.dialect import limits
from app.api.resumable.rows import Row
from app.api.resumable.wanting import restored
from app.api.wishes import refuse_early
from app.db import Sessions
from app.formats import catalogue
from app.ingest.headers import declared_size
from app.ingest.refusals import BodyTooSlow, ClientGone, NoRoom, Refusal, StorageAway, TooLarge
from app.ingest.resumable.appending import BeyondLength, append
from app.ingest.resumable.part import Unsynced
from app.ingest.resumable.threads import in_thread
from app.ingest.resumable.turn import Reason, Released, Turn

UNSYNCED = "The disk did not take what had come."


@dataclass(frozen=True)
class Brought:
    """Where the upload stands; `expires_at` is None once it is complete."""

    offset: int
    expires_at: datetime | None


async def bring(parts: Parts, request: Request, turn: Turn, row: Row) -> Brought:
    """Append the body to a file; raise a Problem, or ClientGone, after what came was kept."""
    ended: Exception
    try:
        if row.size is None:
            parts.dock.room.set_aside = await parts.database.run(rows.reserved_now)
        await append(
            request,
            turn,
            dock=parts.dock,
            most=_most(parts, turn, row),
            is_open=row.size is None,
            on_head=_judge(row),
        )
    except Unsynced:
        raise await lost(parts, row.id, UNSYNCED) from None
    except Problem as hopeless:
        with suppress(OSError):  # a sweep finds it
            await in_thread(parts.dock, turn.part.unlink)
        raise await give_up(parts, row.id, hopeless) from None
    except (Refusal, Released, OSError) as error:
        ended = error
    else:
        return await settle(parts, turn, row)
    if not (isinstance(ended, Released) and ended.reason is Reason.DELETED):
        with suppress(DatabaseAway):  # the file knows
            brought = await settle(parts, turn, row)
            if isinstance(ended, Released) and brought.offset == row.size:
                return brought  # it was asked to end, and had come to its end
    told = _told(parts, ended, row, offset=turn.part.size)
    raise told from (None if told is ended else ended)


async def settle(parts: Parts, turn: Turn, row: Row) -> Brought:
    """Complete an upload that has come whole, or note how much of it has."""
    offset = turn.part.size
    if offset == row.size and not row.is_partial:
        try:
            await complete(parts, turn, row)
        except FileNotFoundError:  # deleted while it came
            await found(parts, row.id)
            raise await lost(parts, row.id) from None
        except Unsynced:
            raise await lost(parts, row.id, UNSYNCED) from None
        except OSError as error:
            raise StorageAway from error
        return Brought(offset, None)
    seconds = parts.settings.upload_expires_seconds

    def work(sessions: Sessions) -> datetime | None:
        with sessions.begin() as session:
            return rows.note(session, row.id, received=offset, expires_seconds=seconds)

    expires_at = await parts.database.run(work)
    if expires_at is None:
        await found(parts, row.id)
    return Brought(offset, expires_at)


def refuse_too_long(parts: Parts, request: Request, turn: Turn, row: Row) -> None:
    """Refuse what the headers say is too much, before a byte of it is read."""
    try:
        declared_size(request, limit=_most(parts, turn, row))
    except TooLarge:
        raise _beyond(parts, row, offset=turn.part.size) from None


def too_large(parts: Parts, *, offset: int | None = None) -> Problem:
    """`offset` is where an upload stands, if it has begun."""
    most = parts.settings.max_upload_bytes
    detail = f"The file is larger than {most} bytes, the most that is taken here."
    stands = {} if offset is None else {"Upload-Offset": str(offset)}
    return Problem("too_large", detail, headers=limits(parts.settings) | stands, limit=most)


def _most(parts: Parts, turn: Turn, row: Row) -> int:
    """Return how much may still come: nothing where the limit is lower than it was."""
    whole = parts.settings.max_upload_bytes if row.size is None else row.size
    return max(0, whole - turn.part.size)


def _beyond(parts: Parts, row: Row, *, offset: int) -> Problem:
    if row.size is None:
        return too_large(parts, offset=offset)
    return Problem("beyond_length", headers={"Upload-Offset": str(offset)})


def _judge(row: Row) -> Callable[[str | None], None]:
    """Refuse at once what the first MiB shows to be impossible; of a part nobody can tell."""

    def judge(recognised: str | None) -> None:
        if not row.is_partial:
            source = catalogue.settled_format(recognised, row.name)
            refuse_early(source, restored(row.wishes).targets)

    return judge


def _told(parts: Parts, ended: Exception, row: Row, *, offset: int) -> Exception:
    """Say where to go on; nobody is there to be told when the client is gone."""
    headers = {"Upload-Offset": str(offset)}
    match ended:
        case Released():
            return Problem(ended.reason.value, headers=headers)
        case BodyTooSlow():
            return Problem("upload_stalled", headers=headers)
        case BeyondLength():
            return _beyond(parts, row, offset=offset)
        case NoRoom():
            return Problem("no_room", headers=headers)
        case ClientGone():
            return ended
        case _:
            return Problem("storage_away", headers=headers)
