"""A new cluster, made aside and put in its place when it is whole."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from app.embedded.account import Account, EmbeddedFailed
from app.embedded.tether import tether

# Built-in C.UTF-8: the same order and case on each machine, whatever its libc has installed.
OPTIONS = [
    "--username=postgres",
    "--auth=peer",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


def make_cluster(cluster: Path, *, programs: Path, account: Account) -> None:
    """Leave a whole cluster at `cluster`, or nothing: a crash in the middle begins anew."""
    unfinished = cluster.with_name(f"{cluster.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    account.make_folder(unfinished)
    done = subprocess.run(
        [programs / "initdb", *OPTIONS, "--pgdata", unfinished],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd="/",
        env=ENVIRONMENT,
        start_new_session=True,
        preexec_fn=tether(signal.SIGKILL),
        **account.switch,
    )
    if done.returncode:
        raise EmbeddedFailed(f"initdb could not make {cluster}: {_last_words(done.stderr)}")
    unfinished.rename(cluster)
    _sync(cluster.parent)


def _last_words(text: str) -> str:
    return " ".join(text.strip().splitlines()[-3:]) or "it said nothing"


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
