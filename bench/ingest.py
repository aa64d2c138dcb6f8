"""What it costs to receive a file: Rowmill, FastAPI's UploadFile and a floor that only writes.

Every server is a process of its own; every upload ends with an fsync. CPU is the server's user
and system time, memory the most it ever had resident. `--quick` takes seconds, the full run
minutes and several gigabytes of disk.
"""

import sys
import sysconfig

sys.path.insert(0, sysconfig.get_path("stdlib"))  # or bench/queue.py hides the library's queue

import argparse
import os
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
MIB = 1024**2
TARGET_RATIO = 0.65
TARGET_RSS = 200_000_000


@dataclass(frozen=True)
class Case:
    title: str
    server: str
    path: str


CASES = (
    Case("floor: recv, write", "floor", "/raw"),
    Case("Rowmill, raw", "rowmill", "/raw"),
    Case("Rowmill, multipart", "rowmill", "/multipart"),
    Case("UploadFile, copied", "uploadfile", "/multipart"),
)


@dataclass(frozen=True)
class Cost:
    """CPU-seconds for each gigabyte (10^9), megabytes (10^6) a second, resident bytes."""

    cpu: float
    rate: float
    rss: int


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="small files, one round")
    options.add_argument("--rounds", type=int, default=0, help="how often (default: 1 or 3)")
    options.add_argument("--folder", type=Path, help="where to write (default: a temporary one)")
    given = options.parse_args()
    size, rounds, parallel = (64 * MIB, 1, 32 * MIB) if given.quick else (1024 * MIB, 3, 1024 * MIB)
    rounds = given.rounds or rounds
    with tempfile.TemporaryDirectory(prefix="rowmill-bench-", dir=given.folder) as folder:
        source = Path(folder) / "source"
        _fill(source, max(size, parallel))
        _print_costs(Path(folder), source, size=size, rounds=rounds)
        _print_memory(Path(folder), source, size=parallel)


def _fill(source: Path, size: int) -> None:
    with source.open("wb") as stream:
        for _ in range(0, size, MIB):
            stream.write(os.urandom(MIB))
        stream.flush()
        os.fsync(stream.fileno())


def _print_costs(folder: Path, source: Path, *, size: int, rounds: int) -> None:
    print(f"{size // MIB} MiB, median of {rounds}, each with fsync\n")
    print(f"{'':22}{'':9}{'CPU-s/GB':>9}{'MB/s':>7}{'RSS MB':>8}")
    for sha256 in (False, True):
        seen = _rounds(folder, source, size=size, rounds=rounds, sha256=sha256)
        for case in CASES:
            cost = _median(seen[case.title])
            print(
                f"{case.title:22}{'sha256' if sha256 else '':9}"
                f"{cost.cpu:9.2f}{cost.rate:7.0f}{cost.rss / 1e6:8.0f}"
            )
        _print_ratio(seen["Rowmill, multipart"], seen["UploadFile, copied"])


def _print_ratio(ours: list[Cost], theirs: list[Cost]) -> None:
    """Print the ratio of the medians, and how far single rounds lie apart: busy machines vary."""
    ratio = _median(ours).cpu / _median(theirs).cpu
    each = [our.cpu / their.cpu for our, their in zip(ours, theirs, strict=True)]
    print(
        f"multipart / UploadFile: {ratio:.2f} (rounds {min(each):.2f} to {max(each):.2f}; "
        f"target at most {TARGET_RATIO})\n",
        flush=True,
    )


def _print_memory(folder: Path, source: Path, *, size: int) -> None:
    for path in ("/raw", "/multipart"):
        with _server("rowmill", folder, sha256=True) as (port, process):
            with ThreadPoolExecutor(8) as clients:
                sent = [clients.submit(_upload, port, path, source, size) for _ in range(8)]
                for future in sent:
                    future.result()
            rss = _peak_rss(process)
        print(
            f"8 parallel uploads of {size // MIB} MiB to {path}: peak {rss / 1e6:.0f} MB "
            f"(target under {TARGET_RSS / 1e6:.0f})"
        )


def _rounds(
    folder: Path, source: Path, *, size: int, rounds: int, sha256: bool
) -> dict[str, list[Cost]]:
    """Go through all cases once a round, so that a busy minute strikes them alike."""
    seen: dict[str, list[Cost]] = {case.title: [] for case in CASES}
    for _ in range(rounds):
        for case in CASES:
            seen[case.title].append(_measure(case, folder, source, size, sha256=sha256))
    return seen


def _median(costs: list[Cost]) -> Cost:
    return Cost(
        cpu=statistics.median(cost.cpu for cost in costs),
        rate=statistics.median(cost.rate for cost in costs),
        rss=max(cost.rss for cost in costs),
    )


def _measure(case: Case, folder: Path, source: Path, size: int, *, sha256: bool) -> Cost:
    with _server(case.server, folder, sha256=sha256) as (port, process):
        _upload(port, case.path, source, MIB)  # imports and first pages are not the question
        before = _cpu_seconds(process)
        began = time.perf_counter()
        _upload(port, case.path, source, size)
        wall = time.perf_counter() - began
        cpu = _cpu_seconds(process) - before
        return Cost(cpu=cpu / (size / 1e9), rate=size / 1e6 / wall, rss=_peak_rss(process))


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _peak_rss(process: psutil.Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


@contextmanager
def _server(name: str, folder: Path, *, sha256: bool) -> Iterator[tuple[int, psutil.Process]]:
    """Run one server over a folder of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as data:
        command = [sys.executable, "-m", "bench.ingest_servers", name, data]
        process = subprocess.Popen(
            [*command, "--sha256"] if sha256 else command,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": data},
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


def _upload(port: int, path: str, source: Path, size: int) -> None:
    """Send a file as cheaply as a client can, and insist on a 200."""
    before, after, content_type = b"", b"", "application/octet-stream"
    if path == "/multipart":
        content_type = "multipart/form-data; boundary=" + "-" * 24 + "0123456789abcdef"
        line = b"--" + content_type.split("=")[1].encode()
        part = b'Content-Disposition: form-data; name="file"; filename="source"'
        before = line + b"\r\n" + part + b"\r\n\r\n"
        after = b"\r\n" + line + b"--\r\n"
    length = len(before) + size + len(after)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port)) as connection, source.open("rb") as stream:
        connection.sendall(head.encode() + before)
        connection.sendfile(stream, count=size)
        connection.sendall(after)
        answer = connection.recv(65536)
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"the upload was answered {answer[:300]!r}")


if __name__ == "__main__":
    main()
