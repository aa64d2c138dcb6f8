"""Open uploads are promised room together, by a disk that may be slow to answer or gone."""

import asyncio
import errno
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.ingest import room as rooms
from app.ingest.refusals import NoRoom, StorageAway
from app.ingest.room import Room
from app.storage import DiskStorage


@pytest.fixture
def storage(tmp_path: Path) -> DiskStorage:
    return DiskStorage(tmp_path, reserve=0)


@pytest.fixture
def most_of_it(storage: DiskStorage) -> int:
    return storage.free_bytes() * 6 // 10


@pytest.fixture
def room(storage: DiskStorage) -> Iterator[Room]:
    with ThreadPoolExecutor(2) as threads:
        yield Room(storage, threads=threads)


@pytest.fixture
def silent_disk(monkeypatch: pytest.MonkeyPatch, room: Room) -> Iterator[threading.Event]:
    """A disk that does not answer until it is let go, as one of a network that is gone."""
    real, let_go = os.statvfs, threading.Event()

    def statvfs(path: Path) -> os.statvfs_result:
        assert let_go.wait(60)
        return real(path)

    monkeypatch.setattr(os, "statvfs", statvfs)
    yield let_go
    let_go.set()


async def promise(room: Room, size: int) -> None:
    async with room.promised(size):
        pass


async def refused(room: Room, size: int, *, why: type[Exception] = NoRoom) -> bool:
    with pytest.raises(why):
        await promise(room, size)
    return True


def test_open_uploads_together_get_no_more_than_the_disk_has(room: Room, most_of_it: int) -> None:
    async def scenario() -> None:
        async with room.promised(most_of_it) as first:
            assert await refused(room, most_of_it)
            first.redeem(most_of_it)
            await promise(room, most_of_it)
        await promise(room, most_of_it)

    asyncio.run(scenario())


def test_a_promise_counts_while_the_disk_is_still_being_asked(
    room: Room, most_of_it: int, silent_disk: threading.Event
) -> None:
    async def scenario() -> None:
        both = [asyncio.create_task(promise(room, most_of_it)) for _ in range(2)]
        await asyncio.sleep(0)
        silent_disk.set()
        first, second = await asyncio.gather(*both, return_exceptions=True)
        assert first is None
        assert isinstance(second, NoRoom)

    asyncio.run(scenario())


@pytest.mark.parametrize("end", ["raises", "refused", "cancelled"])
def test_a_promise_is_given_back_whatever_happens(room: Room, most_of_it: int, end: str) -> None:
    async def raises() -> None:
        with pytest.raises(KeyError):
            async with room.promised(most_of_it):
                raise KeyError

    async def cancelled() -> None:
        task = asyncio.create_task(promise(room, most_of_it))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def scenario() -> None:
        ends: dict[str, Callable[[], Awaitable[object]]] = {
            "raises": raises,
            "refused": lambda: refused(room, 10**18),
            "cancelled": cancelled,
        }
        await ends[end]()
        await promise(room, most_of_it)

    asyncio.run(scenario())


def test_the_event_loop_goes_on_while_the_disk_does_not_answer(
    room: Room, silent_disk: threading.Event
) -> None:
    async def scenario() -> None:
        asking = asyncio.create_task(promise(room, 1))
        began = time.monotonic()
        await asyncio.sleep(0.01)
        assert time.monotonic() - began < 10
        assert not asking.done()
        silent_disk.set()
        await asking

    asyncio.run(scenario())


@pytest.mark.usefixtures("silent_disk")
def test_a_disk_that_does_not_answer_in_time_is_away(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "PATIENCE_SECONDS", 0.05)
    assert asyncio.run(refused(room, 1, why=StorageAway))


def test_a_disk_that_cannot_be_read_is_away(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Path) -> os.statvfs_result:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    monkeypatch.setattr(os, "statvfs", broken)
    assert asyncio.run(refused(room, 1, why=StorageAway))
