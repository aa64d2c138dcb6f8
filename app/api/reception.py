"""The end of an upload: stored for good, recorded in one transaction, only then answered."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from app import intake, status
from app.api.database import DatabaseAway, DatabaseRefuses
from app.api.documents import path_of
from app.api.errors import Problem
from app.api.owners import Rights
from app.api.parts import Parts
from app.db import Sessions
from app.formats import catalogue, names
from app.ingest.received import Received
from app.intake import Arrival, Order
from app.log import get_logger
from app.status import UploadState
from app.storage import Storage, keys

TRY_SECONDS = 30.0
PAUSE_SECONDS = 0.5

T = TypeVar("T")
Also = Callable[[Session, UUID], None]

log = get_logger()


class TooOld(Exception):
    """A sweep may soon take the file for an orphan, so no row may name it any more."""


async def keep(
    parts: Parts,
    received: Received,
    *,
    orders: Sequence[Order],
    rights: Rights,
    also: Also = lambda *_: None,
) -> UploadState:
    """Return the state that was committed, or raise a Problem.

    `also` writes what else belongs into the transaction; it may be called again.

    From the moment the file has its lasting name it is not deleted here: if the answer to a
    COMMIT was lost, its row may exist.
    """
    arrival = _arrival(received, orders[0].source, rights)
    try:
        written = await _store(parts, received, arrival)
        state = await _record(parts, arrival, orders, written=written, also=also)
    except DatabaseRefuses:  # it said no each time: no row names the file
        await _remove(parts, arrival)
        raise
    except (TooOld, DatabaseAway) as error:
        raise _not_recorded(arrival.upload_id) from error
    announce(parts, state.id, size=received.size, file_format=state.format)
    return state


def announce(parts: Parts, upload_id: UUID, *, size: int, file_format: str | None) -> None:
    """Tell operators and workers of an upload that has been recorded whole."""
    log.info("upload.stored", upload=str(upload_id), size=size, format=file_format)
    parts.metrics.uploads.inc()
    parts.metrics.upload_bytes.inc(size)
    parts.wake.soon()


async def insist(parts: Parts, work: Callable[[Sessions], T]) -> T:
    """Do the same work until the database tells how it ended; DatabaseAway after 30 s.

    DatabaseRefuses says that no try was done: it is not waited for, unless an earlier one is
    unknown.
    """
    ends, is_known = time.monotonic() + TRY_SECONDS, True
    while True:
        try:
            return await parts.database.run(work)
        except DatabaseAway as error:
            is_known = is_known and isinstance(error, DatabaseRefuses)
            if is_known:
                raise
            if time.monotonic() > ends:
                raise DatabaseAway from error
            await asyncio.sleep(PAUSE_SECONDS)


@asynccontextmanager
async def discarded_on_error(parts: Parts, received: Received) -> AsyncIterator[None]:
    """Leave nothing of a file with which nothing can be done."""
    try:
        yield
    except BaseException:  # an option of a strange family may raise anything
        with suppress(OSError):  # a sweep finds it
            await parts.threads.run(received.discard)
        raise


def _arrival(received: Received, file_format: str, rights: Rights) -> Arrival:
    return Arrival(
        upload_id=received.upload_id,
        name=names.clean_name(received.name),
        size=received.size,
        sha256=received.sha256,
        format=file_format,
        media_type=catalogue.media_type_of(file_format),
        storage_key=keys.source_key(received.upload_id),
        owner=rights.owner,
        manage=rights.manage,
    )


async def _store(parts: Parts, received: Received, arrival: Arrival) -> float:
    """Return when, by our clock, the file was last written; the storage knows how long ago."""

    def work() -> float:
        parts.storage.store(received.part, arrival.storage_key)
        return time.time() - _age(parts.storage, arrival.storage_key)

    try:
        return await asyncio.get_running_loop().run_in_executor(parts.dock.threads, work)
    except OSError as error:
        await asyncio.get_running_loop().run_in_executor(parts.dock.threads, received.discard)
        raise Problem("storage_away") from error


async def _remove(parts: Parts, arrival: Arrival) -> None:
    def work() -> None:
        with suppress(OSError):  # a sweep finds it
            parts.storage.remove(arrival.storage_key)

    await asyncio.get_running_loop().run_in_executor(parts.dock.threads, work)


def _age(storage: Storage, key: str) -> float:
    try:
        return storage.age(key)
    except FileNotFoundError as error:  # a sweep was faster
        raise TooOld from error


async def _record(
    parts: Parts, arrival: Arrival, orders: Sequence[Order], *, written: float, also: Also
) -> UploadState:
    """Send the same rows until the database tells whether they are there."""
    settings = parts.settings

    def work(sessions: Sessions) -> UploadState:
        with sessions.begin() as session:
            is_new = intake.admit(
                session, arrival, orders=orders, max_attempts=settings.max_attempts
            )
            also(session, arrival.upload_id)
            states = status.read(
                session,
                [arrival.upload_id],
                keep_seconds=settings.keep_seconds,
                live_seconds=settings.lease_seconds,
            )
            # Right before the commit: this process may have been frozen since the file was
            # written. An earlier try that was committed is past that, whatever the time.
            if is_new and time.time() - written > settings.orphan_seconds / 2:
                raise TooOld
        return states[arrival.upload_id]

    return await insist(parts, work)


def _not_recorded(upload_id: UUID) -> Problem:
    path = path_of(upload_id)
    hint = f"The upload may be at {path}: look there first; if there is nothing, send it again."
    return Problem("not_recorded", hint=hint, upload=path)
