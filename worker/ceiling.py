"""Whether the memory of this worker's container is enough for all of its slots."""

from pathlib import Path

from app import log as logging

log = logging.get_logger()
_CGROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def tell(*, slots: int, each: int, cgroups: Path = _CGROUPS, own: Path = _OWN) -> None:
    """Warn when the slots may take more bytes than the container; `each` is a slot's limit.

    Silent where there is no cgroup 2 that counts memory: nothing is known there.
    """
    limits = _limits(cgroups, own)
    if limits is None:
        return
    asked = f"{slots:,} slots × {each:,} = {slots * each:,} bytes"  # noqa: RUF001
    if not limits:
        reason = f"No cgroup limits this worker's memory; {asked} may be in use at once."
        log.info("worker.memory", reason=reason)
    elif slots * each > min(limits):
        reason = (
            f"{asked}, and this container has {min(limits):,}: when it is used up the kernel ends "
            "conversions, whose jobs are tried again. Raise its memory limit, or lower "
            "ROWMILL_SLOTS or ROWMILL_MEMORY_LIMIT_BYTES."
        )
        log.warning("worker.memory", reason=reason)


def _limits(cgroups: Path, own: Path) -> list[int] | None:
    """Return the limits of this process's cgroup and of those around it, in bytes.

    In a container its own is the root of what it sees, and may have a limit, too. None where no
    memory is counted.
    """
    try:
        lines = own.read_text().splitlines()
        [path] = [line.removeprefix("0::/") for line in lines if line.startswith("0::/")]
        counted = (cgroups / "cgroup.controllers").read_text().split()
    except (OSError, ValueError):
        return None
    if "memory" not in counted:
        return None
    around = [cgroups / path, *(cgroups / path).parents]
    found = [_limit(one / "memory.max") for one in around if one.is_relative_to(cgroups)]
    return [limit for limit in found if limit is not None]


def _limit(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None  # "max", or no file at all in the root of the host
