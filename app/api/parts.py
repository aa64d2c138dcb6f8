"""What the handlers of one process share."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request

from app import status
from app.api.archive.sending import Archives
from app.api.database import Database
from app.api.metrics import Metrics
from app.api.ops.doctor import Doctor
from app.api.ops.glance import Glance
from app.api.ops.look import Seen
from app.api.resumable.crowd import Crowd
from app.api.threads import Threads
from app.api.wake import Wake
from app.api.watch import Watch
from app.db import Sessions
from app.ingest.dock import Dock
from app.ingest.resumable.turns import Turns
from app.settings import Settings
from app.status import UploadState
from app.storage import Storage
from app.words import Words, speaking


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Made once by create_app. `probing` is one thread: a storage that is away is asked once."""

    settings: Settings
    database: Database
    storage: Storage
    threads: Threads
    probing: Threads
    archives: Archives
    dock: Dock
    turns: Turns
    crowd: Crowd
    watch: Watch
    wake: Wake
    metrics: Metrics
    doctor: Doctor
    ops: Glance[Seen]


def parts_of(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


def words_of(request: Request) -> Words:
    """Return the words of the language that the pages speak here."""
    return speaking(parts_of(request).settings.language)


async def state_of(parts: Parts, upload_id: UUID) -> UploadState | None:
    """Read the state of one upload; None when there is no such upload."""
    return (await look(parts.database, parts.settings, [upload_id])).get(upload_id)


async def look(
    database: Database, settings: Settings, ids: Collection[UUID]
) -> dict[UUID, UploadState]:
    """Read the states of uploads, in one statement of one short transaction."""

    def work(sessions: Sessions) -> dict[UUID, UploadState]:
        with sessions.begin() as session:
            return status.read(
                session,
                ids,
                keep_seconds=settings.keep_seconds,
                live_seconds=settings.lease_seconds,
            )

    return await database.run(work)
