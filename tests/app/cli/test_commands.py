"""What each command says when it cannot run, and what doctor finds."""

import json
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from app import schema
from app.cli import COMMANDS
from app.cli.alone import alone
from app.db import single_engine
from app.diagnosis.whole import KEYS
from app.storage import DiskStorage
from tests.postgres import VERSIONS, Server, migrated

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def one_line(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def test_help_names_each_command(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(f"    {name} " in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_bad_setting_is_one_line_that_names_it(run: Run, command: str) -> None:
    given = [command, "an-upload"] if command == "why" else [command]
    assert "ROWMILL_PORT='many'" in one_line(run(*given, ROWMILL_PORT="many"))


@pytest.mark.parametrize("command", ["api", "worker", "migrate"])
def test_without_a_database_a_command_says_how_to_get_one(
    run: Run, command: str, tmp_path: Path
) -> None:
    says = one_line(run(command, ROWMILL_DATA=tmp_path))
    assert f"no embedded PostgreSQL runs on {tmp_path}" in says
    assert "rowmill up" in says


def test_a_database_that_is_not_there_is_one_line(run: Run) -> None:
    says = one_line(run("migrate", DATABASE_URL="postgresql://nobody@127.0.0.1:1/none"))
    assert "Connection refused" in says


@pytest.mark.parametrize("command", ["up", "api"])
def test_a_taken_port_is_named_with_what_to_do(run: Run, command: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        url = "postgresql://nobody@127.0.0.1:1/none"
        says = one_line(run(command, DATABASE_URL=url, ROWMILL_DATA=tmp_path, ROWMILL_PORT=port))
    assert f"another program listens on 127.0.0.1:{port} already" in says
    assert "choose another port" in says


def test_a_host_that_is_not_ours_is_named(run: Run, tmp_path: Path) -> None:
    says = one_line(run("up", ROWMILL_HOST="192.0.2.1", ROWMILL_DATA=tmp_path))
    assert "ROWMILL_HOST='192.0.2.1'" in says


@pytest.mark.parametrize("number", ["0", "-1", "two"])
def test_an_api_of_no_processes_is_refused(run: Run, number: str) -> None:
    done = run("api", "--workers", number)
    assert done.returncode == 2
    assert "1 or more" in done.stderr


def test_processes_that_could_never_work_are_not_started(
    run: Run, database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "house").write_text("11111111-1111-4111-8111-111111111111\n")
    settings = {"DATABASE_URL": database_url, "ROWMILL_DATA": tmp_path, "ROWMILL_PORT": 0}
    says = one_line(run("api", "--workers", "2", **settings))
    assert "belongs to house 11111111" in says


def test_a_lock_that_is_a_link_is_not_followed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "up.lock").symlink_to(tmp_path / "precious")
    assert run("up", ROWMILL_DATA=tmp_path, ROWMILL_PORT=0).returncode == 1
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_second_up_on_the_same_data_is_refused(run: Run, tmp_path: Path) -> None:
    with alone(tmp_path):
        says = one_line(run("up", ROWMILL_DATA=tmp_path, ROWMILL_PORT=0))
    assert f"Rowmill runs on {tmp_path} already (process " in says


def test_a_data_folder_that_cannot_be_made_is_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("up", ROWMILL_DATA=tmp_path / "file" / "data", ROWMILL_PORT=0)
    assert done.returncode == 1
    assert "Not a directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_without_a_database_says_so(run: Run, tmp_path: Path) -> None:
    done = run("doctor", ROWMILL_DATA=tmp_path)
    assert done.returncode == 2
    assert "failure  database: DATABASE_URL is not set" in done.stdout


def test_doctor_finds_a_schema_that_is_missing(run: Run, postgres: Server, tmp_path: Path) -> None:
    done = run("doctor", ROWMILL_DATA=tmp_path, DATABASE_URL=postgres.url("postgres"))
    assert done.returncode == 2
    assert "rowmill migrate" in done.stdout


def test_doctor_finds_a_storage_of_another_house(
    run: Run, database_url: str, tmp_path: Path
) -> None:
    done = run("doctor", ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert done.returncode == 2
    assert "failure  storage" in done.stdout


def furnish(database_url: str, data: Path) -> None:
    """Let the data folder belong to the database."""
    with single_engine(database_url, name="rowmill test").begin() as connection:
        house_id, _ = schema.house_of(connection)
    DiskStorage(data).claim_house(house_id, may_create=True)


def test_doctor_tells_five_things_as_json(run: Run, database_url: str, tmp_path: Path) -> None:
    furnish(database_url, tmp_path)
    done = run("doctor", "--json", ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    said = json.loads(done.stdout)
    assert tuple(said) == KEYS
    states = {key: told["state"] for key, told in said.items()}
    assert states.pop("settings") == "warning"  # test servers do not sync to the disk
    assert states.pop("horizon") in {"ok", "warning"}  # and are shared by many tests
    assert states.pop("idle_in_transaction") in {"ok", "warning"}
    assert states == {"seats": "ok", "queue": "ok"}
    assert (said["seats"]["worker_most"], said["settings"]["values"]["fsync"]) == (1, "off")
    assert {"claim_seconds", "bloat", "dead_rows", "stalled", "waiting"} < set(said["queue"])
    assert isinstance(said["horizon"]["holders"], list)
    assert (done.returncode, done.stderr) == (1, "")


def test_doctor_as_json_has_its_keys_even_without_a_database(run: Run, tmp_path: Path) -> None:
    url = "postgresql://nobody@127.0.0.1:1/none"
    done = run("doctor", "--json", ROWMILL_DATA=tmp_path, DATABASE_URL=url)
    assert json.loads(done.stdout) == dict.fromkeys(KEYS)
    assert done.returncode == 2
    assert done.stderr.startswith("failure  database: ")


def test_doctor_is_content_when_all_is_well(run: Run, tmp_path: Path) -> None:
    careful = {"fsync": "on", "full_page_writes": "on"}
    server = Server(VERSIONS["18"], **careful, idle_in_transaction_session_timeout="60s")
    try:
        with migrated(server).database() as url:
            furnish(url, tmp_path)
            done = run("doctor", ROWMILL_DATA=tmp_path, DATABASE_URL=url)
    finally:
        server.stop()
    assert done.returncode == 0, done.stdout
    assert all(line.startswith("ok ") for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) == 9
