"""What the tables of bench/ingest.py measure with: clients as cheap as can be, a server's cost."""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
MIB = 1024**2
# Enough of a picture for the service to believe that the rest is one.
HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is measured, and how often."""

    folder: Path
    source: Path
    size: int
    parallel: int
    rounds: int


@dataclass(frozen=True)
class Target:
    """Something to be reached, with what was measured."""

    text: str
    is_met: bool


@dataclass(frozen=True)
class Cost:
    """CPU-seconds for each gigabyte (10^9), megabytes (10^6) a second, resident bytes."""

    cpu: float
    rate: float
    rss: int


def fill(source: Path, size: int) -> None:
    with source.open("wb") as stream:
        stream.write(HEAD + os.urandom(MIB - len(HEAD)))
        for _ in range(MIB, size, MIB):
            stream.write(os.urandom(MIB))
        stream.flush()
        os.fsync(stream.fileno())


def median(costs: list[Cost]) -> Cost:
    return Cost(
        cpu=statistics.median(cost.cpu for cost in costs),
        rate=statistics.median(cost.rate for cost in costs),
        rss=max(cost.rss for cost in costs),
    )


def measured(process: psutil.Process, work: Callable[[], object], *, size: int) -> Cost:
    """Return what a server spends on work that moves so many bytes."""
    before, began = cpu_seconds(process), time.perf_counter()
    work()
    wall = time.perf_counter() - began
    cpu = cpu_seconds(process) - before
    return Cost(cpu=cpu / (size / 1e9), rate=size / 1e6 / wall, rss=peak_rss(process))


def line(title: str, cost: Cost, remark: str = "") -> str:
    return f"{title:30}{remark:9}{cost.cpu:9.2f}{cost.rate:7.0f}{cost.rss / 1e6:8.0f}"


def caption() -> str:
    return f"{'':39}{'CPU-s/GB':>9}{'MB/s':>7}{'RSS MB':>8}"


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def peak_rss(process: psutil.Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


@contextmanager
def server(
    name: str,
    folder: Path,
    *options: str,
    data: Path | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[tuple[int, psutil.Process]]:
    """Run one server of ingest_servers over `data`, or a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.ingest_servers", name, str(data or own), *options],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": own, **(environment or {})},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        with process.stdout:
            try:
                yield int(process.stdout.readline()), psutil.Process(process.pid)
            finally:
                process.kill()
                process.wait()


def ask(
    port: int,
    request: str,
    source: Path | None = None,
    *,
    size: int = 0,
    at: int = 0,
    frame: tuple[bytes, bytes] = (b"", b""),
) -> bytes:
    """Send a stretch of a file as a body; return the answer, which is a good one.

    `request` is the first line with headers; `frame` stands before and behind the stretch.
    """
    length = len(frame[0]) + size + len(frame[1])
    head = f"{request}\r\nHost: bench\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(head.encode() + frame[0])
        if source is not None:
            with source.open("rb") as stream:
                connection.sendfile(stream, at, size)
        connection.sendall(frame[1])
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    if not answer.startswith(b"HTTP/1.1 2"):
        raise RuntimeError(f"{request.splitlines()[0]} was answered {answer[:300]!r}")
    return answer


def fetch(port: int, path: str) -> int:
    """Take an answer and throw it away; return how many bytes it had after its head."""
    buffer, got = bytearray(MIB), 0
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode()
        )
        first = connection.recv(65536)
        if not first.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"GET {path} was answered {first[:300]!r}")
        got = len(first.partition(b"\r\n\r\n")[2])
        while count := connection.recv_into(buffer):
            got += count
    return got
