"""A value that something behind it could not work with is refused at the start, by its name."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.settings import _READERS as READERS
from app.settings import BadSetting, from_environment
from worker import product

ROOT = Path(__file__).parents[3]
SECONDS = sorted(name for name in READERS if name.endswith("_SECONDS"))
MOST = sorted(name for name in READERS if name.endswith("_BYTES") or "_MAX_" in name)


def most(name: str) -> float:
    """Return the largest value, which the refusal of a larger one tells."""
    with pytest.raises(BadSetting, match=f"{name}=.*out of range") as refused:
        READERS[name]("9" * 40, name)
    return float(str(refused.value).rpartition(" to ")[2].removesuffix("."))


@pytest.mark.parametrize("name", SECONDS)
def test_no_setting_leads_to_a_year_of_five_digits(name: str) -> None:
    assert datetime.now(UTC) + timedelta(seconds=most(name)) < datetime(2100, 1, 1, tzinfo=UTC)
    for text in ("inf", "nan", "1e12", "1e400"):
        with pytest.raises(BadSetting, match=name):
            READERS[name](text, name)


@pytest.mark.parametrize("name", MOST)
def test_four_times_the_largest_number_is_one_for_the_kernel_and_a_bigint(name: str) -> None:
    assert 4 * most(name) < 2**63
    with pytest.raises(BadSetting, match=f"{name}=.*out of range"):
        READERS[name]("9" * 5000, name)


def test_the_largest_upload_has_a_result_whose_size_can_be_limited() -> None:
    largest = from_environment({"ROWMILL_MAX_UPLOAD_BYTES": str(2**60)})
    limit = product.limit(largest)
    program = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_kind_has_no_more_room_than_a_worker_can_have_slots() -> None:
    assert from_environment({"ROWMILL_KINDS": "image:1000"}).kinds == {"image": 1000}
    with pytest.raises(BadSetting, match="ROWMILL_KINDS='1001' is out of range"):
        from_environment({"ROWMILL_KINDS": "image:1001"})


def test_a_sweep_may_come_twice_in_a_lease() -> None:
    assert from_environment({"ROWMILL_SWEEP_SECONDS": "30"}).misses == 2
    with pytest.raises(BadSetting, match=r"ROWMILL_SWEEP_SECONDS=30\.1 must be at most half"):
        from_environment({"ROWMILL_SWEEP_SECONDS": "30.1"})


def test_a_beat_may_not_take_so_long_that_a_worker_seems_dead_in_between() -> None:
    """Of four sweeps in 60 s three lie between two beats at most; a beat takes half of that."""
    assert from_environment({"ROWMILL_BEAT_SECONDS": "22.5"}).misses == 4
    with pytest.raises(BadSetting, match="ROWMILL_BEAT_SECONDS=23 is too long"):
        from_environment({"ROWMILL_BEAT_SECONDS": "23"})


WORKER = """
from worker import start

def tell(_settings):
    for level in ("debug", "info", "warning", "error"):
        getattr(start.log, level)(level)

start._run = tell
start.run()
"""


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_a_worker_says_as_much_as_the_log_level_wants(level: str, said: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WORKER],
        env={"ROWMILL_LOG_LEVEL": level, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["event"], line["service"]) for line in lines] == [(w, "worker") for w in said]
