"""The disk: what was declared is kept free, and a full one costs no byte that had come."""

import errno
import hashlib
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
from sqlalchemy import text

from app.api.resumable import rows
from app.db import Sessions
from app.storage import DiskStorage
from tests.app.api.conftest import PNG, Service
from tests.app.api.resumable.conftest import Tus, answer_of, png
from tests.make import make_upload
from tests.polling import poll

MIB = 1024**2
GIB = 1024**3
Leave = Callable[[int], None]


@contextmanager
def announced(tus: Tus, *, length: int) -> Iterator[socket.socket]:
    """Announce a file that comes in one go, and send nothing of it."""
    url = httpx.URL(tus.service.url)
    with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
        lines = ["PUT /uploads/a.png HTTP/1.1", "Host: here", f"Content-Length: {length}"]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        yield connection


def no_space(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def failing_once(sync: Callable[[int], None]) -> Callable[[int], None]:
    """Find the disk full when an upload's bytes are synced that were not before; then sync."""
    left = [True]

    def fsync(descriptor: int) -> None:
        if left and os.fstat(descriptor).st_size == 3000:
            left.pop()
            no_space(descriptor)
        sync(descriptor)

    return fsync


@pytest.fixture
def leave(service: Service) -> Leave:
    """Make the disk seem to have so many bytes left, and no more.

    Others write and delete on the same disk meanwhile, so what a test asks for next must be
    gigabytes away from what is left.
    """
    storage = service.app.state.parts.storage
    assert isinstance(storage, DiskStorage)

    def leave(size: int) -> None:
        storage._reserve = 0
        storage._reserve = storage.free_bytes() - size

    return leave


def test_what_open_uploads_declared_is_not_given_to_others(tus: Tus, leave: Leave) -> None:
    leave(10 * GIB)
    tus.create(6 * GIB)
    refused = tus.post(Upload_Length=str(6 * GIB))
    assert (refused.status_code, refused.json()["code"]) == (507, "no_room")
    with announced(tus, length=6 * GIB) as connection:
        assert b"507 Insufficient Storage" in answer_of(connection)
    assert tus.post(Upload_Length=str(2 * GIB)).status_code == 201


def test_who_declares_no_length_does_not_take_what_others_were_promised(
    tus: Tus, leave: Leave
) -> None:
    leave(10 * GIB)
    film = tus.create(8 * GIB)
    other = tus.post(Upload_Defer_Length="1").headers["location"]
    leave(4 * GIB)
    deferred = tus.patch(other, iter([png(2 * MIB)]), at=0)
    assert (deferred.status_code, deferred.json()["code"]) == (507, "no_room")
    assert deferred.headers["upload-offset"] == "0"
    declared = tus.patch(other, png(2 * MIB), at=0, Upload_Length=str(2 * MIB))
    assert (declared.status_code, declared.json()["code"]) == (507, "no_room")
    assert tus.head(other).headers["upload-defer-length"] == "1"
    chunked = tus.service.client.put("/uploads/b.png", content=iter([png(2 * MIB)]))
    assert (chunked.status_code, chunked.json()["code"]) == (507, "no_room")
    assert tus.patch(film, png(2 * MIB), at=0).status_code == 204
    tus.delete(film)
    assert tus.patch(other, iter([png(2 * MIB)]), at=0).status_code == 204


def test_what_is_promised_while_a_body_of_no_length_comes_is_left_alone_too(
    tus: Tus, leave: Leave
) -> None:
    def coming() -> Iterator[bytes]:
        yield png(2 * MIB)
        tus.create(8 * GIB)
        leave(4 * GIB)
        yield bytes(20 * MIB)

    leave(10 * GIB)
    chunked = tus.service.client.put("/uploads/b.png", content=coming())
    assert (chunked.status_code, chunked.json()["code"]) == (507, "no_room")


def test_a_length_that_comes_late_is_declared_too(tus: Tus, leave: Leave) -> None:
    leave(6 * GIB)
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    tus.patch(path, png(MIB), at=0)
    assert tus.patch(path, b"", at=MIB, Upload_Length=str(8 * GIB)).status_code == 507
    assert tus.patch(path, b"", at=MIB, Upload_Length=str(4 * GIB)).status_code == 204
    assert tus.post(Upload_Length=str(4 * GIB)).status_code == 507


def test_a_length_that_comes_late_leaves_room_for_what_comes_in_one_go(
    tus: Tus, leave: Leave
) -> None:
    leave(6 * GIB)
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    with announced(tus, length=4 * GIB):
        poll(lambda: tus.service.app.state.parts.dock.room.owed >= 4 * GIB)
        assert tus.patch(path, b"", at=0, Upload_Length=str(4 * GIB)).status_code == 507
    poll(lambda: tus.service.app.state.parts.dock.room.owed == 0)
    assert tus.patch(path, b"", at=0, Upload_Length=str(4 * GIB)).status_code == 204


def test_an_upload_that_has_come_may_end_however_little_room_is_left(
    tus: Tus, leave: Leave
) -> None:
    tus.create(8 * GIB)
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    tus.patch(path, PNG, at=0)
    leave(GIB)
    assert tus.patch(path, b"", at=len(PNG), Upload_Length=str(len(PNG))).status_code == 204
    assert tus.service.document(path)["status"] == "converting"


def test_two_processes_that_create_at_once_do_not_promise_the_same_room(
    tus: Tus, leave: Leave
) -> None:
    """Each has looked at the rows before the other's is there."""
    leave(10 * GIB)
    sessions = tus.service.sessions
    with ThreadPoolExecutor(1) as clients:
        with sessions.begin() as other:
            make_upload(other, size=6 * GIB, received=0, completed_at=None)
            assert rows.reserve_within(other, 10 * GIB) == 6 * GIB
            creating = clients.submit(tus.post, Upload_Length=str(6 * GIB))
            poll(lambda: waits_for_a_lock(sessions))
        assert creating.result().status_code == 507
    assert list((tus.service.settings.data / "incoming").iterdir()) == []
    assert tus.post(Upload_Length=str(2 * GIB)).status_code == 201


def waits_for_a_lock(sessions: Sessions) -> bool:
    waiting = text("""
        SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
    """)
    with sessions() as session:
        return bool(session.scalar(waiting))


def test_what_was_deleted_or_refused_is_free_again(tus: Tus, leave: Leave) -> None:
    leave(10 * GIB)
    tus.delete(tus.create(6 * GIB))
    path = tus.create(6 * GIB)
    assert tus.patch(path, b"\x7fELF\x02\x01\x01".ljust(2 * MIB, b"\0"), at=0).status_code == 415
    assert tus.post(Upload_Length=str(6 * GIB)).status_code == 201


def test_a_refused_creation_leaves_nothing(tus: Tus, leave: Leave) -> None:
    leave(MIB)
    assert tus.post(Upload_Length=str(6 * GIB)).status_code == 507
    assert list((tus.service.settings.data / "incoming").iterdir()) == []


def test_a_disk_that_fills_up_is_507_and_when_there_is_room_it_goes_on(
    tus: Tus, leave: Leave
) -> None:
    content = png(8 * MIB)
    path = tus.create(len(content))
    assert tus.patch(path, content[: 2 * MIB], at=0).status_code == 204
    leave(-GIB)
    early = tus.patch(path, content[2 * MIB :], at=2 * MIB)
    assert (early.status_code, early.json()["code"]) == (507, "no_room")
    assert early.headers["upload-offset"] == str(2 * MIB)

    def filling() -> object:
        yield content[2 * MIB : 4 * MIB]
        leave(-GIB)
        yield content[4 * MIB :]

    leave(GIB)
    answer = tus.patch(path, filling(), at=2 * MIB)
    assert (answer.status_code, answer.json()["code"]) == (507, "no_room")
    offset = int(answer.headers["upload-offset"])
    assert 2 * MIB <= offset < len(content)
    assert tus.file(path).read_bytes() == content[:offset]
    leave(GIB)
    assert tus.offset(path) == offset
    assert tus.patch(path, content[offset:], at=offset).status_code == 204
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_creation_on_a_disk_that_is_gone_or_full_is_told_so(
    tus: Tus, monkeypatch: pytest.MonkeyPatch
) -> None:
    incoming = tus.service.settings.data / "incoming"
    incoming.rmdir()
    gone = tus.post(Upload_Length="100")
    assert (gone.status_code, gone.json()["code"]) == (503, "storage_away")
    incoming.mkdir()
    monkeypatch.setattr(os, "fsync", no_space)
    full = tus.post(Upload_Length="100")
    assert (full.status_code, full.json()["code"]) == (507, "no_room")
    assert list(incoming.iterdir()) == []


def test_a_disk_that_is_found_full_by_the_sync_is_507_with_what_is_safe(
    tus: Tus, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = png(3000)
    path = tus.create(len(content))
    tus.patch(path, content[:1000], at=0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing_once(os.fsync))
        full = tus.patch(path, content[1000:], at=1000)
    assert (full.status_code, full.json()["code"]) == (507, "no_room")
    assert full.headers["upload-offset"] == "1000"
    assert tus.service.document(path)["received"] == 1000
    assert tus.offset(path) == 1000
    assert tus.patch(path, content[1000:], at=1000).status_code == 204
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_what_a_killed_process_left_whole_is_not_recorded_unless_it_is_synced(
    tus: Tus, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tus.create(len(PNG))
    tus.file(path).write_bytes(PNG)
    monkeypatch.setattr(os, "fsync", no_space)
    assert tus.head(path).status_code == 410
    assert tus.service.document(path)["error"]["code"] == "upload_lost"


def test_deleting_works_on_a_full_disk(tus: Tus, leave: Leave) -> None:
    path = tus.create(len(PNG))
    tus.patch(path, PNG[:10], at=0)
    leave(-GIB)
    assert tus.delete(path).status_code == 204
    assert not tus.file(path).exists()
