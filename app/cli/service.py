"""What `rowmill up` runs: a database, the API and a worker, in this order and back."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

from app.cli import knock
from app.cli.ending import Ending, finish
from app.cli.launch import Launcher
from app.cli.listen import address
from app.cli.refusal import CannotRun
from app.cli.revision import is_current
from app.cli.supervise import keep_alive
from app.cli.waiting import say, stop_wanted
from app.cli.watched import Launch, Watched
from app.cli.worker import PROGRAM as WORKER
from app.embedded import Interrupted, Server
from app.settings import Settings

ROWMILL = [sys.executable, "-P", "-m", "app.cli"]


class Service:
    """Call it with signals held, from the main thread: what it starts ends with that thread."""

    def __init__(self, settings: Settings, door: socket.socket) -> None:
        environment = {**os.environ, "ROWMILL_DATA": str(settings.data)}
        self._settings = settings
        self._door = door
        self._launcher = Launcher(settings.data / "logs", environment)
        self._server: Server | None = None
        self._gate: int | None = None
        self._api = self._watched("API", "api", self._launch_api)
        self._worker = self._watched(
            "worker", "worker", lambda: self._launcher.launch("worker", WORKER)
        )
        self._programs = [self._api, self._worker]

    def run(self) -> None:
        """Return when somebody wants to stop; what was started is still running then."""
        self._launcher.trim_logs()
        self._start_api()
        self._worker.start()
        if keep_alive(self._programs, done=lambda: knock.answers(address(self._door)), every=0.05):
            self._introduce()
            keep_alive(self._programs, done=self._tidy)

    def stop(self) -> None:
        """End everything that runs, last come first gone, the database at the very end."""
        if any(program.alive() for program in self._programs):
            say("Stopping the API, the worker and the database, in this order.")
        self._door.close()  # nobody shall wait at a door behind which nobody is left
        ending, grace = Ending(), self._settings.grace_seconds
        ending.end(self._api.process, patience=grace + 5, insist=signal.SIGINT)
        ending.end(self._worker.process, patience=grace + 15)
        if self._server is not None:
            self._server.stop(patience=2 if ending.haste else 30)

    def _watched(self, name: str, log: str, launch: Launch) -> Watched:
        return Watched(name, launch, last_words=lambda: self._launcher.last_words(log))

    def _database(self) -> str:
        if self._settings.database_url is not None:
            return self._settings.database_url
        log = self._launcher.log("postgres")
        self._server = Server(self._settings.data, log=log, say=say, interrupted=stop_wanted)
        database = self._watched("database", "postgres", self._server.start)
        database.start()
        self._programs.insert(0, database)
        return self._server.url

    def _start_api(self) -> None:
        """Let it import everything while the database comes up, and begin when that is ready."""
        self._gate, opener = os.pipe()
        with os.fdopen(opener, "wb", buffering=0) as gate:
            self._api.start()
            url = self._database()
            self._launcher.environment["DATABASE_URL"] = url
            if not is_current(url):
                self._migrate()
            with contextlib.suppress(BrokenPipeError):  # it is dead: it will be looked at soon
                gate.write(f"{url}\n".encode())

    def _launch_api(self) -> subprocess.Popen[bytes]:
        command = [*ROWMILL, "api", "--fd", str(self._door.fileno())]
        if self._gate is None:
            return self._launcher.launch("api", command, pass_fds=(self._door.fileno(),))
        gate, self._gate = self._gate, None
        with os.fdopen(gate):
            fds = (self._door.fileno(), gate)
            return self._launcher.launch("api", [*command, "--gate", str(gate)], pass_fds=fds)

    def _migrate(self) -> None:
        code = finish(self._launcher.launch("migrate", [*ROWMILL, "migrate"]))
        if code is None:
            raise Interrupted
        if code:
            words = self._launcher.last_words("migrate")
            raise CannotRun(f"the schema could not be brought up to date: {words}")

    def _tidy(self) -> bool:
        self._launcher.trim_logs()
        return False

    def _introduce(self) -> None:
        data, slots = self._settings.data, self._settings.slots
        if self._server is None:
            url = urlsplit(self._launcher.environment["DATABASE_URL"])
            say(f"The database is {url.path.strip('/')} on {url.hostname or 'a local socket'}")
        else:
            say(f"PostgreSQL runs as {self._server.runs_as} on {self._server.cluster.resolve()}")
        room = f"{slots} {'slot' if slots == 1 else 'slots'}"
        say(f"The API is running. A worker with {room} was started: it tries its converters first.")
        say(f"Files are in {data}, logs in {data / 'logs'}. Ctrl-C stops everything.")
        say(f"Rowmill is at {address(self._door)}")
