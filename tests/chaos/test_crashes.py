"""What an API had not foreseen is told with its reason, also if no client met it."""

import subprocess
import sys
from pathlib import Path

from tests.chaos.run import crashes

CRASH = """
from app import log
log.configure(service="api")
try:
    raise ValueError("of a kind")
except ValueError:
    log.get_logger().exception("request.crashed", method="GET")
"""


def test_a_crash_is_told_with_its_reason(tmp_path: Path) -> None:
    with (tmp_path / "api-3.log").open("wb") as log:
        subprocess.run([sys.executable, "-c", CRASH], stdout=log, stderr=log, check=True)
    assert crashes(tmp_path) == ["api-3.log: GET ended in ValueError: of a kind"]


def test_a_log_without_a_crash_is_silent(tmp_path: Path) -> None:
    (tmp_path / "api-3.log").write_text('{"event": "api.open"}\n')
    assert crashes(tmp_path) == []
