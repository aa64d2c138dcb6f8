"""Wake-ups for idle workers: after the commit, in a transaction of their own, never in a crowd."""

import asyncio
import contextlib

from app import queue
from app.api.database import Database, DatabaseAway, NotOpen
from app.db import Sessions

PAUSE_SECONDS = 0.05


class Wake:
    """Best effort: a worker that hears nothing looks at its next poll."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wanted = False
        self._calling: asyncio.Task[None] | None = None

    def soon(self) -> None:
        """Call the workers: at once, or right after the pause that a call just before began."""
        self._wanted = True
        if self._calling is None or self._calling.done():
            self._calling = asyncio.ensure_future(self._call())

    async def _call(self) -> None:
        while self._wanted:
            self._wanted = False
            with contextlib.suppress(DatabaseAway, NotOpen):
                await self._database.run(_wake)
            await asyncio.sleep(PAUSE_SECONDS)


def _wake(sessions: Sessions) -> None:
    with sessions.begin() as session:
        queue.wake(session)
