"""One embedded server: started for a data folder, ended with the process that started it."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from app.embedded import claim, door, leftover, place
from app.embedded.account import Account, EmbeddedFailed, account_for
from app.embedded.binaries import major, programs_for
from app.embedded.furnish import furnish
from app.embedded.initdb import ENVIRONMENT, make_cluster
from app.embedded.pidfile import is_ready
from app.embedded.tether import tether

START_SECONDS = 300.0  # replaying a long log after a crash takes minutes
STOP_SECONDS = 30.0
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
    "idle_in_transaction_session_timeout": "60s",  # whoever forgets a transaction holds up VACUUM
}


class Interrupted(Exception):
    """Somebody wants to stop while the server is still starting."""


def running_url(data: Path) -> str | None:
    """Return the URL of the server that runs on this data folder now, if one does."""
    cluster = place.cluster_of(data, major=major())
    if not claim.is_held(claim.lock_of(cluster)):
        return None
    return door.url(door.socket_folder(cluster.resolve()))


class Server:
    """Call it from one thread that stays: the server ends with the thread that started it."""

    def __init__(
        self,
        data: Path,
        *,
        log: Path,
        say: Callable[[str], None] = lambda _: None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self.cluster = place.cluster_of(data, major=major())
        self.runs_as = ""
        self.process: subprocess.Popen[bytes] | None = None
        self._data = data
        self._log = log
        self._say = say
        self._interrupted = interrupted

    @property
    def url(self) -> str:
        return door.url(door.socket_folder(self.cluster.resolve()))

    def start(self) -> subprocess.Popen[bytes]:
        """Return the process of a server that answers; raise EmbeddedFailed or Interrupted."""
        self._data.mkdir(parents=True, exist_ok=True)
        place.refuse_other_major(self._data, major=major())
        place.refuse_lost_link(self.cluster)
        account = account_for(self.cluster)
        programs = programs_for(account)
        with claim.open_lock(claim.lock_of(self.cluster)) as lock:
            self._prepare(account, programs, lock)
            self.process = self._spawn(account, programs, lock)
        self.runs_as = account.name
        self._settle(self.process)
        return self.process

    def stop(self, *, patience: float = STOP_SECONDS) -> None:
        """End all sessions and write everything down; after `patience` seconds, just end."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        if not _ended(self.process, patience):
            self.process.send_signal(signal.SIGQUIT)
        if not _ended(self.process, 5.0):
            self.process.kill()
            self.process.wait()

    def _prepare(self, account: Account, programs: Path, lock: int) -> None:
        if self.cluster.exists():
            place.check_reach(self.cluster, account)
        leftover.clear(
            self.cluster.resolve(), lock=lock, programs=programs, account=account, say=self._say
        )
        if not self.cluster.exists():
            self._make(account, programs)

    def _make(self, account: Account, programs: Path) -> None:
        home = place.home_for(self._data, account)
        made = home / self.cluster.name
        self._say(f"Making a new database in {made}")
        make_cluster(made, programs=programs, account=account)
        if home != self._data:
            self.cluster.symlink_to(made)
            self._say(f"It is there because the user {account.name} cannot enter {self._data}")

    def _spawn(self, account: Account, programs: Path, lock: int) -> subprocess.Popen[bytes]:
        cluster = self.cluster.resolve()
        folder = door.socket_folder(cluster)
        door.admit_only_us(cluster, account)
        if folder != cluster:
            door.open_socket_folder(folder, account)
        settings = {**SETTINGS, "unix_socket_directories": str(folder)}
        chosen = [text for name, value in settings.items() for text in ("-c", f"{name}={value}")]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [programs / "postgres", "-D", cluster, *chosen],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=ENVIRONMENT,
                pass_fds=(lock,),
                # A session of its own: Ctrl-C in the terminal must not reach it before the rest.
                start_new_session=True,
                preexec_fn=tether(signal.SIGINT),  # noqa: PLW1509 -- we have one thread
                **account.switch,
            )

    def _settle(self, process: subprocess.Popen[bytes]) -> None:
        cluster = self.cluster.resolve()
        deadline = time.monotonic() + START_SECONDS
        while not is_ready(cluster):
            if self._interrupted():
                raise Interrupted
            if process.poll() is not None:
                raise EmbeddedFailed(f"PostgreSQL did not start: {_last_line(self._log)}")
            if time.monotonic() > deadline:
                raise EmbeddedFailed(f"PostgreSQL is not ready yet. It says in {self._log} why.")
            time.sleep(0.01)
        furnish(door.socket_folder(cluster))


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"it said nothing in {log}"
