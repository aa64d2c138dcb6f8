"""What the writer keeps when something goes wrong: the whole file, or nothing at all."""

import asyncio
import errno
import hashlib
import os
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import wait
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import pytest

from app.ingest.dock import Dock
from app.ingest.limits import Limits
from app.ingest.part import MOST_PIECES, PartFile, write_at
from app.ingest.raw import receive_raw
from app.ingest.received import Glimpse, Received
from app.ingest.refusals import NoRoom
from app.ingest.running import RunningDigest
from app.ingest.writer import BATCH_PIECES, Writer
from app.storage import DiskStorage
from tests.app.ingest.direct import request
from tests.app.ingest.lab import MIB, eventually, open_files_in


class HeldDigest:
    """A digest that lets some pieces pass, then keeps the thread at work until it is let go."""

    def __init__(self, *, passing: int = 0) -> None:
        self.passing = passing
        self.reached = threading.Event()
        self.release = threading.Event()

    def update(self, data: bytes | memoryview, /) -> None:
        self.passing -= 1
        if self.passing < 0:
            self.reached.set()
            assert self.release.wait(60)

    def hexdigest(self) -> str:
        return ""

    def copy(self) -> Self:
        return self


@pytest.fixture
def storage(tmp_path: Path) -> DiskStorage:
    storage = DiskStorage(tmp_path, reserve=0)
    storage.claim_house(uuid4(), may_create=True)
    return storage


@pytest.fixture
def threads() -> int:
    return 8


@pytest.fixture
def dock(storage: DiskStorage, threads: int) -> Iterator[Dock]:
    dock = Dock(storage, limits=Limits(max_bytes=64 * MIB), threads=threads)
    yield dock
    dock.close()


def leftovers(storage: DiskStorage) -> list[str]:
    folder = storage.root / "incoming"
    return [path.name for path in folder.iterdir()] + open_files_in(folder)


def receive(dock: Dock, *pieces: bytes) -> Received:
    return asyncio.run(receive_raw(request(pieces), dock=dock, name="a.png"))


async def run_until(
    work: Coroutine[Any, Any, Received], reached: threading.Event
) -> asyncio.Task[Received]:
    task = asyncio.create_task(work)
    assert await asyncio.to_thread(reached.wait, 60)
    return task


def fail_with(number: int) -> Callable[..., int]:
    def fail(*_: Any) -> int:
        raise OSError(number, os.strerror(number))

    return fail


async def cancel_at_work(dock: Dock, held: HeldDigest) -> asyncio.Task[Received]:
    """Cancel an upload, as often as somebody insists, while its thread is at work."""
    dock.digest = lambda: held
    body = request([bytes(2 * MIB)], ends=False)
    task = await run_until(receive_raw(body, dock=dock, name="a.png"), held.reached)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    return task


@pytest.mark.parametrize("threads", [2])  # one is held, so the other does the rest in order
def test_a_file_is_not_closed_while_a_thread_writes_to_it(storage: DiskStorage, dock: Dock) -> None:
    held = HeldDigest()

    async def scenario() -> None:
        task = await cancel_at_work(dock, held)
        after_closing = dock.threads.submit(int)
        wait([after_closing], timeout=0.3)
        assert open_files_in(storage.root / "incoming")
        held.release.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    eventually(lambda: leftovers(storage) == [])


