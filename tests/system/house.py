"""A whole Rowmill of real processes on a throw-away PostgreSQL, for tests that kill parts of it."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psutil
from sqlalchemy import func, select

from app import db, queue, schema
from app.api.owners import COOKIE
from app.models import Event, Job
from app.states import Move
from app.storage import DiskStorage
from app.storage.keys import source_key
from tests import make, plain
from tests.pgbouncer import pgbouncer
from tests.polling import poll
from tests.postgres import Server, free_port
from tests.system.surroundings import environment

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "tests" / "plugin"
# Who sends, and who looks at it in a browser.
VISITOR = "a-visitor-of-these-tests-with-a-cookie-of-i"

SHORT = {
    "ROWMILL_BEAT_SECONDS": "0.3",
    "ROWMILL_LEASE_SECONDS": "2",
    "ROWMILL_SWEEP_SECONDS": "0.5",
    "ROWMILL_BACKOFF_SECONDS": "0.2",
    "ROWMILL_GRACE_SECONDS": "1",
}
FEW = {"ROWMILL_KINDS": "image,misbehave"}  # the others would be tried at each start
POOLED = bool(os.environ.get("TEST_POOLED"))  # every house behind a pooler: `make pooled`


@dataclass
class Process:
    """One running part; its log is kept beside the data."""

    name: str
    popen: "subprocess.Popen[bytes]"
    log: Path

    @property
    def pid(self) -> int:
        return self.popen.pid

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def send(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def wait(self, seconds: float = 60) -> int:
        return self.popen.wait(seconds)

    @property
    def worker(self) -> str:
        """The name under which a worker entered itself last."""
        return str(json.loads(self.lines("worker.entered")[-1])["worker"])

    def told(self, event: str) -> list[str]:
        """Wait until the log has such lines, which come a moment after the rows; return them."""
        return poll(lambda: self.lines(event), why=self.log.read_text)

    def lines(self, event: str) -> list[str]:
        whole = self.log.read_text().rpartition("\n")[0]  # the last may still be written
        return [line for line in whole.splitlines() if f'"event": "{event}"' in line]


@dataclass
class House:
    """The parts of one Rowmill, and what a test asks of it."""

    server: Server
    url: str
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)
    api_port: int = 0
    visitor: str = VISITOR
    way: str = ""  # by which its processes reach the database, where that is not its own address

    def __post_init__(self) -> None:
        self.data = self.folder / "data"
        self.sessions = db.sessions_of(db.single_engine(self.url, name="rowmill test"))
        self.storage = DiskStorage(self.data)
        with self.sessions() as session:
            house_id, new = schema.house_of(session.connection())
        self.storage.claim_house(house_id, may_create=new)

    # Parts

    def worker(self, **settings: str) -> Process:
        """Start a worker and wait until it has entered itself."""
        process = self.start_worker(**settings)
        process.told("worker.entered")
        return process

    def start_worker(self, **settings: str) -> Process:
        """Start a worker, and wait for nothing."""
        return self._start([sys.executable, "-m", "worker"], "worker", settings)

    def api(self, **settings: str) -> Process:
        """Start the API and wait until it answers."""
        self.api_port = self.api_port or free_port()
        process = self.start_api(self.api_port, **settings)
        poll(self._api_answers, why=process.log.read_text)
        return process

    def start_api(self, port: int, *options: str, **settings: str) -> Process:
        """Start an API on a port, and wait for nothing."""
        command = [sys.executable, "-m", "app.cli", "api", *options]
        return self._start(command, "api", {"ROWMILL_PORT": str(port)} | settings)

    def client(self) -> httpx.Client:
        """Return an HTTP client of the API that was started last."""
        base = f"http://127.0.0.1:{self.api_port}"
        return plain.Client(base_url=base, timeout=30, cookies={COOKIE: self.visitor})

    def end(self) -> None:
        """End everything that still runs."""
        for process in self.processes:
            if process.popen.poll() is None:
                process.send(signal.SIGCONT)
                process.kill()

    # Rows

    def upload(self, content: bytes = b"\x89PNG\r\n\x1a\n of a kind", **options: Any) -> UUID:
        """Put a file and a job for it into the house, past the API; return the upload's id."""
        with self.sessions.begin() as session:
            size, digest = len(content), hashlib.sha256(content).hexdigest()
            upload_id = make.make_upload(session, size=size, received=size, sha256=digest)
            part = self.storage.incoming(upload_id)
            part.write_bytes(content)
            self.storage.store(part, source_key(upload_id))
            payload = {"from": "png", "to": "nap", "options": options}
            queue.enqueue(session, upload_id, kind="misbehave", payload=payload, max_attempts=3)
        with self.sessions.begin() as session:
            queue.wake(session)
        return upload_id

    def let_go(self, *uploads: UUID) -> None:
        """Let conversions of these end that are `held`, in this attempt and in each later one."""
        for upload_id in uploads:
            os.utime(self.storage.path(source_key(upload_id)), (0, 0))

    def job(self, upload_id: UUID) -> Job:
        with self.sessions() as session:
            return make.job_of(session, upload_id)

    def moves(self, upload_id: UUID) -> list[str]:
        """Return what happened to the upload's first job, in order."""
        with self.sessions() as session:
            job_id = make.job_of(session, upload_id).id
            known = select(Event.move).where(Event.job_id == job_id, Event.move.in_(list(Move)))
            return [str(move) for move in session.scalars(known.order_by(Event.id))]

    def count(self, **columns: Any) -> int:
        """Return how many jobs have these values."""
        with self.sessions() as session:
            return session.scalar(select(func.count()).select_from(Job).filter_by(**columns)) or 0

    def two_workers(self, **settings: str) -> tuple[UUID, Process, Process]:
        """Give one of two workers a job; return its upload, that worker, and the idle one."""
        seconds, how = float(settings.pop("seconds", "0")), settings.pop("how", "held")
        both = [self.worker(ROWMILL_SLOTS="1", **settings) for _ in range(2)]
        upload = self.upload(seconds=seconds, how=how)
        holder = self.until("running", upload).locked_by
        busy, idle = sorted(both, key=lambda process: process.worker != holder)
        return upload, busy, idle

    def until(self, status: str, upload_id: UUID, *, seconds: float = 60) -> Job:
        """Wait until the upload's first job has this status; return it."""
        poll(
            lambda: self.job(upload_id).status == status,
            seconds=seconds,
            why=lambda: f"{self.moves(upload_id)}\n{self.logs()}",
        )
        return self.job(upload_id)

    def logs(self) -> str:
        return "\n".join(f"--- {one.name}\n{one.log.read_text()[-6000:]}" for one in self.processes)

    def _start(self, command: list[str], name: str, settings: dict[str, str]) -> Process:
        own = {
            "DATABASE_URL": self.way or self.url,
            "ROWMILL_DATA": str(self.data),
            "PYTHONPATH": f"{PLUGIN}:{ROOT}",
            "PYTHONUNBUFFERED": "1",
        }
        log = self.folder / f"{name}-{len(self.processes)}.log"
        with log.open("wb") as output:
            popen = subprocess.Popen(
                command,
                env=environment(**own | self.settings | settings),
                stdout=output,
                stderr=output,
                cwd=ROOT,
                start_new_session=True,
            )
        process = Process(name, popen, log)
        self.processes.append(process)
        return process

    def _api_answers(self) -> bool:
        try:
            return plain.get(f"http://127.0.0.1:{self.api_port}/healthz").status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def house_on(server: Server, folder: Path, **settings: str) -> Iterator[House]:
    """Yield a house with short leases on this server; everything it started is ended."""
    with server.database() as url:
        house = House(server, url, folder, SHORT | settings)
        with pooled(house) if POOLED else nullcontext():
            try:
                yield house
            finally:
                house.end()


@contextmanager
def pooled(house: House) -> Iterator[None]:
    """Let what the house starts reach its database through a pooler with five connections."""
    with pgbouncer(house.server) as port:
        house.way = house.url.replace(f":{house.server.port}/", f":{port}/")
        yield


def living(pid: int) -> bool:
    """Tell whether a process runs; a zombie is dead."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def family_of(pid: int) -> list[int]:
    """Return the pids of a process's children, and theirs."""
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]
