"""The test's side of a program that holds an embedded server."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg2

from tests.polling import poll
from tests.system.house import ROOT, family_of, living


class Held:
    """A running program; `facts` is what it said about its server, or why it has none."""

    def __init__(self, data: Path, options: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.app.embedded.program", str(data), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdout is not None
        self.facts: dict[str, Any] = json.loads(self._process.stdout.readline())

    @property
    def pid(self) -> int:
        return int(self.facts["pid"])

    @property
    def failed(self) -> str:
        return str(self.facts["failed"])

    def ask(self, sql: str) -> Any:
        """Return the first value of the answer, as Rowmill's own role sees it."""
        connection = psycopg2.connect(self.facts["url"].replace("+psycopg2", ""))
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall()[0][0] if cursor.description else None
        finally:
            connection.close()

    def kill(self) -> None:
        """End the program alone, as the kernel would when memory runs out."""
        self._process.kill()
        self._process.wait()

    def kill_everything(self, *, but: int | None = None) -> None:
        """End the server, all its children and the program before any of them can react."""
        everyone = [pid for pid in [*family_of(self._process.pid), self._process.pid] if pid != but]
        for pid in everyone:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> int:
        """End it politely."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(60)

    def end(self) -> None:
        if self._process.poll() is None:
            self.stop()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        if "pid" in self.facts:
            poll(lambda: not living(self.pid), why=lambda: f"postgres {self.pid} still runs")
