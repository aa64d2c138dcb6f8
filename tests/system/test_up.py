"""`rowmill up` with everything it runs: real API, real worker, embedded PostgreSQL."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import httpx
import psutil
import psycopg2
import pytest

from app.cli.watched import FIRST_PAUSE_SECONDS
from tests import plain
from tests.polling import poll
from tests.postgres import Server, free_port
from tests.system.house import ROOT, living
from tests.system.surroundings import environment, open_folder

pytestmark = pytest.mark.system

ROWMILL = [sys.executable, "-P", "-m", "app.cli"]
MIGRATION_LOCK = 7_265_983_112  # as in alembic/env.py
PARTS = {"api": "app.cli api", "worker": "-m worker", "postgres": "bin/postgres"}


class Up:
    """One `rowmill up` in a process group of its own, as a terminal would run it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.data = folder / "data"
        self.said = folder / f"said-{time.monotonic_ns()}"
        mine = {"ROWMILL_DATA": str(self.data), "ROWMILL_PORT": "0", "ROWMILL_GRACE_SECONDS": "2"}
        with self.said.open("wb") as said:
            self.process = subprocess.Popen(
                [*ROWMILL, "up"],
                env=environment(**mine, **settings),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                process_group=0,
            )
        poll(lambda: "Rowmill is at" in self.words(), seconds=120, why=self.everything)

    def words(self) -> str:
        return self.said.read_text()

    def everything(self) -> str:
        logs = [*self.data.glob("logs/*.log")]
        return "\n".join(f"{path.name}: {path.read_text()[-2000:]}" for path in [self.said, *logs])

    @property
    def address(self) -> str:
        return self.words().partition("Rowmill is at ")[2].split()[0]

    def part(self, name: str) -> psutil.Process | None:
        """Return the process of the API, the worker or the database, while it lives."""
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):
                if PARTS[name] in " ".join(child.cmdline()) and living(child.pid):
                    return child
        return None

    def family(self) -> list[int]:
        children = psutil.Process(self.process.pid).children(recursive=True)
        return [self.process.pid, *(child.pid for child in children)]

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Press Ctrl-C: the whole foreground group gets the signal."""
        os.killpg(self.process.pid, number)
        return self.process.wait(60)

    def end(self) -> None:
        """Stop it however it stands, and wait for all that it started."""
        if self.process.poll() is None:
            self.stop()


@pytest.fixture
def up() -> Iterator[Callable[..., Up]]:
    started: list[Up] = []
    with open_folder() as folder:

        def start(**settings: str) -> Up:
            started.append(Up(folder, **settings))
            return started[-1]

        yield start
        for one in started:
            one.end()


@pytest.fixture(scope="module")
def running() -> Iterator[Up]:
    """One that several tests look at and leave running."""
    with open_folder() as folder:
        one = Up(folder)
        yield one
        one.end()


def part(up: Up, name: str, *, other_than: int = 0) -> psutil.Process:
    def found() -> psutil.Process | None:
        process = up.part(name)
        return process if process is not None and process.pid != other_than else None

    process = poll(found, why=up.everything)
    assert process is not None
    return process


def connected(url: str) -> "closing[psycopg2.extensions.connection]":
    return closing(psycopg2.connect(url.replace("+psycopg2", "")))


def test_it_says_what_it_started_and_the_address_last(running: Up) -> None:
    lines = running.words().partition(running.address)[0].splitlines()
    assert len(lines) <= 8
    assert any(str(running.data) in line for line in lines)
    assert lines[-1] == "Rowmill is at "
    # The worker enters itself seconds later, and the start does not wait for it.
    (worker,) = [line for line in lines if "worker" in line]
    assert "was started" in worker
    assert "running" not in worker.partition("worker")[2]
    assert plain.get(f"{running.address}/readyz").status_code == 200


def test_ctrl_c_ends_everything_in_the_right_order(up: Callable[..., Up]) -> None:
    one = up()
    parts = {name: part(one, name) for name in PARTS}
    family = one.family()
    os.killpg(one.process.pid, signal.SIGINT)
    gone: list[str] = []

    def all_gone() -> bool:
        # The last one first: who ends between two looks has not gone before its time.
        ended = [name for name in reversed(parts) if not living(parts[name].pid)]
        gone.extend(name for name in parts if name in ended and name not in gone)
        return len(gone) == len(parts)

    poll(all_gone, seconds=60, why=one.everything)
    assert one.process.wait(60) == 0
    assert gone == ["api", "worker", "postgres"]
    assert not [pid for pid in family if living(pid)]
    assert "shut down" in (one.data / "logs" / "postgres.log").read_text().splitlines()[-1]


@pytest.mark.parametrize("name", ["api", "worker", "postgres"])
def test_a_part_that_dies_is_started_again_and_said(running: Up, name: str) -> None:
    before = part(running, name)
    said = running.words().count(f"is started again in {FIRST_PAUSE_SECONDS:g} s")
    before.kill()
    part(running, name, other_than=before.pid)
    assert running.words().count(f"is started again in {FIRST_PAUSE_SECONDS:g} s") > said
    poll(lambda: _ready(running), seconds=60, why=running.everything)


def test_other_commands_find_the_database_that_runs(running: Up) -> None:
    done = subprocess.run(
        [*ROWMILL, "migrate"],
        env=environment(ROWMILL_DATA=str(running.data)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "The schema is up to date.\n")


def test_with_a_database_url_it_starts_no_server_and_ends_at_sigterm(
    up: Callable[..., Up], database_url: str
) -> None:
    one = up(DATABASE_URL=database_url)
    assert one.part("postgres") is None
    assert not (one.data / "logs" / "migrate.log").exists()
    assert not (one.data / "postgres-18").exists()
    assert "The database is test_" in one.words()
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(60) == 0


def test_a_folder_of_another_house_stops_it_with_the_reason(
    database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "house").write_text("11111111-1111-4111-8111-111111111111\n")
    settings = {"ROWMILL_DATA": str(tmp_path), "ROWMILL_PORT": "0", "DATABASE_URL": database_url}
    done = subprocess.run(
        [*ROWMILL, "up"],
        env=environment(**settings),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "belongs to house 11111111" in done.stderr.splitlines()[-1]


def worker_alone(url: str, data: Path) -> "subprocess.CompletedProcess[str]":
    """Run a worker that is expected to end by itself."""
    return subprocess.run(
        [sys.executable, "-m", "worker"],
        env=environment(ROWMILL_DATA=str(data), DATABASE_URL=url, ROWMILL_KINDS="image"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_worker_refuses_an_older_schema_with_the_command_to_run(
    database_url: str, tmp_path: Path
) -> None:
    with connected(database_url) as connection, connection, connection.cursor() as cursor:
        cursor.execute("UPDATE alembic_version SET version_num = '0001'")
    done = worker_alone(database_url, tmp_path)
    assert done.returncode == 2
    assert "revision 0001" in done.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].endswith("Run: rowmill migrate")


def test_a_worker_that_cannot_write_its_data_says_so_in_one_line(
    database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "a-file").touch()
    done = worker_alone(database_url, tmp_path / "a-file" / "data")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("rowmill worker: ")
    assert str(tmp_path / "a-file") in line


def test_an_api_that_dies_before_all_is_ready_is_reported_with_its_last_words(
    postgres: Server, tmp_path: Path
) -> None:
    words = "uvicorn is broken"
    (tmp_path / "uvicorn.py").write_text(f"import sys; print({words!r}); sys.exit(2)\n")
    settings = {
        "ROWMILL_DATA": str(tmp_path / "data"),
        "ROWMILL_PORT": "0",
        "PYTHONPATH": f"{tmp_path}:{ROOT}",
    }
    with postgres.database(template="template1") as url, connected(url) as connection:
        connection.cursor().execute(f"SELECT pg_advisory_lock({MIGRATION_LOCK})")
        process = subprocess.Popen(
            [*ROWMILL, "up"],
            env=environment(**settings, DATABASE_URL=url),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        log = tmp_path / "data" / "logs" / "api.log"
        poll(lambda: log.exists() and words in log.read_text())
        poll(lambda: not _runs_an_api(process.pid))
        connection.close()
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (2, f"rowmill up: the API cannot run: {words}\n")


def test_processes_of_which_one_could_not_start_are_no_success(
    database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "house").write_text("11111111-1111-4111-8111-111111111111\n")
    unchecked = (
        "from app.cli import api, listen; api._refuse_hopeless = lambda *_: None; "
        "settings = api.from_environment(); "
        "print('ended with', api._serve_many(listen.listen(settings), settings, 1))"
    )
    settings = {"ROWMILL_DATA": str(tmp_path), "ROWMILL_PORT": "0", "DATABASE_URL": database_url}
    done = subprocess.run(
        [sys.executable, "-c", unchecked],
        env=environment(**settings),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "ended with 1\n"


def test_api_processes_that_share_a_port_die_with_the_first(
    database_url: str, tmp_path: Path
) -> None:
    port = str(free_port())
    settings = {"ROWMILL_DATA": str(tmp_path), "ROWMILL_PORT": port, "DATABASE_URL": database_url}
    log = tmp_path / "log"
    with log.open("wb") as output:
        first = subprocess.Popen(
            [*ROWMILL, "api", "--workers", "2"], env=environment(**settings), stderr=output
        )

    poll(lambda: _answers(port), why=log.read_text)
    children = [child.pid for child in psutil.Process(first.pid).children(recursive=True)]
    assert len(children) >= 2
    first.kill()
    first.wait()
    try:
        poll(lambda: not [pid for pid in children if living(pid)])
    finally:
        for pid in filter(living, children):
            os.kill(pid, signal.SIGKILL)


def test_the_api_ends_with_0_when_told_to_stop(database_url: str, tmp_path: Path) -> None:
    port = str(free_port())
    settings = {"ROWMILL_DATA": str(tmp_path), "ROWMILL_PORT": port, "DATABASE_URL": database_url}
    api = subprocess.Popen([*ROWMILL, "api"], env=environment(**settings))
    try:
        poll(lambda: _answers(port))
        api.send_signal(signal.SIGTERM)
        assert api.wait(60) == 0
    finally:
        api.kill()
        api.wait()


def _answers(port: str) -> bool:
    with suppress(httpx.HTTPError):
        return plain.get(f"http://127.0.0.1:{port}/healthz", timeout=5).status_code == 200
    return False


def _runs_an_api(pid: int) -> bool:
    return any(PARTS["api"] in line for line in _living_children(pid))


def _living_children(pid: int) -> Iterator[str]:
    """Yield the command lines of those that live."""
    for child in psutil.Process(pid).children():
        with suppress(psutil.NoSuchProcess):
            if living(child.pid):
                yield " ".join(child.cmdline())


def _ready(up: Up) -> bool:
    with suppress(httpx.HTTPError):
        return plain.get(f"{up.address}/readyz", timeout=5).status_code == 200
    return False
