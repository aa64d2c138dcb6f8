"""`.ci/run` takes no report in which a test is missing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PASSED = '<testcase classname="tests.test_one" name="test_a"/>'
SKIPPED = '<testcase classname="tests.test_two" name="test_b"><skipped message="no"/></testcase>'
SUMMARY = "===== 1 passed in 0.01s ====="


class Clone:
    """A clean clone with nothing but `.ci`, a `make` that notes its calls and a made report."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        self._calls = folder / "calls"
        self._report = folder / "report"
        self._path = f"{folder}:/usr/local/bin:/usr/bin:/bin"
        shutil.copytree(ROOT / ".ci", self.folder / ".ci")
        _program(self.folder / ".venv" / "bin" / "python", f'exec {sys.executable} "$@"')
        copied = f'if [ "$1" = test ]; then cp {self._report} "$JUNIT"; echo "{SUMMARY}"; fi'
        _program(folder / "make", f'echo "$1" >> {self._calls}\n{copied}')
        self.reports(PASSED)

    def reports(self, *cases: str) -> None:
        whole = f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"
        self._report.write_text(whole)

    def run(self) -> "subprocess.CompletedProcess[str]":
        return self._ended([".ci/run"])

    def made(self) -> list[str]:
        return self._calls.read_text().split() if self._calls.exists() else []

    def _ended(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        environment = {"PATH": self._path, "HOME": "/nowhere"}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True
        )


def _program(path: Path, does: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_a_clean_clone_is_checked_and_tested_where_it_is(clone: Clone) -> None:
    done = clone.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == SUMMARY
    assert clone.made() == ["check", "test"]


def test_a_skipped_test_fails_the_run_and_is_named(clone: Clone) -> None:
    clone.reports(PASSED, SKIPPED)
    done = clone.run()
    assert done.returncode == 1
    assert "Skipped: tests.test_two::test_b" in done.stdout
    assert "1 of 2 tests were skipped" in done.stderr


def test_a_report_without_tests_fails_the_run(clone: Clone) -> None:
    clone.reports()
    done = clone.run()
    assert done.returncode == 1
    assert "has no test" in done.stderr
