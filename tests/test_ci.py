"""What `.ci/test` asks of a bare machine, and what it says when something cannot be had."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "test"
NEEDED = ("awk", "bash", "dirname", "env", "mktemp", "realpath", "rmdir", "sed")
NO_BROWSER = "the browser: no chromium here, and Playwright could not fetch its own"
ASKED = "Installing Debian packages that the tests need: "


class Bare:
    """A machine of root's with a clone and nothing else; `ls` shows the PostgreSQL it has."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "clone"
        (self.clone / ".ci").mkdir(parents=True)
        shutil.copy(SCRIPT, self.clone / ".ci")
        self._programs = folder / "bin"
        self._programs.mkdir()
        for name in NEEDED:
            (self._programs / name).symlink_to(str(shutil.which(name)))
        self.has("id", "echo 0")
        self.has("apt-get")
        self.has("ls", "exit 2")

    def has(self, program: str, does: str = "true", *, own: bool = False) -> None:
        """Have a program that does this, on the machine or in the clone's own environment."""
        folder = self.clone / ".venv" / "bin" if own else self._programs
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / program
        path.write_text(f"#!/bin/sh\n{does}\n")
        path.chmod(0o755)

    def test(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(self.clone / ".ci" / "test")],
            env={"PATH": str(self._programs), "CI_STRICT": "1", **environment},
            capture_output=True,
            text=True,
        )

    def asked_for(self) -> list[str]:
        """Return the Debian packages it asks for."""
        lines = self.test().stdout.splitlines()
        asked = [line.removeprefix(ASKED) for line in lines if line.startswith(ASKED)]
        return " ".join(asked).split()

    def left_out(self, about: str, **environment: str) -> list[str]:
        done = self.test(**environment)
        assert done.returncode == 1, "something is always lacking here"
        return [line for line in done.stdout.splitlines() if f"Left out: {about}" in line]


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    return Bare(tmp_path)


def test_root_on_debian_asks_for_what_the_tests_need(bare: Bare) -> None:
    assert {"chromium", "postgresql", "nodejs", "npm"} <= {*bare.asked_for()}


def test_a_node_of_whatever_origin_is_left_alone(bare: Bare) -> None:
    """Debian's npm would ask for Debian's Node in its place."""
    bare.has("npm")
    assert not {"nodejs", "npm"} & {*bare.asked_for()}
    assert bare.left_out("upload clients") == []


def test_without_npm_the_clients_of_others_are_left_out_and_strictness_fails(bare: Bare) -> None:
    (line,) = bare.left_out("upload clients")
    assert "apt install nodejs npm" in line


@pytest.mark.parametrize(("major", "enough"), [("15", True), ("17", True), ("18", False)])
def test_the_moves_need_a_postgresql_before_the_embedded_one(
    bare: Bare, major: str, enough: bool
) -> None:
    bare.has("ls", f"echo /usr/lib/postgresql/{major}/bin/postgres")
    assert ("postgresql" in bare.asked_for()) is not enough
    assert (bare.left_out("the moves on an older PostgreSQL") == []) is enough


@pytest.mark.parametrize("fetched", [True, False])
def test_without_a_chromium_playwright_fetches_its_own(bare: Bare, fetched: bool) -> None:
    asked = bare.clone / "asked"
    bare.has("playwright", f'echo "$@" > {asked}\n{"true" if fetched else "exit 1"}', own=True)
    lines = bare.left_out("the browser")
    assert asked.read_text() == "install chromium\n"
    assert lines == ([] if fetched else [f"Left out: {NO_BROWSER}"])


def test_a_chromium_that_is_there_is_enough(bare: Bare) -> None:
    bare.has("chromium")
    assert bare.left_out("the browser") == []  # and there is no playwright to ask
    assert "chromium" not in bare.asked_for()


def test_without_the_real_files_it_says_where_they_are_looked_for(bare: Bare) -> None:
    (line,) = bare.left_out("real files")
    assert "../shared/samples" in line
    assert "ROWMILL_CORPUS" in line
    told = (ROOT / "CONTRIBUTING.md").read_text()
    assert "`../shared/samples`" in told
    assert "`ROWMILL_CORPUS`" in told


@pytest.mark.parametrize("named", [True, False])
def test_the_real_files_are_found_beside_the_clone_or_where_the_variable_says(
    bare: Bare, tmp_path: Path, named: bool
) -> None:
    folder = tmp_path / ("elsewhere" if named else "shared/samples")
    folder.mkdir(parents=True)
    environment = {"ROWMILL_CORPUS": str(folder)} if named else {}
    assert bare.left_out("real files", **environment) == []
