"""What those who wait cost, and what becomes of them when a row cannot be read."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from starlette.requests import Request
from starlette.types import Message

from app.api import watch
from app.api.watch import Watch
from app.states import UploadStatus
from app.status import UploadState


@pytest.fixture(autouse=True)
def _in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "EVERY_SECONDS", 0.01)


def a_state() -> UploadState:
    return UploadState(
        id=uuid4(),
        name="a.png",
        size=1,
        received=1,
        format="png",
        media_type="image/png",
        sha256=None,
        status=UploadStatus.CONVERTING,
        error=None,
        created_at=datetime.now(UTC),
        completed_at=None,
        expires_at=None,
        owner=None,
        manage=None,
        jobs=(),
    )


def patient() -> Request:
    """Return a request whose client stays."""

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http"}, receive)


class Rows:
    """What each look in turn finds of each upload; `unreadable` fails any look at it."""

    def __init__(self, *found: list[UploadState], unreadable: UUID | None = None) -> None:
        self._found = {states[0].id: states for states in found}
        self._unreadable = unreadable

    async def look(self, ids: Collection[UUID]) -> dict[UUID, UploadState]:
        if self._unreadable in ids:
            raise KeyError("from")
        return {upload_id: self._next(self._found[upload_id]) for upload_id in ids}

    def _next(self, states: list[UploadState]) -> UploadState:
        return states.pop(0) if len(states) > 1 else states[0]


async def until(held: Watch, wanted: Callable[[UploadState], bool], state: UploadState) -> Any:
    return await held.until(wanted, since=state, seconds=20, request=patient())


async def both(first: Awaitable[Any], second: Awaitable[Any]) -> list[Any]:
    async with asyncio.timeout(10):
        return list(await asyncio.gather(first, second))


def test_what_has_not_changed_is_not_looked_at_closely() -> None:
    state = a_state()
    more, ready = replace(state, received=2), replace(state, status=UploadStatus.READY)
    judged: list[UploadState] = []

    def wanted(now: UploadState) -> bool:
        judged.append(now)
        return now.status is UploadStatus.READY

    held = Watch(Rows([state, state, more, more, more, ready]).look)
    assert asyncio.run(until(held, wanted, state)) == ready
    assert judged == [more, ready]


def test_a_row_that_cannot_be_read_ends_the_waiting_for_itself_alone() -> None:
    bad, good = a_state(), a_state()
    more = replace(good, received=2)
    held = Watch(Rows([bad], [good, good, more], unreadable=bad.id).look)

    def anything(_: UploadState) -> bool:
        return True

    found = asyncio.run(both(until(held, anything, bad), until(held, anything, good)))
    assert found == [None, more]


def test_a_state_that_cannot_be_told_ends_the_waiting_for_itself_alone() -> None:
    bad, good = a_state(), a_state()
    more = replace(good, received=2)
    held = Watch(Rows([replace(bad, received=2)], [more]).look)

    def wanted(now: UploadState) -> bool:
        if now.id == bad.id:
            raise TypeError("facts")
        return True

    found = asyncio.run(both(until(held, wanted, bad), until(held, wanted, good)))
    assert found == [None, more]