def test_an_upload_that_is_cancelled_while_its_whole_file_is_closed_leaves_no_trace(
    storage: DiskStorage, dock: Dock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, reached, release = os.close, threading.Event(), threading.Event()

    def held(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink().suffix == ".part":
            reached.set()
            assert release.wait(60)
        real(descriptor)

    async def scenario() -> None:
        task = await run_until(receive_raw(request([b"hello"]), dock=dock, name="a.png"), reached)
        task.cancel()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    monkeypatch.setattr(os, "close", held)
    asyncio.run(scenario())
    eventually(lambda: leftovers(storage) == [])


@pytest.mark.parametrize("threads", [1])  # it is held, so the cleaning has to stand in line
def test_an_upload_that_is_cancelled_twice_is_still_cleaned_up(
    storage: DiskStorage, dock: Dock
) -> None:
    held = HeldDigest()

    async def scenario() -> None:
        task = await cancel_at_work(dock, held)
        with pytest.raises(asyncio.CancelledError):
            await task
        held.release.set()

    asyncio.run(scenario())
    eventually(lambda: leftovers(storage) == [])


def test_a_batch_is_written_while_the_next_one_comes_and_never_two_at_once(
    storage: DiskStorage, dock: Dock
) -> None:
    held = HeldDigest(passing=1)
    dock.digest = lambda: held
    asked = 0

    async def scenario() -> None:
        nonlocal asked
        body = request([bytes(MIB)] * 10)
        deliver = body._receive

        async def counted() -> Any:
            nonlocal asked
            asked += 1
            return await deliver()

        body._receive = counted
        task = await run_until(receive_raw(body, dock=dock, name="a.png"), held.reached)
        for _ in range(100):
            await asyncio.sleep(0)
        in_memory = asked
        held.release.set()
        await task
        assert in_memory <= 4  # one is written, one is being written, two wait

    asyncio.run(scenario())
    assert asked == 10


def test_a_full_disk_is_no_room_and_leaves_no_trace(
    storage: DiskStorage, dock: Dock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pwritev

    def full_after_the_first(descriptor: int, pieces: Sequence[bytes], offset: int) -> int:
        if offset > 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, pieces, offset)

    monkeypatch.setattr(os, "pwritev", full_after_the_first)
    with pytest.raises(NoRoom):
        receive(dock, *[bytes(MIB)] * 5)
    assert leftovers(storage) == []


def test_a_disk_that_turns_out_full_when_synced_is_no_room(
    storage: DiskStorage, dock: Dock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", fail_with(errno.ENOSPC))
    with pytest.raises(NoRoom):
        receive(dock, b"hello")
    assert leftovers(storage) == []


def test_a_failed_sync_is_final(
    storage: DiskStorage, dock: Dock, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def broken(descriptor: int) -> None:
        calls.append(descriptor)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output error"):
        receive(dock, b"hello")
    assert len(calls) == 1
    assert leftovers(storage) == []


def test_a_received_file_was_synced_after_its_last_byte(
    storage: DiskStorage, dock: Dock, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def record(name: str) -> None:
        real = getattr(os, name)

        def recorded(*args: Any) -> Any:
            calls.append(name)
            return real(*args)

        monkeypatch.setattr(os, name, recorded)

    record("pwritev")
    record("fsync")
    receive(dock, bytes(3 * MIB), b"end")
    assert calls[-2:] == ["pwritev", "fsync"]
    assert calls.count("fsync") == 1


def test_a_kernel_that_takes_a_part_of_each_write_gets_the_rest_again(
    storage: DiskStorage, dock: Dock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pwritev

    def partial(descriptor: int, pieces: Sequence[bytes], offset: int) -> int:
        return real(descriptor, [b"".join(pieces)[:70_001]], offset)

    monkeypatch.setattr(os, "pwritev", partial)
    content = os.urandom(3 * MIB)
    received = receive(dock, content[:MIB], content[MIB : MIB + 5], content[MIB + 5 :])
    assert received.part.read_bytes() == content
    assert received.sha256 == hashlib.sha256(content).hexdigest()


def test_more_pieces_than_one_call_takes_are_all_written(
    storage: DiskStorage, tmp_path: Path
) -> None:
    pieces = [bytes([number % 256]) for number in range(3 * MOST_PIECES + 1)]
    part = PartFile(tmp_path / "part", storage=storage, digest=RunningDigest(hashlib.sha256()))
    part.append(pieces)
    part.finish()
    assert (tmp_path / "part").read_bytes() == b"".join(pieces)


def test_writing_nothing_is_no_error(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as stream:
        assert write_at(stream.fileno(), [], 0) == 0


def test_an_early_look_does_not_take_what_has_come_for_the_whole_file(dock: Dock) -> None:
    seen: list[Glimpse] = []
    content = b"[" + b'"word",' * (2 * MIB // 7) + b"1]"
    body = request([content[:MIB], content[MIB:]])
    asyncio.run(receive_raw(body, dock=dock, name="a.json", gate=seen.append))
    assert [glimpse.format for glimpse in seen] == ["json"]


def test_single_bytes_do_not_pile_up_in_memory(dock: Dock) -> None:
    async def scenario() -> int:
        async with (
            dock.room.promised(None) as promise,
            Writer(dock, promise=promise, on_head=lambda _: None) as writer,
        ):
            most = 0
            for _ in range(5 * BATCH_PIECES):
                writer.add(b".")
                await writer.hand_over_if_full()
                most = max(most, len(writer._batch))
        return most

    assert asyncio.run(scenario()) < BATCH_PIECES


def test_a_file_that_exists_already_is_never_written_over(
    storage: DiskStorage, tmp_path: Path
) -> None:
    (tmp_path / "part").write_bytes(b"somebody else's")
    part = PartFile(tmp_path / "part", storage=storage, digest=RunningDigest(hashlib.sha256()))
    with pytest.raises(FileExistsError):
        part.append([b"mine"])
    part.discard()
    assert (tmp_path / "part").read_bytes() == b"somebody else's"
