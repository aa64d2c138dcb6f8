"""The embedded server: what it is, who may come in, and how it ends."""

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from app.embedded import EmbeddedFailed, door, running_url
from app.embedded.account import Account, account_for
from app.embedded.binaries import programs_for
from tests.app.embedded.held import Held
from tests.polling import poll
from tests.system.house import family_of, living

Hold = Callable[..., Held]


def test_a_new_database_speaks_utf8_the_same_way_on_each_machine(
    new_data: Path, hold: Hold
) -> None:
    server = hold(new_data)
    assert server.ask("SHOW server_encoding") == "UTF8"
    assert server.ask("SELECT lower('ÄÖ')") == "äö"
    assert server.ask("SELECT max(x) FROM (VALUES ('a'), ('Z')) t(x)") == "a"
    assert server.ask("SHOW server_version").startswith("18.")


def test_rowmills_own_role_is_no_superuser(new_data: Path, hold: Hold) -> None:
    server = hold(new_data)
    assert server.ask("SELECT current_user") == "rowmill"
    assert server.ask("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
    assert server.ask("CREATE TABLE t (x int)") is None


def test_it_listens_on_no_network(data: Path, hold: Hold) -> None:
    server = hold(data)
    assert server.ask("SHOW listen_addresses") == ""
    assert psutil.Process(server.pid).net_connections("inet") == []


def test_only_its_owner_can_open_the_socket(data: Path, hold: Hold) -> None:
    server = hold(data)
    folder = data / "postgres-18"
    socket = folder / ".s.PGSQL.5432"
    owner = psutil.Process(server.pid).uids().real
    for path in (folder, socket):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert path.stat().st_uid == owner


def test_a_long_or_odd_data_folder_gets_a_short_socket(open_folder: Path, hold: Hold) -> None:
    data = open_folder / "comma, quote' and space" / ("long" * 40)
    server = hold(data)
    assert server.ask("SELECT 1") == 1
    folder = Path(server.facts["url"].rpartition("host=")[2])
    assert len(bytes(folder / ".s.PGSQL.5432")) <= 107
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert running_url(data) == server.facts["url"]


def test_its_session_is_its_own_so_that_ctrl_c_reaches_it_last(data: Path, hold: Hold) -> None:
    server = hold(data)
    assert os.getsid(server.pid) == server.pid


def test_a_second_start_finds_everything_as_it_was(data: Path, hold: Hold) -> None:
    first = hold(data)
    first.ask("CREATE TABLE kept AS SELECT 42 AS answer")
    assert first.stop() == 0
    assert running_url(data) is None
    began = time.monotonic()
    second = hold(data)
    sys.stdout.write(f"second start: {time.monotonic() - began:.2f} s\n")
    assert second.ask("SELECT answer FROM kept") == 42
    assert running_url(data) == second.facts["url"]


def test_it_dies_with_the_program_that_started_it(data: Path, hold: Hold) -> None:
    server = hold(data)
    family = [server.pid, *family_of(server.pid)]
    server.kill()
    poll(lambda: not any(living(pid) for pid in family))


def test_rows_survive_kill_9_of_every_process(data: Path, hold: Hold) -> None:
    first = hold(data)
    first.ask("CREATE TABLE kept AS SELECT 42 AS answer")
    first.kill_everything()
    began = time.monotonic()
    second = hold(data)
    sys.stdout.write(f"start after kill -9: {time.monotonic() - began:.2f} s\n")
    assert second.ask("SELECT answer FROM kept") == 42


@pytest.mark.parametrize("stale", ["postmaster.pid", ".s.PGSQL.5432.lock"])
def test_a_stale_pid_that_is_a_strangers_now_is_not_believed(
    data: Path, hold: Hold, stale: str
) -> None:
    first = hold(data)
    words = (data / "postgres-18" / stale).read_text()
    first.stop()
    # PostgreSQL itself believes any living process of its own user.
    stranger = subprocess.Popen(["sleep", "600"], **account_for(data / "postgres-18").switch)
    try:
        pid_line, rest = words.split("\n", 1)
        assert pid_line == str(first.pid)
        path = data / "postgres-18" / stale
        path.write_text(f"{stranger.pid}\n{rest}")
        path.chmod(0o666)
        assert hold(data).ask("SELECT 1") == 1
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_server_that_was_started_by_hand_is_stopped_first(
    data: Path, hold: Hold, tmp_path: Path
) -> None:
    cluster = data / "postgres-18"
    account = account_for(cluster)
    log = tmp_path / "by-hand.log"
    with log.open("ab") as output:
        by_hand = subprocess.Popen(
            [programs_for(account) / "postgres", "-D", cluster, "-h", "", "-k", cluster],
            stderr=output,
            cwd="/",
            **account.switch,
        )
    poll(lambda: "ready to accept" in log.read_text(), why=log.read_text)
    server = hold(data)
    assert server.ask("SELECT 1") == 1
    assert by_hand.wait(60) == 0
    assert str(by_hand.pid) in server.facts["said"][0]


def test_a_backend_that_outlived_its_server_keeps_the_next_one_out(data: Path, hold: Hold) -> None:
    first = hold(data)
    orphan = psutil.Process(family_of(first.pid)[0])
    orphan.suspend()
    try:
        first.kill_everything(but=orphan.pid)
        assert "do not end" in hold(data, patience="0.5").failed
    finally:
        orphan.resume()
    assert hold(data).ask("SELECT 1") == 1


def test_a_first_start_that_was_cut_short_begins_anew(new_data: Path, hold: Hold) -> None:
    unfinished = new_data / "postgres-18.unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    assert hold(new_data).ask("SELECT 1") == 1
    assert not unfinished.exists()


def test_a_database_of_another_version_is_named_with_what_to_do(new_data: Path, hold: Hold) -> None:
    (new_data / "postgres-17").mkdir(parents=True)
    failed = hold(new_data).failed
    assert (
        f"{new_data}/postgres-17 is a database of PostgreSQL 17; this Rowmill brings 18" in failed
    )
    assert "pg_dump" in failed
    assert not (new_data / "postgres-18").exists()


def test_a_link_to_a_database_that_is_gone_is_named(new_data: Path, hold: Hold) -> None:
    new_data.mkdir()
    (new_data / "postgres-18").symlink_to("/nowhere/postgres-18")
    assert "leads to /nowhere/postgres-18, which is gone" in hold(new_data).failed


def test_what_the_server_says_when_it_does_not_start_is_repeated(data: Path, hold: Hold) -> None:
    with (data / "postgres-18" / "postgresql.conf").open("a") as settings:
        settings.write("nonsense = on\n")
    assert "PostgreSQL did not start" in hold(data).failed


def test_a_socket_folder_that_others_can_open_is_refused(tmp_path: Path) -> None:
    us = Account("us", os.geteuid(), os.getegid())
    folder = tmp_path / "socket"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(EmbeddedFailed, match="not a private folder of us"):
        door.open_socket_folder(folder, us)
    folder.chmod(0o700)
    door.open_socket_folder(folder, us)
