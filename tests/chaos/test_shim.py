"""Nothing that may be lost halfway goes past the points of a process that is to stand still."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.chaos.scene import SHIM

CHANGES = """
import os, signal, sys
from pathlib import Path

os.kill(os.getpid(), signal.SIGUSR1)
one = Path(sys.argv[1])
one.write_text("by a stream")
other = os.open(one.with_name("two"), os.O_RDWR | os.O_CREAT)
os.pwrite(other, b"at a place", 0)
os.copy_file_range(os.open(one, os.O_RDONLY), other, 4)
os.fsync(other)
one.rename(one.with_name("three"))
"""
STATEMENTS = """
import chaos_points, sys
sys.exit(not chaos_points._is_of_a_path(sys.argv[1]))
"""
CLOCKS = """
import time
from datetime import UTC, datetime

print(time.time())
print(time.time_ns() / 1e9)
print(datetime.now().timestamp())
print(datetime.now(UTC).timestamp())
print(datetime.now(tz=UTC).timestamp())
print(datetime.today().timestamp())
print(datetime.utcnow().replace(tzinfo=UTC).timestamp())
"""


def start(program: str, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, env={"PYTHONPATH": str(SHIM), **environment})


def points(folder: Path, *, at: int = 10**9) -> tuple[int, list[str]]:
    """Return how a process ended or stopped, and the points it passed until then."""
    log = folder / "points"
    Path(f"{log}.at").write_text(str(at))
    with start(CHANGES, str(folder / "one"), CHAOS_POINTS=str(log)) as process:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        passed = [line.partition(" ")[2] for line in log.read_text().splitlines()[1:]]
        if os.WIFSTOPPED(status):
            process.kill()
    return status, passed


def test_every_change_of_a_file_has_a_point_before_and_after_it(tmp_path: Path) -> None:
    status, passed = points(tmp_path)
    assert status == 0
    for change in (
        "open one",
        "write one",
        "close one",
        "open two",
        "pwrite two",
        "copy_file_range one",
        "fsync two",
        "rename one",
    ):
        assert passed.index(f"before {change}") < passed.index(f"after {change}")


def test_a_process_stands_still_at_its_point(tmp_path: Path) -> None:
    status, passed = points(tmp_path, at=3)
    assert os.WIFSTOPPED(status)
    assert passed == ["before open one", "after open one", "before write one"]
    assert (tmp_path / "one").read_bytes() == b""


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO uploads (id) VALUES (1)",
        "UPDATE idempotency_keys SET upload_id = 1",
        "DELETE FROM idempotency_keys",
        "SELECT uploads.id FROM uploads FOR UPDATE",
        "SELECT uploads.id FROM uploads FOR NO KEY UPDATE",
        "SELECT jobs.id FROM jobs FOR UPDATE OF jobs SKIP LOCKED",
    ],
)
def test_a_statement_that_changes_or_locks_has_a_point(statement: str) -> None:
    assert start(STATEMENTS, statement).wait() == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE workers SET heartbeat = now()",
        "UPDATE house SET swept_at = now()",
        "UPDATE jobs SET progress = 0.5",
        "SELECT jobs.id FROM jobs",
    ],
)
def test_beats_sweeps_and_a_workers_looks_have_none(statement: str) -> None:
    assert start(STATEMENTS, statement).wait() == 1


@pytest.mark.parametrize("shift", [3600, -3600])
def test_every_clock_of_a_process_is_as_far_off_as_it_was_told(shift: int) -> None:
    command = [sys.executable, "-W", "ignore", "-c", CLOCKS]
    environment = {"PYTHONPATH": str(SHIM), "CHAOS_CLOCK_SECONDS": str(shift), "TZ": "Asia/Tokyo"}
    before = time.time()
    told = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    clocks = [float(line) - shift for line in told.split()]
    assert len(clocks) == CLOCKS.count("print")
    assert all(before - 1 <= clock <= time.time() + 1 for clock in clocks)
