"""Clients that others made get their files through, each in the ways that it has."""

import asyncio
import hashlib
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiotus
import pytest
from tusclient.client import TusClient

from tests.polling import poll
from tests.proxy import Fault, rough_road
from tests.system.house import House
from tests.system.uploader import picture

pytestmark = [pytest.mark.system, pytest.mark.clients]

CLIENTS = Path(__file__).parents[1] / "clients"
SIZE = 1_000_003


@pytest.fixture
def api(house: House) -> str:
    """The address of an API, without the path."""
    house.api()
    return f"http://127.0.0.1:{house.api_port}"


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo é.png"
    path.write_bytes(picture(SIZE, 5))
    return path


def node(script: str, *arguments: object) -> Any:
    """Run a script of tests/clients, and return what it printed."""
    command = ["node", str(CLIENTS / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=CLIENTS)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def whole(house: House, address: str, content: bytes) -> Any:
    """Return the document of an upload that came as it was sent, with one job."""
    with house.client() as client:
        document = client.get("/uploads/" + address.rpartition("/")[2]).json()
    assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert [job["number"] for job in document["jobs"]] == [1]
    return document


MODES = ["whole", "chunks", "together", "stream", "parallel", "override", "abort"]


@pytest.mark.parametrize("mode", MODES)
def test_tus_js_client(house: House, api: str, photo: Path, mode: str) -> None:
    address = node("tus.mjs", f"{api}/uploads", photo, mode)["url"]
    document = whole(house, address, photo.read_bytes())
    assert (document["name"], document["media_type"]) == ("photo é.png", "image/png")
    assert (document["jobs"][0]["to"], document["jobs"][0]["options"]) == ("webp", {"width": 9})


def test_tus_js_client_ends_an_upload(house: House, api: str, photo: Path) -> None:
    address = node("tus.mjs", f"{api}/uploads", photo, "terminate")["url"]
    with house.client() as client:
        assert client.get(address).status_code == 410
    assert list((house.data / "incoming").iterdir()) == []


@pytest.mark.parametrize("kind", ["cut", "reset", "deaf"])
def test_tus_js_client_gets_over_a_bad_network(
    house: House, api: str, photo: Path, kind: str
) -> None:
    assert api
    faults = iter([None, Fault(kind, 300_000), None, Fault(kind, 150_000)])
    with rough_road(house.api_port, lambda: next(faults, None)) as road:
        address = node("tus.mjs", f"http://127.0.0.1:{road.port}/uploads", photo, "whole")["url"]
    whole(house, address, photo.read_bytes())


def test_uppy(house: House, api: str, photo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.png"
    other.write_bytes(picture(SIZE - 7, 6))
    addresses = node("uppy.mjs", f"{api}/uploads", photo, other)
    for path in (photo, other):
        assert whole(house, addresses[path.name], path.read_bytes())["name"] == path.name


def test_tuspy(house: House, api: str, photo: Path) -> None:
    metadata = {"filename": photo.name, "to": "webp"}
    client = TusClient(f"{api}/uploads")
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


def test_aiotus(house: House, api: str, photo: Path) -> None:
    """Its endpoint has to end in a slash."""
    metadata: dict[str, bytes | None] = {
        "filename": photo.name.encode(),
        "to": b"webp",
        "odd": None,
    }

    async def upload() -> tuple[str, str, dict[str, Any]]:
        with photo.open("rb") as file, photo.open("rb") as again:
            one = await aiotus.upload(f"{api}/uploads/", file, metadata)
            two = await aiotus.upload_multiple(f"{api}/uploads/", [file, again], metadata)
        return str(one), str(two), dict(await aiotus.metadata(str(one)) or {})

    with ThreadPoolExecutor(1) as thread:  # a browser's test may have left a loop in this one
        one, two, told = thread.submit(lambda: asyncio.run(upload())).result()
    content = photo.read_bytes()
    assert told == metadata
    assert whole(house, one, content)["name"] == photo.name
    assert whole(house, two, content + content)["jobs"][0]["to"] == "webp"


@pytest.mark.parametrize("size", [0, 1, 2])
def test_small_files_end_one_way_or_another(
    house: House, api: str, tmp_path: Path, size: int
) -> None:
    small = tmp_path / "small.txt"
    small.write_bytes(b"ab"[:size])
    done = subprocess.run(
        ["node", CLIENTS / "tus.mjs", f"{api}/uploads", small, "whole"],
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
