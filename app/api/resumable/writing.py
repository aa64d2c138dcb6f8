"""How the turns of this process are told to the others: by the rows, in moments."""

from collections.abc import Mapping
from uuid import UUID

from app.api.database import Database
from app.api.resumable import rows
from app.db import Sessions
from app.ingest.dock import Dock
from app.ingest.resumable.turn import Turn
from app.ingest.resumable.turns import Turns
from app.settings import Settings


def turns_of(dock: Dock, database: Database, settings: Settings) -> Turns:
    async def call(upload_id: UUID) -> None:
        def work(sessions: Sessions) -> None:
            with sessions.begin() as session:
                rows.call(session, upload_id)

        await database.run(work)

    async def beat(turns: Mapping[UUID, Turn]) -> set[UUID]:
        seconds = settings.upload_expires_seconds

        def work(sessions: Sessions) -> tuple[set[UUID], int]:
            with sessions.begin() as session:
                standing = rows.beat(session, turns, expires_seconds=seconds)
                return standing, rows.reserved(session)

        standing, dock.room.set_aside = await database.run(work)
        return standing

    return Turns(dock, call=call, beat=beat)
