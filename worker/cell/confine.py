"""Takes away what a conversion does not need: the last step before the first byte of input is read.

Every layer of the sandbox stands here, in this order: no new privileges and the resource limits;
then what the kernel can do about files, sockets and processes; then a self-test. A layer that
cannot be put up raises, and the cell ends before it has read anything.
"""

from worker.cell.limits import apply_limits
from worker.cell.prctl import PR_SET_NO_NEW_PRIVS, prctl
from worker.cell.task import Task


def confine(task: Task) -> None:
    """Confine this process, which has one thread and has loaded its converter; no way back."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)  # nothing it starts becomes what we may no longer kill
    apply_limits(task)
