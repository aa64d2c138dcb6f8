"""Takes away what a conversion does not need: the last step before the first byte of input is read.

Every layer stands here, in its order. A layer that cannot be put up raises, and so does one that
is up and does not hold: the cell ends then, and has read nothing.
"""

import os
from functools import partial

from worker.cell import landlock, pads, paths, seccomp, selftest
from worker.cell.limits import apply_limits
from worker.cell.prctl import PR_SET_NO_NEW_PRIVS, prctl
from worker.cell.task import Task


def confine(task: Task) -> None:
    """Confine this process, which has one thread and has loaded its converter; no way back."""
    grants, canaries = paths.grants(task), selftest.canaries(task)
    apply_limits(task)
    prctl(PR_SET_NO_NEW_PRIVS, 1)  # nothing it starts becomes what we may no longer kill
    files = landlock.abi() > 0 or not task.isolated_outside
    if files:
        landlock.restrict(grants)
    # Pads come after Landlock, which they inherit, and before the filter, which forbids a fork.
    pads.make(task.needs.programs, confine=partial(_filter, task, execs=True))
    _filter(task, execs=False)
    selftest.check(canaries if files else [])


def _filter(task: Task, *, execs: bool) -> None:
    """Put up the last layer, which forbids what the others are put up with."""
    seccomp.apply(seccomp.Leave(pid=os.getpid(), execs=execs, unix_sockets=task.needs.unix_sockets))
