"""Clients that others made get their files through, each in the ways that it has."""

import asyncio
import hashlib
import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import aiotus
import pytest
from tusclient.client import TusClient

from tests.clients.senders import HERE, SENDERS, Sender, node
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.proxy import Fault, rough_road
from tests.system.house import FEW, House, house_on
from tests.system.uploader import picture

pytestmark = [pytest.mark.system, pytest.mark.clients]

SIZE = 1_000_003
# How often each comes over one upload. Who is stalled, or not answered, waits for the server to
# give up, which takes it one second and five.
FAULTS = {
    "cut": 2,
    "reset": 2,
    "vanish": 2,
    "half-close": 2,
    "throttle": 1,
    "stall": 1,
    "deaf": 1,
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One API, impatient with who sends nothing, for all tests here: they kill nothing."""
    server = migrated(Server(VERSIONS["18"]))
    impatient = {"ROWMILL_BODY_TIMEOUT_SECONDS": "1"}
    try:
        with house_on(server, tmp_path_factory.mktemp("house"), **FEW, **impatient) as house:
            house.api()
            yield house
    finally:
        server.stop()


@pytest.fixture
def endpoint(house: House) -> str:
    return f"http://127.0.0.1:{house.api_port}/uploads"


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo é.png"
    path.write_bytes(picture(SIZE, 5))
    return path


def whole(house: House, address: str, content: bytes) -> Any:
    """Return the document of an upload that came as it was sent, with one job."""
    with house.client() as client:
        document = client.get("/uploads/" + address.rpartition("/")[2]).json()
    assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert [job["number"] for job in document["jobs"]] == [1]
    return document


@pytest.mark.parametrize("kind", FAULTS)
def test_every_client_gets_over_a_bad_network(house: House, photo: Path, kind: str) -> None:
    def send(sender: Sender) -> str:
        def next_fault() -> Fault | None:
            return Fault(kind, 150_000) if road.met[kind] < FAULTS[kind] else None

        with rough_road(house.api_port, next_fault) as road:
            address = sender(f"http://127.0.0.1:{road.port}/uploads", photo)
            assert road.met[kind] >= FAULTS[kind]
            assert not road.met["endless"]
        return address

    before = house.count()
    with ThreadPoolExecutor(len(SENDERS)) as senders:
        addresses = list(senders.map(send, SENDERS))
    for address in addresses:
        whole(house, address, photo.read_bytes())
    assert house.count() == before + len(SENDERS)  # whoever lost an answer sent nothing twice
    assert "Traceback" not in house.logs()


MODES = ["whole", "chunks", "together", "stream", "parallel", "override", "abort"]


@pytest.mark.parametrize("mode", MODES)
def test_tus_js_client(house: House, endpoint: str, photo: Path, mode: str) -> None:
    address = node("tus.mjs", endpoint, photo, mode)["url"]
    document = whole(house, address, photo.read_bytes())
    assert (document["name"], document["media_type"]) == ("photo é.png", "image/png")
    assert (document["jobs"][0]["to"], document["jobs"][0]["options"]) == ("webp", {"width": 9})


def test_tus_js_client_ends_an_upload(house: House, endpoint: str, photo: Path) -> None:
    address = node("tus.mjs", endpoint, photo, "terminate")["url"]
    with house.client() as client:
        assert client.get(address).status_code == 410
    assert not house.storage.incoming(UUID(address.rpartition("/")[2])).exists()


def test_uppy(house: House, endpoint: str, photo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.png"
    other.write_bytes(picture(SIZE - 7, 6))
    addresses = node("uppy.mjs", endpoint, photo, other)
    for path in (photo, other):
        assert whole(house, addresses[path.name], path.read_bytes())["name"] == path.name


def test_tuspy(house: House, endpoint: str, photo: Path) -> None:
    metadata = {"filename": photo.name, "to": "webp"}
    client = TusClient(endpoint)
    with photo.open("rb") as file:
        at_once = client.uploader(file_stream=file, metadata=metadata)
        at_once.upload()
        begun = client.uploader(file_stream=file, chunk_size=100_000, metadata=metadata)
        begun.upload(stop_at=300_000)
        resumed = client.uploader(file_stream=file, url=begun.url, chunk_size=100_000)
        assert resumed.offset == 300_000
        resumed.upload()
    for uploader in (at_once, resumed):
        assert whole(house, str(uploader.url), photo.read_bytes())["name"] == photo.name


def test_aiotus(house: House, endpoint: str, photo: Path) -> None:
    """Its endpoint has to end in a slash."""
    metadata: dict[str, bytes | None] = {
        "filename": photo.name.encode(),
        "to": b"webp",
        "odd": None,
    }

    async def upload() -> tuple[str, str, dict[str, Any]]:
        with photo.open("rb") as file, photo.open("rb") as again:
            one = await aiotus.upload(f"{endpoint}/", file, metadata)
            two = await aiotus.upload_multiple(f"{endpoint}/", [file, again], metadata)
        return str(one), str(two), dict(await aiotus.metadata(str(one)) or {})

    with ThreadPoolExecutor(1) as thread:  # a browser's test may have left a loop in this one
        one, two, told = thread.submit(lambda: asyncio.run(upload())).result()
    content = photo.read_bytes()
    assert told == metadata
    assert whole(house, one, content)["name"] == photo.name
    assert whole(house, two, content + content)["jobs"][0]["to"] == "webp"


@pytest.mark.parametrize("size", [0, 1, 2])
def test_small_files_end_one_way_or_another(
    house: House, endpoint: str, tmp_path: Path, size: int
) -> None:
    small = tmp_path / "small.txt"
    small.write_bytes(b"ab"[:size])
    done = subprocess.run(
        ["node", HERE / "tus.mjs", endpoint, small, "whole"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if size == 0:
        assert "empty_file" in done.stderr
        return
    address = json.loads(done.stdout)["url"]
    with house.client() as client:
        poll(lambda: client.get(address).json()["status"] in {"failed", "converting"})
