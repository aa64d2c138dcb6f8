"""Systems under load, each of real processes that can be killed: Rowmill and what others build."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from bench.load_rivals import SLOTS
from bench.queue_rivals import procrastinate_prepare
from tests.polling import poll
from tests.postgres import Server, free_port
from tests.system.house import House, Process, house_on

CALM = {
    "ROWMILL_BEAT_SECONDS": "5",
    "ROWMILL_LEASE_SECONDS": "60",
    "ROWMILL_SWEEP_SECONDS": "15",
    "ROWMILL_KINDS": "image",
}


class Site(Protocol):
    """One system: `urls` of its API processes, and the process that works."""

    urls: list[str]
    form: dict[str, str]

    def kill_worker(self) -> None:
        """End the working process and all that it started, by SIGKILL."""

    def start_worker(self) -> None:
        """Start it again, as a supervisor would."""


class RowmillSite:
    """Rowmill with some API processes, and 30 slots in some worker processes."""

    def __init__(self, house: House, *, apis: int, workers: int) -> None:
        self.house = house
        self.form = {"to": "webp"}
        self.urls = []
        for _ in range(apis):
            house.api_port = 0
            house.api()
            self.urls.append(f"http://127.0.0.1:{house.api_port}")
        self._slots = str(SLOTS // workers)
        started = [house.start_worker(ROWMILL_SLOTS=self._slots) for _ in range(workers)]
        for process in started:
            _entered(process)
        self._worker = started[0]

    def kill_worker(self) -> None:
        _kill(self._worker.popen)

    def start_worker(self) -> None:
        self._worker = self.house.start_worker(ROWMILL_SLOTS=self._slots)


class RivalSite:
    """One of bench.load_rivals: an API and, where it has one, a worker of 30 slots."""

    def __init__(self, name: str, folder: Path, url: str) -> None:
        self.form: dict[str, str] = {}
        self._arguments = (name, str(folder), url)
        self._log = (folder / "log").open("wb")
        self._port = free_port()
        self._works_itself = name == "BackgroundTasks"
        self._api = self._start("api")
        self.urls = [f"http://127.0.0.1:{self._port}"]
        self._listens()
        self._worker = self._api if self._works_itself else self._start("worker")

    def kill_worker(self) -> None:
        _kill(self._worker)

    def start_worker(self) -> None:
        if self._works_itself:
            self._api = self._worker = self._start("api")
            self._listens()
        else:
            self._worker = self._start("worker")

    def stop(self) -> None:
        for process in {self._api, self._worker}:
            _kill(process)
        self._log.close()

    def _start(self, part: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "bench.load_rivals", part, *self._arguments],
            env=os.environ | {"PORT": str(self._port)},
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )

    def _listens(self) -> None:
        poll(lambda: _accepts(self._port), seconds=60)


@contextmanager
def rowmill(server: Server, *, apis: int = 2, workers: int = 1) -> Iterator[RowmillSite]:
    """Yield a Rowmill on a database of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="rowmill-bench-") as folder,
        house_on(server, Path(folder), **CALM) as house,
    ):
        yield RowmillSite(house, apis=apis, workers=workers)


@contextmanager
def rival(name: str, server: Server) -> Iterator[RivalSite]:
    """Yield one of the others, with the broker or the database that it needs."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rowmill-bench-")))
        url = ""
        if name == "Procrastinate":
            url = stack.enter_context(server.database()).replace("+psycopg2", "")
            procrastinate_prepare(url)
        elif name.startswith("Celery"):
            url = stack.enter_context(_redis(folder))
        site = RivalSite(name, folder, url)
        stack.callback(site.stop)
        yield site


def until_done(site: RowmillSite) -> None:
    """Wait until no job waits or runs."""
    poll(
        lambda: site.house.count(finished_at=None) == 0,
        seconds=120,
        why=site.house.logs,
    )


def has_redis() -> bool:
    return shutil.which("redis-server") is not None


@contextmanager
def _redis(folder: Path) -> Iterator[str]:
    """Run Debian's Redis with its own defaults, on loopback."""
    port = free_port()
    with subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    ) as process:
        poll(lambda: _accepts(port), seconds=30)
        yield f"redis://127.0.0.1:{port}/0"
        process.kill()


def _entered(process: Process) -> None:
    poll(lambda: process.lines("worker.entered"), seconds=180, why=process.log.read_text)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _accepts(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
