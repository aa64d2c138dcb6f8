"""An upload as a request may have it: looked up, and held while nobody else writes to it."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import UUID

from app.api.errors import Problem
from app.api.parts import Parts
from app.api.resumable import rows
from app.api.resumable.rows import Row
from app.db import Sessions
from app.failures import clean
from app.ingest.refusals import StorageAway
from app.ingest.resumable.turn import Released, Turn
from app.ingest.resumable.turns import Busy


async def found(parts: Parts, upload_id: UUID) -> Row:
    """Return the row of an upload that may be gone on with, or raise 404, 410 or its error."""
    (row,) = await found_all(parts, [upload_id])
    return row


async def found_all(parts: Parts, upload_ids: Sequence[UUID]) -> list[Row]:
    """Return the row of each, in this order, or raise what is wrong with the first of them."""
    rows_of = await _look(parts, upload_ids)
    return [_goes_on(rows_of.get(upload_id)) for upload_id in upload_ids]


async def refuse_gone(parts: Parts, upload_id: UUID) -> Row:
    """Return the row of an upload that there is, or raise 404 or 410."""
    rows_of = await _look(parts, [upload_id])
    return _is_there(rows_of.get(upload_id))


@asynccontextmanager
async def held(parts: Parts, upload_id: UUID) -> AsyncIterator[tuple[Turn | None, Row]]:
    """Have an upload for oneself, whoever has it now; there is no turn if it is complete.

    The row is read again when the turn has come: whoever had it may have changed it.
    """
    came = time.monotonic()
    row = await found(parts, upload_id)
    async with AsyncExitStack() as stack:
        turn = None
        if not row.is_complete:
            turn = await _turn(parts, upload_id, stack, came=came)
            row = await found(parts, upload_id)
        if turn is None and not row.is_complete:
            raise await lost(parts, upload_id)
        if turn is not None:
            turn.epoch = row.epoch
        yield (None if row.is_complete else turn), row


async def lost(parts: Parts, upload_id: UUID, detail: str | None = None) -> Problem:
    """Note that what had come of an upload is gone; return the problem to raise."""
    return await give_up(parts, upload_id, Problem("upload_lost", detail))


async def give_up(parts: Parts, upload_id: UUID, problem: Problem) -> Problem:
    """Note in the row why the upload can come to nothing; return the problem to raise."""
    error = error_of(problem)

    def work(sessions: Sessions) -> None:
        with sessions.begin() as session:
            rows.refuse(session, upload_id, error)

    await parts.database.run(work)
    return problem


def error_of(problem: Problem) -> dict[str, str]:
    """Return what the row of an upload keeps of a problem."""
    return {"code": problem.code, "detail": clean(problem.detail), "hint": problem.hint}


async def _look(parts: Parts, upload_ids: Sequence[UUID]) -> dict[UUID, Row]:
    def work(sessions: Sessions) -> dict[UUID, Row]:
        with sessions.begin() as session:
            return rows.look(session, upload_ids)

    return await parts.database.run(work)


def _goes_on(row: Row | None) -> Row:
    row = _is_there(row)
    if row.error is not None and not row.is_complete:
        raise Problem(row.error["code"], row.error["detail"], hint=row.error["hint"])
    return row


def _is_there(row: Row | None) -> Row:
    if row is None:
        raise Problem("upload_unknown")
    if row.is_deleted and row.expires_at is None:
        raise Problem("deleted")
    if row.is_deleted or row.is_over:
        raise Problem("expired")
    return row


async def _turn(
    parts: Parts, upload_id: UUID, stack: AsyncExitStack, *, came: float
) -> Turn | None:
    try:
        return await stack.enter_async_context(parts.turns.take(upload_id, came=came))
    except FileNotFoundError:
        return None
    except Busy:
        raise Problem("upload_busy", headers={"Retry-After": "1"}) from None
    except Released as ended:
        raise Problem(ended.reason.value) from None
    except OSError as error:
        raise StorageAway from error
