"""Starting a program of ours: tethered to us, away from the terminal, with a log of its own."""

import contextlib
import signal
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from app.cli import logfile
from app.embedded.tether import tether


class Launcher:
    def __init__(self, logs: Path, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._logs = logs
        logs.mkdir(exist_ok=True)

    def log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def last_words(self, name: str) -> str:
        return logfile.last_line(self.log(name))

    def trim_logs(self) -> None:
        for path in self._logs.glob("*.log"):
            with contextlib.suppress(OSError):  # on a full disk a log is only let be
                logfile.trim(path)

    def launch(
        self, name: str, command: Sequence[str], *, pass_fds: Collection[int] = ()
    ) -> subprocess.Popen[bytes]:
        with self.log(name).open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                pass_fds=pass_fds,
                # Ctrl-C reaches us alone, and we end everything in the right order.
                start_new_session=True,
                preexec_fn=tether(signal.SIGKILL),  # noqa: PLW1509 -- we have one thread
            )
