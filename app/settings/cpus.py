"""How many CPUs this container may use."""

import os
from pathlib import Path


def usable_cpus(cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the CPUs that this container may use: by its cgroup quota and its affinity."""
    return max(1, min(len(os.sched_getaffinity(0)), _quota(cgroup) or 10**6))


def _quota(cgroup: Path) -> int | None:
    v2 = cgroup / "cpu.max"
    v1 = cgroup / "cpu"
    try:
        if v2.exists():
            quota, period = v2.read_text().split()[:2]
        else:
            quota = (v1 / "cpu.cfs_quota_us").read_text()
            period = (v1 / "cpu.cfs_period_us").read_text()
        return max(1, int(quota) // int(period)) if int(quota) > 0 else None
    except (OSError, ValueError):
        return None  # no quota is set: "max" in version 2, no file at all on a bare host
