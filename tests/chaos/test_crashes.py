"""What an API had not foreseen is told with its reason, also if no client met it."""

import subprocess
import sys
from pathlib import Path

from tests.chaos.run import crashes
from tests.system.house import Process

CRASH = """
from app import log
log.configure(service="api")
try:
    raise ValueError("of a kind")
except ValueError:
    log.get_logger().exception("request.crashed", method="GET")
"""


def run(script: str, folder: Path) -> Process:
    log = folder / "api-3.log"
    with log.open("wb") as output:
        popen = subprocess.Popen([sys.executable, "-c", script], stdout=output, stderr=output)
        assert popen.wait(60) == 0
    return Process("api", popen, log)


def test_a_crash_is_told_with_its_reason(tmp_path: Path) -> None:
    assert crashes([run(CRASH, tmp_path)]) == ["api-3.log: GET ended in ValueError: of a kind"]


def test_a_log_without_a_crash_is_silent(tmp_path: Path) -> None:
    assert crashes([run("""print('{"event": "api.open"}')""", tmp_path)]) == []


def test_a_line_that_a_kill_has_cut_is_left_out(tmp_path: Path) -> None:
    assert crashes([run("""print('{"event": "request.crashed", "meth')""", tmp_path)]) == []
