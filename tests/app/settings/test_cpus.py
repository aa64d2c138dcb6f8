"""A worker has as many slots as its container may use CPUs, not as its host has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import from_environment
from app.settings.cpus import usable_cpus

HERE = len(os.sched_getaffinity(0))


@pytest.fixture
def cgroup(tmp_path: Path) -> Path:
    (tmp_path / "cpu").mkdir()
    return tmp_path


def most(cpus: int) -> int:
    return min(cpus, HERE)


@pytest.mark.parametrize(
    ("says", "cpus"),
    [
        ("100000 100000", 1),
        ("200000 100000", 2),
        ("50000 100000", 1),  # half of one is still one
        ("199999 100000", 1),
        ("max 100000", HERE),
        ("nonsense", HERE),
        ("99900000 100000", HERE),
    ],
)
def test_the_quota_of_cgroup_2_counts(cgroup: Path, says: str, cpus: int) -> None:
    (cgroup / "cpu.max").write_text(f"{says}\n")
    assert usable_cpus(cgroup) == most(cpus)


@pytest.mark.parametrize(("quota", "cpus"), [("100000", 1), ("250000", 2), ("-1", HERE)])
def test_the_quota_of_cgroup_1_counts(cgroup: Path, quota: str, cpus: int) -> None:
    (cgroup / "cpu" / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    (cgroup / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    assert usable_cpus(cgroup) == most(cpus)


def test_without_a_quota_the_affinity_counts(cgroup: Path) -> None:
    one = min(os.sched_getaffinity(0))
    program = (
        f"import os, pathlib; os.sched_setaffinity(0, [{one}]); from app.settings import cpus; "
        f"print(cpus.usable_cpus(pathlib.Path({str(cgroup)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "1\n", done.stderr
    assert usable_cpus(cgroup) == HERE


def test_slots_are_the_cpus_unless_somebody_says_otherwise() -> None:
    assert from_environment({}).slots == usable_cpus()
    assert from_environment({"ROWMILL_SLOTS": "77"}).slots == 77
