"""Waiting for uploads to change: one look a second for all who wait in this process."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.requests import Request

from app.api.database import DatabaseAway, NotOpen
from app.status import UploadState

EVERY_SECONDS = 1.0

Look = Callable[[Collection[UUID]], Awaitable[dict[UUID, UploadState]]]
Wanted = Callable[[UploadState], bool]


@dataclass(frozen=True, eq=False)
class _Waiter:
    upload_id: UUID
    wanted: Wanted
    found: asyncio.Future[UploadState | None]


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
        self, wanted: Wanted, upload_id: UUID, *, seconds: float, request: Request
    ) -> UploadState | None:
        """Return the state that was wanted; None when the time is over or the client has left."""
        if self._closed:
            return None
        waiter = _Waiter(upload_id, wanted, asyncio.get_running_loop().create_future())
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
            _tell(waiter, None)

    def _begin(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look_on())

    async def _look_on(self) -> None:
        while self._waiters:
            await asyncio.sleep(EVERY_SECONDS)
            with contextlib.suppress(DatabaseAway, NotOpen):  # they may come back in time
                self._answer(await self._look({waiter.upload_id for waiter in self._waiters}))

    def _answer(self, states: dict[UUID, UploadState]) -> None:
        for waiter in list(self._waiters):
            state = states.get(waiter.upload_id)
            if state is not None and waiter.wanted(state):
                _tell(waiter, state)


def _tell(waiter: _Waiter, state: UploadState | None) -> None:
    if not waiter.found.done():
        waiter.found.set_result(state)


async def _departure(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
