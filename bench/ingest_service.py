"""A whole API with its rows: uploads in pieces, clients that come back, and the event loop."""

import socket
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil

from bench.ingest_measures import (
    MIB,
    Cost,
    Plan,
    Target,
    ask,
    caption,
    line,
    measured,
    median,
    server,
)
from tests import plain
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated

TARGET_RATIO = 1.15
TARGET_HERE, TARGET_ELSEWHERE = 0.2, 1.5
TARGET_DELAY = 0.020
CHUNK = 64 * MIB
TUS = "Tus-Resumable: 1.0.0"
PIECES = "Content-Type: application/offset+octet-stream"
TAKEOVERS = 10


def pieces(plan: Plan) -> Iterator[Target]:
    print(f"A whole API, {plan.size // MIB} MiB, median of {plan.rounds}\n{caption()}")
    seen: dict[str, list[Cost]] = {"POST": [], "PATCH": [], "PATCH of 64 MiB": []}
    with _database() as url, _api(plan, url) as (port, process):
        _post(port, plan, MIB)
        ways = {
            "POST": lambda: _post(port, plan, plan.size),
            "PATCH": lambda: _patch(port, plan, plan.size),
            "PATCH of 64 MiB": lambda: _patch(port, plan, plan.size, step=CHUNK),
        }
        for _ in range(plan.rounds):
            for title, way in ways.items():
                seen[title].append(measured(process, way, size=plan.size))
    for title, costs in seen.items():
        print(line(title, median(costs)))
    print(flush=True)
    ratio = median(seen["PATCH"]).cpu / median(seen["POST"]).cpu
    yield Target(f"PATCH / POST: {ratio:.2f}, at most {TARGET_RATIO}", ratio <= TARGET_RATIO)


def takeover(plan: Plan) -> Iterator[Target]:
    data = plan.folder / "shared"
    data.mkdir()
    with (
        _database() as url,
        _api(plan, url, data) as (first, _),
        _api(plan, url, data) as (second, _),
    ):
        here = [_take_over(first, first) for _ in range(TAKEOVERS)]
        elsewhere = [_take_over(first, second) for _ in range(TAKEOVERS)]
    for title, seconds, most in (
        ("in the same process", here, TARGET_HERE),
        ("in another process", elsewhere, TARGET_ELSEWHERE),
    ):
        middle, worst = statistics.median(seconds), max(seconds)
        yield Target(
            f"takeover {title}: {middle * 1000:.0f} ms, at worst {worst * 1000:.0f}, "
            f"at most {most * 1000:.0f}",
            worst <= most,
        )


def delay(plan: Plan) -> Iterator[Target]:
    size = min(plan.parallel, 256 * MIB)
    with _database() as url, _api(plan, url) as (port, _):
        idle = _delays(port)
        for title, way in (("POST", _post), ("PATCH", _patch)):
            _together(way, port, plan, MIB)  # the first connections are not the question
            _delays(port)
            _together(way, port, plan, size)
            found = _delays(port)
            late = _p99([total for total, _ in found])
            own = _p99([max(0.0, total - waited) for total, waited in found])
            yield Target(
                f"event loop, 8 uploads by {title}: p99 {late * 1000:.1f} ms, at most "
                f"{TARGET_DELAY * 1000:.0f}; {own * 1000:.1f} without the wait for a CPU "
                f"({len(found)} looks)",
                late <= TARGET_DELAY,
            )
    print(f"event loop, idle: p99 {_p99([total for total, _ in idle]) * 1000:.1f} ms", flush=True)


def _together(way: Callable[[int, Plan, int], None], port: int, plan: Plan, size: int) -> None:
    with ThreadPoolExecutor(8) as clients:
        for sent in [clients.submit(way, port, plan, size) for _ in range(8)]:
            sent.result()


def _post(port: int, plan: Plan, size: int) -> None:
    ask(port, "POST /uploads?name=a.png&to=webp HTTP/1.1", plan.source, size=size)


def _patch(port: int, plan: Plan, size: int, *, step: int = 2**62) -> None:
    path = _create(port, size)
    for at in range(0, size, step):
        request = f"PATCH {path} HTTP/1.1\r\n{TUS}\r\n{PIECES}\r\nUpload-Offset: {at}"
        ask(port, request, plan.source, at=at, size=min(step, size - at))


def _create(port: int, size: int) -> str:
    answer = ask(port, f"POST /uploads HTTP/1.1\r\n{TUS}\r\nUpload-Length: {size}")
    return answer.decode().lower().split("location: ")[1].split("\r\n")[0]


def _take_over(holder: int, asked: int) -> float:
    """Let a PATCH hang that has brought some bytes; return how long HEAD takes to tell of them."""
    path, half, size = _create(asked, 500_000), 200_000, 500_000
    lines = [f"PATCH {path} HTTP/1.1", "Host: bench", TUS, PIECES, "Upload-Offset: 0"]
    head = "\r\n".join([*lines, f"Content-Length: {size}", "", ""]).encode()
    with socket.create_connection(("127.0.0.1", holder)) as hanging, _client(asked) as client:
        hanging.sendall(head + bytes(half))
        poll(lambda: client.get(path).json()["received"] == half)
        began = time.perf_counter()
        answer = client.head(path, headers={"Tus-Resumable": "1.0.0"})
        took = time.perf_counter() - began
    if answer.headers["upload-offset"] != str(half):
        raise RuntimeError(f"{answer.headers['upload-offset']} bytes are left of {half}")
    return took


def _delays(port: int) -> list[tuple[float, float]]:
    """Return how late the loop was each time that it was due, since somebody asked last.

    The second number is how long it had waited for a CPU: that is the machine's affair.
    """
    with _client(port) as client:
        return [(total, waited) for total, waited in client.get("/bench/delays").json()]


def _p99(delays: list[float]) -> float:
    return sorted(delays)[int(len(delays) * 0.99)]


def _client(port: int) -> httpx.Client:
    return plain.Client(base_url=f"http://127.0.0.1:{port}", timeout=30)


@contextmanager
def _database() -> Iterator[str]:
    """Yield a database that is durable, as it is where people use it."""
    postgres = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        with postgres.database() as url:
            yield url
    finally:
        postgres.stop()


@contextmanager
def _api(plan: Plan, url: str, data: Path | None = None) -> Iterator[tuple[int, psutil.Process]]:
    """Run an API on a database; of several on one they have to have one folder too."""
    environment = {"DATABASE_URL": url}
    with server("service", plan.folder, data=data, environment=environment) as running:
        yield running
