"""API and worker are led to a standby: what it cannot do is said at once, until it is promoted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chaos import cargo
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.postgres.standby import Standby
from tests.system.checker import faults
from tests.system.house import FEW, House, house_on

pytestmark = pytest.mark.system

MIB = 1024**2
MORE = 200


@pytest.fixture(scope="module")
def primary() -> Iterator[Server]:
    server = migrated(Server(VERSIONS["18"], wal_level="replica"))
    yield server
    server.stop()


@pytest.fixture
def house(primary: Server, tmp_path: Path) -> Iterator[House]:
    with house_on(primary, tmp_path, **FEW) as house:
        yield house


def test_a_standby_refuses_at_once_and_all_goes_on_when_it_is_promoted(
    house: House, primary: Server
) -> None:
    upload = house.upload(seconds=0.1)
    standby = Standby(primary)
    try:
        moved = {"DATABASE_URL": standby.url(house.url.rpartition("/")[2])}
        worker = house.start_worker(**moved)
        house.api(**moved)
        poll(lambda: worker.lines("database.away"), seconds=60, why=worker.log.read_text)
        with house.client() as client:
            _refuses(client, upload=f"/uploads/{upload}")
            standby.promote()
            poll(lambda: client.get("/readyz").status_code == 200)
            poll(lambda: client.get(f"/uploads/{upload}").json()["status"] == "ready")
            sent = client.put("/uploads/a.png?to=bmp&wait=30", content=cargo.picture(1))
            assert sent.status_code == 303, sent.text
        assert worker.popen.poll() is None
        there = House(standby, moved["DATABASE_URL"], house.folder)
        assert there.moves(upload) == ["enqueue", "claim", "succeed"]
        assert faults(there) == []
    finally:
        house.end()
        standby.stop()


def _refuses(client: httpx.Client, *, upload: str) -> None:
    """See that what only reads is answered, and everything else before any body is read."""
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
    assert ready.json()["checks"]["database"] == {
        "ok": False,
        "detail": "The database is a standby, or read-only.",
    }
    assert client.get(upload).json()["status"] == "converting"
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(MORE):
            sent += 1
            yield bytes(MIB)

    tus = {"Tus-Resumable": "1.0.0", "Upload-Length": "10"}
    changes: list[tuple[str, str, dict[str, Any]]] = [
        ("PUT", "/uploads/a.png?to=bmp", {"content": body()}),
        ("POST", "/uploads?name=a.png&to=bmp", {"content": body()}),
        ("POST", "/uploads", {"files": {"file": ("a.png", cargo.picture(1))}}),
        ("POST", "/uploads", {"headers": tus}),
        ("POST", f"{upload}/jobs/1/cancel", {}),
        ("DELETE", upload, {}),
    ]
    for method, path, options in changes:
        answer = client.request(method, path, **options)
        assert (answer.status_code, answer.json()["code"]) == (503, "database_read_only"), path
        assert answer.headers["retry-after"] == "2"
    assert sent < MORE / 2
