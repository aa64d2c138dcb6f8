"""The end of an upload: stored for good, recorded in one transaction, only then answered."""

import asyncio
import time
from collections.abc import Sequence

from app import intake, status
from app.api.database import DatabaseAway
from app.api.errors import Problem
from app.api.parts import Parts
from app.db import Sessions
from app.formats import catalogue, names
from app.ingest.received import Received
from app.intake import Arrival, Order
from app.log import get_logger
from app.status import UploadState
from app.storage import keys

TRY_SECONDS = 30.0
PAUSE_SECONDS = 0.5

log = get_logger()


class TooOld(Exception):
    """A sweep may soon take the file for an orphan, so no row may name it any more."""


async def keep(parts: Parts, received: Received, *, orders: Sequence[Order]) -> UploadState:
    """Return the state that was committed, or raise a Problem.

    From the moment the file has its lasting name it is not deleted here: if the answer to a
    COMMIT was lost, its row may exist.
    """
    arrival = _arrival(received, orders[0].source)
    await _store(parts, received, arrival)
    state = await _record(parts, arrival, orders)
    log.info("upload.stored", upload=str(state.id), size=state.size, format=state.format)
    parts.metrics.uploads.inc()
    parts.metrics.upload_bytes.inc(received.size)
    parts.wake.soon()
    return state


def _arrival(received: Received, file_format: str) -> Arrival:
    described = catalogue.format_named(file_format)
    return Arrival(
        upload_id=received.upload_id,
        name=names.clean_name(received.name),
        size=received.size,
        sha256=received.sha256,
        format=file_format,
        media_type=described.media_type if described else "application/octet-stream",
        storage_key=keys.source_key(received.upload_id),
    )


async def _store(parts: Parts, received: Received, arrival: Arrival) -> None:
    store = parts.storage.store
    loop = asyncio.get_running_loop()
    try:
        await loop.run_in_executor(parts.dock.threads, store, received.part, arrival.storage_key)
    except OSError as error:
        received.discard()
        raise Problem("storage_away") from error


async def _record(parts: Parts, arrival: Arrival, orders: Sequence[Order]) -> UploadState:
    """Send the same rows until the database tells whether they are there."""
    ends = time.monotonic() + TRY_SECONDS

    def work(sessions: Sessions) -> UploadState:
        with sessions.begin() as session:
            intake.admit(session, arrival, orders=orders, max_attempts=parts.settings.max_attempts)
            states = status.read(
                session,
                [arrival.upload_id],
                keep_seconds=parts.settings.keep_seconds,
                live_seconds=parts.settings.lease_seconds,
            )
            _refuse_old(parts, arrival)
        return states[arrival.upload_id]

    while True:
        try:
            return await parts.database.run(work)
        except TooOld as error:
            raise Problem("not_recorded") from error
        except DatabaseAway as error:
            if time.monotonic() > ends:
                raise Problem("not_recorded") from error
            await asyncio.sleep(PAUSE_SECONDS)


def _refuse_old(parts: Parts, arrival: Arrival) -> None:
    """Right before the commit: this process may have been frozen since the file was written."""
    if parts.storage.age(arrival.storage_key) > parts.settings.orphan_seconds / 2:
        raise TooOld
