"""The resource limits of a cell, which the kernel keeps."""

import resource

from worker.cell.task import Task

CPU_GRACE_SECONDS = 2  # between SIGXCPU, which native code may ignore, and SIGKILL
# The usual one. Without any, the kernel lays programs out in an order that is easier to guess.
STACK_BYTES = 8 * 1024**2


def apply_limits(task: Task) -> None:
    """Limit this process for good: the hard limits go down too and cannot be raised again."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _limit(resource.RLIMIT_NOFILE, task.open_files)
    _limit(resource.RLIMIT_FSIZE, task.file_bytes)
    _limit(resource.RLIMIT_CPU, task.cpu_seconds, grace=CPU_GRACE_SECONDS)
    _limit(resource.RLIMIT_STACK, STACK_BYTES)
    _limit(resource.RLIMIT_AS, task.memory_bytes)


def _limit(name: int, value: int, *, grace: int = 0) -> None:
    """Set a limit, or keep the one of the machine where that is lower."""
    _, ceiling = resource.getrlimit(name)
    hard = value + grace if ceiling == resource.RLIM_INFINITY else min(value + grace, ceiling)
    resource.setrlimit(name, (min(value, hard), hard))
