"""The disk: what was declared is kept free, and a full one costs no byte that had come."""

import hashlib
import socket
from collections.abc import Callable

import httpx
import pytest

from app.storage import DiskStorage
from tests.app.api.conftest import PNG, Service
from tests.app.api.resumable.conftest import Tus, answer_of, png

MIB = 1024**2
GIB = 1024**3
Leave = Callable[[int], None]


def put_headers(tus: Tus, *, length: int) -> bytes:
    """Announce a file that comes in one go, send nothing of it, and return the answer."""
    url = httpx.URL(tus.service.url)
    with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
        lines = ["PUT /uploads/a.png HTTP/1.1", "Host: here", f"Content-Length: {length}"]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        return answer_of(connection)


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
    assert b"507 Insufficient Storage" in put_headers(tus, length=6 * GIB)
    assert tus.post(Upload_Length=str(2 * GIB)).status_code == 201


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


def test_deleting_works_on_a_full_disk(tus: Tus, leave: Leave) -> None:
    path = tus.create(len(PNG))
    tus.patch(path, PNG[:10], at=0)
    leave(-GIB)
    assert tus.delete(path).status_code == 204
    assert not tus.file(path).exists()
