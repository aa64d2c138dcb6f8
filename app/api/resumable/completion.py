"""The last byte has come: the file gets its lasting name, the row its jobs, in that order."""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlalchemy.orm import Session

from app import intake, queue
from app.api.able import ordered
from app.api.database import DatabaseAway, DatabaseRefuses
from app.api.documents import path_of
from app.api.errors import Problem
from app.api.parts import Parts
from app.api.reception import announce, insist
from app.api.resumable.access import error_of
from app.api.resumable.rows import Row
from app.api.resumable.wanting import restored
from app.api.wishes import Wishes
from app.db import Sessions
from app.formats import catalogue
from app.ingest.resumable.threads import in_thread
from app.ingest.resumable.turn import Turn
from app.intake import Order
from app.storage import keys


@dataclass(frozen=True, kw_only=True)
class _Whole:
    """A file that has its lasting name, and what is to be done with it: orders, or a refusal."""

    size: int
    sha256: str
    format: str | None
    orders: list[Order]
    error: dict[str, Any] | None


async def complete(parts: Parts, turn: Turn, row: Row) -> None:
    """Return once the upload is recorded as whole, with its jobs or with the reason for none.

    Whatever goes wrong, or whenever the process is killed, the next request that looks at the
    upload comes here again: the file under either name, as long as its row says, is the proof.
    """
    sha256, found = await in_thread(parts.dock, lambda: turn.part.finish(turn.digest))
    written = time.time()
    source = catalogue.settled_format(found, row.name)
    its_orders, error = await _ordered(parts, source, restored(row.wishes), size=turn.part.size)
    whole = _Whole(
        size=turn.part.size, sha256=sha256, format=source, orders=its_orders, error=error
    )
    await in_thread(parts.dock, lambda: _store(parts, turn))
    if not await _record(parts, row, whole, written=written):
        await in_thread(parts.dock, turn.part.unlink)
        raise Problem("deleted")
    turn.is_finished = True
    announce(parts, row.id, size=whole.size, file_format=source)


async def _ordered(
    parts: Parts, source: str | None, wanted: Wishes, *, size: int
) -> tuple[list[Order], dict[str, Any] | None]:
    if size == 0:
        return [], error_of(Problem("empty_file"))
    try:
        return await ordered(parts, source, wanted), None
    except Problem as problem:
        return [], error_of(problem)


def _store(parts: Parts, turn: Turn) -> None:
    """Rename the file; after a crash in between it has its lasting name already."""
    key = keys.source_key(turn.upload_id)
    if turn.part.path != parts.storage.path(key):
        parts.storage.store(turn.part.path, key)
        turn.part.path = parts.storage.path(key)


async def _record(parts: Parts, row: Row, whole: _Whole, *, written: float) -> bool:
    """Send the same rows until the database tells; False if the upload was deleted meanwhile."""

    def work(sessions: Sessions) -> bool:
        with sessions.begin() as session:
            # This process may have been frozen since: by now a sweep may take the file, which no
            # row names yet, for an orphan.
            if time.time() - written > parts.settings.orphan_seconds / 2:
                raise Problem("not_recorded", upload=path_of(row.id))
            return _completed(session, row, whole, max_attempts=parts.settings.max_attempts)

    try:
        return await insist(parts, work)
    except DatabaseRefuses:
        raise
    except DatabaseAway as error:
        raise Problem("not_recorded", upload=path_of(row.id)) from error


def _completed(session: Session, row: Row, whole: _Whole, *, max_attempts: int) -> bool:
    upload = queue.lock(session, row.id)
    if upload is None or upload.deleted_at is not None:
        return False
    if upload.completed_at is not None:  # an earlier try, whose answer was lost
        return True
    upload.size = upload.received = whole.size
    upload.sha256 = whole.sha256
    upload.format = whole.format
    upload.media_type = catalogue.media_type_of(whole.format)
    upload.storage_key = keys.source_key(row.id)
    upload.error = whole.error
    upload.wishes = None
    upload.expires_at = None
    upload.completed_at = func.now()
    session.flush()
    intake.place(session, row.id, orders=whole.orders, max_attempts=max_attempts)
    return True
