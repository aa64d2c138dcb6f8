"""What a resumable upload is made of: the locked file, its digest, a turn, and the batches."""

import asyncio
import errno
import fcntl
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.ingest.dock import Dock
from app.ingest.limits import Limits
from app.ingest.refusals import ClientGone, NoRoom
from app.ingest.resumable.appending import BeyondLength, append
from app.ingest.resumable.part import LockedPart, Unsynced, lock, make
from app.ingest.resumable.turn import Reason, Released, Turn
from app.ingest.resumable.turns import Turns
from app.ingest.running import RunningDigest
from app.storage import DiskStorage
from tests.app.ingest.direct import request

MIB = 1024**2


@pytest.fixture
def storage(tmp_path: Path) -> DiskStorage:
    storage = DiskStorage(tmp_path, reserve=0)
    storage.claim_house(uuid4(), may_create=True)
    return storage


@pytest.fixture
def dock(storage: DiskStorage) -> Iterator[Dock]:
    dock = Dock(storage, limits=Limits(max_bytes=64 * MIB))
    yield dock
    dock.close()


@pytest.fixture
def path(storage: DiskStorage) -> Path:
    path = storage.incoming(uuid4())
    make(path)
    return path


@pytest.fixture
def part(storage: DiskStorage, path: Path) -> Iterator[LockedPart]:
    part = lock([path], storage=storage)
    assert part is not None
    yield part
    part.close()


def digest() -> RunningDigest:
    return RunningDigest(hashlib.sha256())


def run(
    dock: Dock, part: LockedPart, pieces: list[bytes], *, most: int = 64 * MIB, ends: bool = True
) -> Turn:
    turn = Turn(uuid4(), part, digest(), came=0.0)
    asked = request(pieces, ends=ends)
    asyncio.run(append(asked, turn, dock=dock, most=most, is_open=False, on_head=lambda _: None))
    return turn


def short_writes(most: int, then: int) -> Callable[..., int]:
    """Let `most` bytes through, in small steps, then fail once: somebody made room meanwhile."""
    write, left = os.pwritev, [most]

    def pwritev(descriptor: int, pieces: list[Any], offset: int) -> int:
        if not left[0]:
            left[0] = 10**9
            raise OSError(then, os.strerror(then))
        taken = write(descriptor, [memoryview(pieces[0])[: min(left[0], 1000)]], offset)
        left[0] -= taken
        return taken

    return pwritev


async def has_begun(turn: Turn) -> None:
    for _ in range(10_000):
        if turn._reading is not None:
            return
        await asyncio.sleep(0.001)


def test_one_at_a_time_has_the_file(storage: DiskStorage, path: Path) -> None:
    first = lock([path], storage=storage)
    assert first is not None
    assert lock([path], storage=storage) is None
    first.close()
    second = lock([path], storage=storage)
    assert second is not None
    second.close()


def test_a_file_under_its_lasting_name_is_found(storage: DiskStorage, path: Path) -> None:
    nowhere = path.with_name("nowhere")
    part = lock([nowhere, path], storage=storage)
    assert part is not None
    assert part.path == path
    part.close()
    with pytest.raises(FileNotFoundError):
        lock([nowhere], storage=storage)


