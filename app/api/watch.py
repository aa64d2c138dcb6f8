"""Waiting for uploads to change: one look a second for all who wait in this process."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.requests import Request

from app.api.database import DatabaseAway, NotOpen
from app.log import get_logger
from app.status import UploadState

EVERY_SECONDS = 1.0

Look = Callable[[Collection[UUID]], Awaitable[dict[UUID, UploadState]]]
Wanted = Callable[[UploadState], bool]

log = get_logger()


@dataclass(eq=False)
class _Waiter:
    seen: UploadState
    wanted: Wanted
    found: asyncio.Future[UploadState | None]

    def shown(self, state: UploadState) -> None:
        """End the waiting if this is what was wanted; to find that out may cost a document."""
        if state != self.seen and self.wanted(state):
            self.end(state)
        self.seen = state

    def end(self, state: UploadState | None) -> None:
        if not self.found.done():
            self.found.set_result(state)


class Watch:
    """Holds those who wait, and no seat between two looks."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._waiters: set[_Waiter] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._waiters)

    async def until(
        self, wanted: Wanted, *, since: UploadState, seconds: float, request: Request
    ) -> UploadState | None:
        """Return the state that was wanted; None when the time is over or the client has left.

        `since` is not wanted, and neither is what equals the state that was looked at before.
        """
        if self._closed:
            return None
        waiter = _Waiter(since, wanted, asyncio.get_running_loop().create_future())
        self._waiters.add(waiter)
        self._begin()
        leaving = asyncio.ensure_future(_departure(request))
        try:
            ends: list[asyncio.Future[Any]] = [waiter.found, leaving]
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            return waiter.found.result() if waiter.found.done() else None
        finally:
            leaving.cancel()
            self._waiters.discard(waiter)

    def close(self) -> None:
        """Answer all who wait, now and later, so that the process can end."""
        self._closed = True
        for waiter in self._waiters:
            waiter.end(None)

    def _begin(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look_on())

    async def _look_on(self) -> None:
        while self._waiters:
            await asyncio.sleep(EVERY_SECONDS)
            ids = {waiter.seen.id for waiter in self._waiters}
            if not await self._look_at(ids) and len(ids) > 1:
                for upload_id in ids:
                    await self._look_at({upload_id})

    async def _look_at(self, ids: Collection[UUID]) -> bool:
        """Show everyone what has become of these; False if a row of theirs cannot be read."""
        waiters = [waiter for waiter in self._waiters if waiter.seen.id in ids]
        try:
            states = await self._look(ids)
            for waiter in waiters:
                if waiter.seen.id in states:
                    waiter.shown(states[waiter.seen.id])
        except (DatabaseAway, NotOpen):
            return True  # they may come back in time
        except Exception:
            log.exception("watch.failed", uploads=[str(upload_id) for upload_id in ids][:10])
            if len(ids) == 1:
                for waiter in waiters:
                    waiter.end(None)  # whoever asks anew is told by their own request
            return False
        return True


async def _departure(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
