"""Running commands as a person would, and signals that wait to be asked for."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from app.cli.waiting import hold_signals
from tests.system.house import ROOT

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run() -> Run:
    """Run `rowmill` to its end with these settings and no others."""

    def run(*arguments: str, **settings: object) -> "subprocess.CompletedProcess[str]":
        ours = {name: value for name, value in os.environ.items() if not _is_setting(name)}
        return subprocess.run(
            [sys.executable, "-P", "-m", "app.cli", *arguments],
            env={**ours, "PYTHONPATH": str(ROOT), **{n: str(v) for n, v in settings.items()}},
            capture_output=True,
            text=True,
            check=False,
            timeout=150,
        )

    return run


@pytest.fixture
def held_signals() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    hold_signals()
    yield
    while signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, 0):
        pass
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _is_setting(name: str) -> bool:
    return name.startswith("ROWMILL_") or name == "DATABASE_URL"
