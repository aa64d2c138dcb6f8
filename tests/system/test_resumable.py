"""Resumable uploads of real processes: killed at any moment, on a bad network, taken over."""

import os
import random
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import select

from app.models import Upload
from tests.polling import poll
from tests.proxy import Fault, rough_road
from tests.system.house import House, Process
from tests.system.uploader import PIECES, Uploader, picture

pytestmark = pytest.mark.system

# In rounds, each of another seed: more of them take longer, no test does.
KILLS = int(os.environ.get("RESUMABLE_KILLS", "10"))
KILLS_A_ROUND = 10
UPLOADS = int(os.environ.get("RESUMABLE_UPLOADS", "100"))
UPLOADS_A_ROUND = 100
MIB = 1024**2
# What is under way when the API is killed: how much, and the pause between two steps of it.
TRANSFERS = ((5 * MIB, 0.002), (3 * MIB, 0.004), (2 * MIB, 0.006), (700_000, 0.02), (300_000, 0))


def url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def whole(house: House, *uploaders: Uploader) -> None:
    """Fail unless each came whole: the same bytes, and one job."""
    with house.client() as client:
        for uploader in uploaders:
            document = client.get(uploader.path).json()
            assert document["sha256"] == uploader.sha256
            assert document["received"] == document["size"] == len(uploader.content)
            assert [job["number"] for job in document["jobs"]] == [1]


def on_disk(house: House, uploader: Uploader) -> int:
    """Return how many bytes have come, as the length of the file says, which moves at the end."""
    try:
        return house.storage.incoming(UUID(uploader.path.rpartition("/")[2])).stat().st_size
    except FileNotFoundError:
        return len(uploader.content)


def epoch(house: House, uploader: Uploader) -> int:
    """Return how often the process that writes was asked to let go."""
    upload_id = UUID(uploader.path.rpartition("/")[2])
    with house.sessions() as session:
        return session.scalars(select(Upload.writer_epoch).where(Upload.id == upload_id)).one()


def send_and_kill(house: House, api: Process, uploaders: list[Uploader], *, part: float) -> None:
    """Send all at once, and kill the API as soon as this part of their bytes has come."""
    for uploader in uploaders:
        uploader.create()
    enough = part * sum(len(uploader.content) for uploader in uploaders)
    with ThreadPoolExecutor(len(uploaders)) as clients:
        for uploader in uploaders:
            clients.submit(uploader.send, 0)
        poll(lambda: sum(on_disk(house, uploader) for uploader in uploaders) >= enough)
        api.kill()


def two_apis(house: House) -> tuple[int, int]:
    """Start two API processes on one house; return their ports."""
    ports = []
    for _ in range(2):
        house.api_port = 0
        house.api()
        ports.append(house.api_port)
    return ports[0], ports[1]


