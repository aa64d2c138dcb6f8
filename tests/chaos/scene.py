"""The house that a chaos run breaks: its own PostgreSQL, two APIs, three workers, a bad network."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import psycopg2
from sqlalchemy import select

from app.models import Job
from app.states import OPEN
from tests.chaos.conditions import Conditions
from tests.chaos.disk import small_disk
from tests.polling import poll
from tests.postgres import VERSIONS, Server, free_port, migrated
from tests.proxy import Proxy, proxy_to
from tests.system.checker import abandoned, faults
from tests.system.house import FEW, House, Process, house_on

SHIM = Path(__file__).parent / "shim"
MOST_SEATS = 60
STUCK_SECONDS = 120.0  # far beyond a lease, its sweeps and a pause before another try


@dataclass
class Part:
    """One process of the house; `begin` starts it again at the same place once it has ended."""

    start: Callable[[], Process]
    process: Process = field(init=False)

    def __post_init__(self) -> None:
        self.process = self.start()

    @property
    def lives(self) -> bool:
        return self.process.popen.poll() is None

    def has_begun(self) -> bool:
        """Whether it has found the database."""
        return bool(self.process.lines("api.open") + self.process.lines("worker.entered"))

    def kill(self) -> bool:
        """Kill it and start it again; tell whether it had been alive until then."""
        lived = self.lives
        self.process.kill()
        killed = self.process.popen.returncode == -signal.SIGKILL
        self.begin()
        return lived and killed

    def stop(self, *, signals: int) -> bool:
        """Ask it to end, as often as this; it has to obey. Tell whether there was one to ask."""
        lived = self.lives
        for _ in range(signals):
            self.process.send(signal.SIGTERM)
        self.process.wait(90)
        self.begin()
        return lived

    def begin(self) -> None:
        if not self.lives:
            self.process = self.start()


@dataclass
class Scene:
    """What the nemesis acts upon. One API and one worker reach the database by the proxy.

    `no_seats` is set while the server has none for anybody. `killed` tells when a strike killed
    the worker of a name.
    """

    house: House
    server: Server
    proxy: Proxy
    disk: Path
    apis: list[Part] = field(default_factory=list)
    workers: list[Part] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)
    no_seats: threading.Event = field(default_factory=threading.Event)
    killed: dict[str, datetime] = field(default_factory=dict)

    @property
    def parts(self) -> list[Part]:
        return [*self.apis, *self.workers]

    def api(self, victim: int) -> Part:
        """Pick one that is at work, or at least runs; if there is none, start one."""
        return _running(self.apis, victim)

    def worker(self, victim: int) -> Part:
        return _running(self.workers, victim)

    def add_api(self, **settings: str) -> None:
        port = free_port()
        self.ports.append(port)
        self.house.api_port = port
        self.apis.append(Part(lambda: self.house.start_api(port, **settings)))

    def add_worker(self, **settings: str) -> None:
        self.workers.append(Part(lambda: self.house.start_worker(ROWMILL_SLOTS="2", **settings)))

    def connect(self) -> "psycopg2.extensions.connection":
        """Open a session of the superuser in the house's database."""
        connection = self.server.connect(self.house.url.rsplit("/", 1)[1])
        connection.autocommit = True
        return connection

    def execute(self, statement: str) -> None:
        with closing(self.connect()) as connection:
            connection.cursor().execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(self.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute(query)
            return cursor.fetchall()

    def insist(self, statement: str) -> None:
        """Execute it as soon as the database lets us."""

        def done() -> bool:
            try:
                self.execute(statement)
            except psycopg2.Error:
                return False
            return True

        poll(done)

    def settle(self) -> list[str]:
        """Let everything run in peace until nothing is left to do; return what cannot be.

        Fail once no job has ended for STUCK_SECONDS: a busy machine may have thousands left.
        """
        for part in self.parts:
            part.begin()
        left = self._open_jobs()
        while left:
            left = poll(partial(self._fewer_than, left), seconds=STUCK_SECONDS, why=self._why)[0]
        # Who tidies from now on takes what is two seconds old for an orphan.
        self.add_worker(ROWMILL_ORPHAN_SECONDS="2")
        for worker in self.workers[:-1]:
            worker.process.kill()
        found: list[str] = []

        def is_tidy() -> bool:
            found[:] = faults(self.house) + abandoned(self.house)
            return not found

        try:
            poll(is_tidy, seconds=60)
        except AssertionError:
            return found
        return []

    def _fewer_than(self, many: int) -> list[int]:
        left = self._open_jobs()
        return [left] if left < many else []

    def _open_jobs(self) -> int:
        with self.house.sessions() as session:
            return len(session.scalars(select(Job.id).where(Job.status.in_(OPEN))).all())

    def _why(self) -> str:
        alive = [part.process.name for part in self.parts if part.lives]
        tails = [
            f"--- {part.process.log.name}\n{part.process.log.read_text()[-3000:]}"
            for part in self.parts
        ]
        return f"{self._open_jobs()} jobs are open; alive: {alive}\n" + "\n".join(tails)


def _running(parts: list[Part], victim: int) -> Part:
    first = victim % len(parts)
    inclined = [*parts[first:], *parts[:first]]
    alive = [part for part in inclined if part.lives]
    at_work = [part for part in alive if part.has_begun()]
    if not alive:
        inclined[0].begin()
    return (at_work or alive or inclined)[0]


@contextmanager
def scene_on(folder: Path, conditions: Conditions) -> Iterator[Scene]:
    """Yield a scene with everything started, under these conditions; end all of it."""
    safe = {"fsync": "on", "full_page_writes": "on", "max_connections": str(MOST_SEATS)}
    server = migrated(Server(VERSIONS["18"], **safe))
    try:
        with small_disk() as disk, proxy_to(server.port) as proxy:
            (folder / "data").symlink_to(disk, target_is_directory=True)
            with house_on(server, folder, **FEW, **conditions.settings) as house:
                scene = Scene(house, server, proxy, disk)
                for statement in conditions.statements:
                    scene.execute(statement)
                _furnish(scene, conditions)
                yield scene
    finally:
        server.stop()


def _furnish(scene: Scene, conditions: Conditions) -> None:
    roundabout = {"DATABASE_URL": scene.proxy.url(scene.house.url)}
    wrong_clock = conditions.environment(SHIM)
    scene.add_api()
    scene.add_api(**roundabout, **wrong_clock)
    scene.add_worker()
    scene.add_worker(**wrong_clock)
    scene.add_worker(**roundabout)
    for part in scene.parts:
        poll(part.has_begun, seconds=60, why=part.process.log.read_text)


def family(part: Part) -> list[psutil.Process]:
    """Return what a part has started, and what that has started."""
    return _children(part.process.pid, recursive=True)


def spawners_of(worker: int) -> list[psutil.Process]:
    """Return the one spawner of a worker that has this pid, if it has one now."""
    return _children(worker)


def cells_of(worker: int) -> list[psutil.Process]:
    return [cell for spawner in spawners_of(worker) for cell in _children(spawner.pid)]


def is_over(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _children(pid: int, *, recursive: bool = False) -> list[psutil.Process]:
    try:
        found = psutil.Process(pid).children(recursive=recursive)
    except psutil.NoSuchProcess:
        return []
    return [child for child in found if not is_over(child)]
