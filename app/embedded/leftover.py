"""What an earlier server of the same cluster left behind: itself, its children, its pid file."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from app.embedded import claim, door, inside
from app.embedded.account import Account, EmbeddedFailed
from app.embedded.initdb import ENVIRONMENT
from app.embedded.pidfile import postmaster_of

ENDS_BY_ITSELF_SECONDS = 5.0
STOP_SECONDS = 60


def clear(
    cluster: Path, *, lock: int, programs: Path, account: Account, say: Callable[[str], None]
) -> None:
    """Take the lock of the cluster and leave no server and no pid file of an earlier one.

    After a `kill -9` of everything the old server is about to end: it is waited for, then told.
    One that somebody started by hand holds no lock, but has a pid file that is true.
    """
    free = _wait(lock, ENDS_BY_ITSELF_SECONDS)
    pid = postmaster_of(cluster)
    if pid is not None:
        say(f"Stopping a PostgreSQL (process {pid}) that an earlier run left on {cluster}")
        _stop(cluster, programs=programs, account=account)
    if not free and not _wait(lock, ENDS_BY_ITSELF_SECONDS):
        raise EmbeddedFailed(
            f"Processes of an earlier PostgreSQL still use {cluster} and do not end. "
            "Find them with: ps -ef | grep postgres"
        )
    # Nobody serves the cluster, and still the server would believe the number in each of these
    # if it is in use again, or if it is a zombie that nobody has buried yet.
    for stale in (cluster / "postmaster.pid", *door.socket_files(cluster)):
        inside.remove(stale, account=account)


def _wait(lock: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not claim.take(lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _stop(cluster: Path, *, programs: Path, account: Account) -> None:
    fast = ["--mode", "fast", "--timeout", str(STOP_SECONDS)]
    done = subprocess.run(
        [programs / "pg_ctl", "stop", "--pgdata", cluster, *fast],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd="/",
        env=ENVIRONMENT,
        **account.switch,
    )
    if done.returncode and postmaster_of(cluster) is not None:
        raise EmbeddedFailed(f"An earlier PostgreSQL does not stop: {done.stderr.strip()}")