def hang(port: int, path: str, content: bytes, length: int) -> socket.socket:
    """Begin a PATCH, send `content` of it, and fall silent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    lines = [
        f"PATCH {path} HTTP/1.1",
        "Host: here",
        "Tus-Resumable: 1.0.0",
        f"Content-Type: {PIECES}",
        "Upload-Offset: 0",
        f"Content-Length: {length}",
    ]
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)
    return connection


@pytest.mark.parametrize("seed", range(KILLS // KILLS_A_ROUND))
def test_the_api_may_be_killed_at_any_moment_of_a_transfer(house: House, seed: int) -> None:
    chance = random.Random(seed)
    stood = []
    api = house.api()
    for _ in range(KILLS_A_ROUND):
        uploaders = [
            Uploader(url(house.api_port), picture(size, chance.random()), timeout=20, pause=pause)
            for size, pause in TRANSFERS
        ]
        send_and_kill(house, api, uploaders, part=chance.random())
        api = house.api()
        for uploader in uploaders:
            uploader.finish()
            stood.append(uploader.offsets[0] / len(uploader.content))
        whole(house, *uploaders)
    assert sum(0 < part < 1 for part in stood) > KILLS_A_ROUND // 2, stood


@pytest.mark.parametrize("seed", range(UPLOADS // UPLOADS_A_ROUND))
def test_every_upload_arrives_whole_over_a_bad_network(house: House, seed: int) -> None:
    house.api()
    chance = random.Random(seed)
    kinds = ["cut", "reset", "vanish", "stall", "throttle", "half-close", "deaf"]

    def next_fault() -> Fault | None:
        if chance.random() < 0.4:
            return None
        return Fault(chance.choice(kinds), chance.choice([100, 20_000, 200_000, 1_500_000]))

    def run(number: int) -> Uploader:
        its = random.Random(f"{seed} {number}")
        size, chunk = its.randint(1_000, 2 * MIB), its.choice([2**62, 400_000])
        uploader = Uploader(url(road.port), picture(size, its.random()), chunk=chunk, timeout=0.7)
        uploader.create()
        uploader.finish()
        return uploader

    with rough_road(house.api_port, next_fault) as road, ThreadPoolExecutor(16) as clients:
        uploaders = list(clients.map(run, range(UPLOADS_A_ROUND)))
    assert set(road.met) == set(kinds)
    assert len({uploader.path for uploader in uploaders}) == UPLOADS_A_ROUND
    whole(house, *uploaders)
    assert house.count() == UPLOADS_A_ROUND
    assert "Traceback" not in house.logs()
    with house.client() as client:
        assert client.get("/readyz").status_code == 200


def test_another_process_takes_over_and_no_byte_is_lost(house: House) -> None:
    first, second = two_apis(house)
    content = picture(500_000, 1)
    uploader = Uploader(url(second), content, timeout=20)
    uploader.create()
    with hang(first, uploader.path, content[:200_000], len(content)) as old:
        with house.client() as client:
            poll(lambda: client.get(uploader.path).json()["received"] == 200_000)
        assert epoch(house, uploader) == 0
        assert uploader.offset() == 200_000
        assert b"upload_interrupted" in until_closed(old)
    # By the beat, and not by a limit of time; asked again only where that takes longer than 1 s.
    assert epoch(house, uploader) >= 1
    uploader.finish()
    whole(house, uploader)


def test_delete_in_another_process_ends_a_transfer(house: House) -> None:
    first, second = two_apis(house)
    content = picture(500_000, 2)
    uploader = Uploader(url(second), content, timeout=20)
    uploader.create()
    hanging = hang(first, uploader.path, content[:200_000], len(content))
    with hanging as old, house.client() as client:
        poll(lambda: client.get(uploader.path).json()["received"] == 200_000)
        assert client.delete(uploader.path).status_code == 204
        assert b"HTTP/1.1 4" in until_closed(old)
        assert client.head(uploader.path).status_code == 410
    assert list((house.data / "incoming").iterdir()) == []


def test_a_process_that_is_told_to_end_lets_its_clients_go_and_keeps_their_bytes(
    house: House,
) -> None:
    api = house.api(ROWMILL_GRACE_SECONDS="60")
    content = picture(500_000, 3)
    uploader = Uploader(url(house.api_port), content, timeout=20)
    uploader.create()
    with hang(house.api_port, uploader.path, content[:200_000], len(content)) as old:
        with house.client() as client:
            poll(lambda: client.get(uploader.path).json()["received"] == 200_000)
        api.send(signal.SIGTERM)
        answer = until_closed(old)
    assert b"503 Service Unavailable" in answer
    assert b"upload-offset: 200000" in answer
    assert api.wait(30) == 0
    house.api()
    assert uploader.offset() == 200_000
    uploader.finish()
    whole(house, uploader)


def test_a_frozen_process_keeps_nobody_for_ever_and_writes_nothing_afterwards(
    house: House,
) -> None:
    """It holds the lock until it is thawed or killed: others are told to come again."""
    first, second = two_apis(house)
    content = picture(500_000, 4)
    uploader = Uploader(url(second), content, timeout=20)
    uploader.create()
    with hang(first, uploader.path, content[:200_000], len(content)) as old:
        with house.client() as client:
            poll(lambda: client.get(uploader.path).json()["received"] == 200_000)
        house.processes[0].send(signal.SIGSTOP)
        with house.client() as client:
            answer = client.head(uploader.path, headers={"Tus-Resumable": "1.0.0"})
        assert (answer.status_code, answer.headers["retry-after"]) == (423, "1")
        old.sendall(content[200_000:300_000])
        house.processes[0].kill()
    uploader.finish()
    assert uploader.offsets[0] == 200_000
    whole(house, uploader)


def until_closed(connection: socket.socket) -> bytes:
    answer = b""
    try:
        while piece := connection.recv(65536):
            answer += piece
    except ConnectionResetError:
        pass
    return answer