def test_a_file_that_is_renamed_before_we_have_it_is_not_had(
    storage: DiskStorage, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def rename_first(descriptor: int, operation: int) -> None:
        path.rename(path.with_name("elsewhere"))
        make(path)
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", rename_first)
    with pytest.raises(FileNotFoundError):
        lock([path], storage=storage)


def test_a_link_is_not_followed(storage: DiskStorage, tmp_path: Path, path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(OSError, match="symbolic"):
        lock([link], storage=storage)


def test_the_digest_is_that_of_the_file_whoever_wrote_how_much(
    storage: DiskStorage, path: Path
) -> None:
    content = os.urandom(20 * MIB)
    path.write_bytes(content[: 18 * MIB])
    part = lock([path], storage=storage)
    assert part is not None
    running = digest()
    part.append([content[18 * MIB : 19 * MIB]], running)
    assert running.position == 8 * MIB  # a little with each batch, so that the end is near
    part.append([content[19 * MIB :]], running)
    assert part.finish(running)[0] == hashlib.sha256(content).hexdigest()
    part.close()


def test_a_file_that_has_shrunk_is_no_file(part: LockedPart) -> None:
    part.append([b"x" * 100], digest())
    os.truncate(part.path, 50)
    with pytest.raises(OSError, match="shorter"):
        part.finish(digest())


def test_a_file_is_not_closed_while_a_thread_writes_to_it(
    storage: DiskStorage, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = lock([path], storage=storage)
    assert part is not None
    write, begun, go_on = os.pwritev, threading.Event(), threading.Event()

    def slow(*given: Any) -> int:
        begun.set()
        go_on.wait(60)
        return write(*given)

    monkeypatch.setattr(os, "pwritev", slow)
    writing = threading.Thread(target=part.append, args=([b"x" * 10], digest()))
    closing = threading.Thread(target=part.close)
    writing.start()
    begun.wait(60)
    closing.start()
    closing.join(0.1)
    assert closing.is_alive()
    go_on.set()
    writing.join()
    closing.join()
    assert path.read_bytes() == b"x" * 10
    with pytest.raises(OSError, match="Bad file descriptor"):
        part.append([b"y"], digest())


def test_a_finished_file_is_as_old_as_its_end(part: LockedPart) -> None:
    part.append([b"x"], digest())
    os.utime(part.path, (0, 0))
    part.finish(digest())
    assert part.path.stat().st_mtime == pytest.approx(time.time(), abs=60)


def failing_syncs(*reasons: int) -> Callable[[int], None]:
    """Fail so often, each time with the next errno; then sync as ever."""
    fsync, left = os.fsync, list(reasons)

    def sync(descriptor: int) -> None:
        if left:
            reason = left.pop(0)
            raise OSError(reason, os.strerror(reason))
        fsync(descriptor)

    return sync


def test_a_failed_sync_is_told_apart_from_a_full_disk(
    part: LockedPart, monkeypatch: pytest.MonkeyPatch
) -> None:
    part.append([b"x"], digest())
    monkeypatch.setattr(os, "fsync", failing_syncs(errno.EIO))
    with pytest.raises(Unsynced):
        part.sync()


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_is_found_full_by_the_sync_keeps_what_was_synced_before(
    dock: Dock, part: LockedPart, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    part.append([b"x" * 1000], digest())
    part.sync()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing_syncs(reason))
        with pytest.raises(NoRoom):
            run(dock, part, [b"y" * 500])
    assert part.size == 1000
    assert part.path.read_bytes() == b"x" * 1000
    turn = run(dock, part, [b"z" * 500])
    assert part.path.read_bytes() == b"x" * 1000 + b"z" * 500
    assert part.finish(turn.digest)[0] == hashlib.sha256(b"x" * 1000 + b"z" * 500).hexdigest()


def test_what_cannot_even_be_cut_off_is_lost(
    part: LockedPart, monkeypatch: pytest.MonkeyPatch
) -> None:
    part.append([b"x"], digest())
    monkeypatch.setattr(os, "fsync", failing_syncs(errno.ENOSPC, errno.EIO))
    with pytest.raises(Unsynced):
        part.sync()


@pytest.mark.parametrize("reason", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("then", ["append", "finish"])
def test_what_a_killed_process_left_is_synced_before_anything_builds_on_it(
    storage: DiskStorage, path: Path, monkeypatch: pytest.MonkeyPatch, then: str, reason: int
) -> None:
    path.write_bytes(b"x" * 1000)
    part = lock([path], storage=storage)
    assert part is not None
    monkeypatch.setattr(os, "fsync", failing_syncs(reason))
    with pytest.raises(Unsynced):
        part.append([b"y"], digest()) if then == "append" else part.finish(digest())
    part.close()
    assert path.read_bytes() == b"x" * 1000


def test_the_digest_of_what_was_cut_off_is_not_gone_on_with(
    dock: Dock, storage: DiskStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload_id = uuid4()
    make(storage.incoming(upload_id))

    async def all_go_on(turns: Any) -> Any:
        return set(turns)

    async def scenario() -> None:
        turns = Turns(dock, call=all_go_on, beat=all_go_on)
        async with turns.take(upload_id, came=time.monotonic()) as turn:
            turn.part.append([b"x" * 500], turn.digest)
            monkeypatch.setattr(os, "fsync", failing_syncs(errno.ENOSPC))
            with pytest.raises(NoRoom):
                turn.part.sync()
        assert turns.digest_of(upload_id) is None
        async with turns.take(upload_id, came=time.monotonic()) as turn:
            turn.part.append([b"y" * 600], turn.digest)
            assert turn.part.finish(turn.digest)[0] == hashlib.sha256(b"y" * 600).hexdigest()

    asyncio.run(scenario())


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EDQUOT])
def test_a_file_that_cannot_be_made_to_last_is_not_made(
    storage: DiskStorage, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    monkeypatch.setattr(os, "fsync", failing_syncs(reason))
    path = storage.incoming(uuid4())
    with pytest.raises(NoRoom):
        make(path)
    assert not path.exists()


def test_a_disk_that_fills_up_in_a_batch_leaves_what_it_took(
    dock: Dock, part: LockedPart, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = os.urandom(3 * MIB)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwritev", short_writes(MIB + 5000, errno.ENOSPC))
        with pytest.raises(NoRoom):
            run(dock, part, [content[start : start + MIB] for start in range(0, 3 * MIB, MIB)])
    assert part.size == MIB + 5000
    assert part.path.read_bytes() == content[: part.size]
    turn = run(dock, part, [content[part.size :]])
    assert part.finish(turn.digest)[0] == hashlib.sha256(content).hexdigest()


def test_a_body_is_written_past_no_end(dock: Dock, part: LockedPart) -> None:
    with pytest.raises(BeyondLength):
        run(dock, part, [b"a" * 60, b"b" * 60], most=100)
    assert part.path.read_bytes() == b"a" * 60 + b"b" * 40


def test_all_that_came_is_kept_when_the_turn_ends(dock: Dock, part: LockedPart) -> None:
    turn = Turn(uuid4(), part, digest(), came=0.0)

    async def interrupt() -> None:
        asked = request([b"x" * 1000, b"y" * 1000], ends=False)
        sending = asyncio.ensure_future(
            append(asked, turn, dock=dock, most=10**6, is_open=False, on_head=lambda _: None)
        )
        await has_begun(turn)
        turn.release(Reason.TAKEN_OVER)
        turn.release(Reason.DELETED)
        with pytest.raises(Released) as ended:
            await sending
        assert ended.value.reason is Reason.TAKEN_OVER

    asyncio.run(interrupt())
    assert part.path.read_bytes() == b"x" * 1000 + b"y" * 1000


def test_what_arrives_in_the_very_moment_of_the_end_is_kept(dock: Dock, part: LockedPart) -> None:
    """The server has it, and the one who reads is stopped before it was handed over."""
    turn = Turn(uuid4(), part, digest(), came=0.0)

    async def interrupt() -> None:
        arrived, body = asyncio.Event(), bytearray()

        async def receive() -> Any:  # as uvicorn does it
            await arrived.wait()
            arrived.clear()
            piece = bytes(body)
            body.clear()
            return {"type": "http.request", "body": piece, "more_body": True}

        asked = request([], ends=False)
        asked._receive = receive
        sending = asyncio.ensure_future(
            append(asked, turn, dock=dock, most=10**6, is_open=False, on_head=lambda _: None)
        )
        await has_begun(turn)
        turn.release(Reason.TAKEN_OVER)
        body.extend(b"x" * 1000)
        arrived.set()
        with pytest.raises(Released):
            await sending

    asyncio.run(interrupt())
    assert part.path.read_bytes() == b"x" * 1000


def test_a_turn_that_was_ended_reads_nothing_more(dock: Dock, part: LockedPart) -> None:
    turn = Turn(uuid4(), part, digest(), came=0.0)
    turn.release(Reason.ENDING)

    async def read() -> None:
        async with turn.reading():
            raise AssertionError("it was read")

    with pytest.raises(Released):
        asyncio.run(read())


def test_a_timeout_of_its_own_is_not_taken_for_the_end_of_the_turn(part: LockedPart) -> None:
    turn = Turn(uuid4(), part, digest(), came=0.0)

    async def read() -> None:
        async with turn.reading():
            raise TimeoutError

    with pytest.raises(TimeoutError):
        asyncio.run(read())


def test_a_request_that_is_cancelled_twice_still_leaves_what_came(
    storage: DiskStorage, part: LockedPart
) -> None:
    """What it has to write stands in a line before a busy thread, and stays there."""
    dock, go_on = Dock(storage, limits=Limits(max_bytes=64 * MIB), threads=1), threading.Event()
    turn = Turn(uuid4(), part, digest(), came=0.0)

    async def cancel() -> None:
        asked = request([b"x" * 1000], ends=False)
        sending = asyncio.ensure_future(
            append(asked, turn, dock=dock, most=10**6, is_open=False, on_head=lambda _: None)
        )
        await has_begun(turn)
        dock.threads.submit(go_on.wait, 60)
        await asyncio.sleep(0)
        for _ in range(2):
            sending.cancel()
            await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await sending

    asyncio.run(cancel())
    go_on.set()
    dock.close()  # waits for its threads
    assert part._safe == 1000
    assert part.path.read_bytes() == b"x" * 1000


def test_a_client_that_is_gone_has_left_its_bytes(dock: Dock, part: LockedPart) -> None:
    asked = request([b"x" * 1000, b""], ends=False)
    receive, told = asked.receive, [False]

    async def then_gone() -> Any:
        message = await receive()
        if message["body"]:
            return message
        told[0] = True
        return {"type": "http.disconnect"}

    asked._receive = then_gone
    turn = Turn(uuid4(), part, digest(), came=0.0)
    with pytest.raises(ClientGone):
        asyncio.run(
            append(asked, turn, dock=dock, most=10**6, is_open=False, on_head=lambda _: None)
        )
    assert told[0]
    assert part.path.read_bytes() == b"x" * 1000


def test_a_new_file_survives_a_power_loss(
    storage: DiskStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    path = storage.incoming(uuid4())
    make(path)
    assert synced == [str(path.parent)]
    with pytest.raises(FileExistsError):
        make(path)
