"""What the log says of the sandbox at a worker's start."""

import pytest
from structlog.testing import capture_logs

from worker import start
from worker.cell.landlock import SCOPED_ABI


@pytest.mark.parametrize(
    ("abi", "isolated_outside", "levels"),
    [
        (SCOPED_ABI, False, []),
        (SCOPED_ABI, True, ["info"]),
        (SCOPED_ABI - 1, False, ["info"]),
        (SCOPED_ABI - 1, True, ["info", "info"]),
        (0, True, ["warning"]),
    ],
)
def test_the_operators_word_is_in_the_log_whether_it_is_needed_or_not(
    abi: int, isolated_outside: bool, levels: list[str]
) -> None:
    with capture_logs() as entries:
        start._tell_of_the_sandbox(abi, isolated_outside=isolated_outside)
    assert [entry["log_level"] for entry in entries] == levels
    said = " ".join(entry["reason"] for entry in entries)
    assert ("ROWMILL_SANDBOX=external" in said) is isolated_outside
