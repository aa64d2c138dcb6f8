"""The spawner's loop: a request becomes a cell, a dead cell becomes a message."""

import faulthandler
import os
import select
import signal
import socket
from collections.abc import Sequence

from worker.cell.birth import leave_environment
from worker.cell.prctl import PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG, prctl
from worker.cell.privacy import make_undumpable
from worker.cell.task import Task
from worker.spawner.brood import Brood
from worker.spawner.message import DESCRIPTORS, hear, tell
from worker.spawner.preload import preload

TICK_SECONDS = 1.0


def run(control: int, *, worker: int, converters: Sequence[str]) -> None:
    """Be the spawner of `worker` until it hangs up or dies, or wants no more and no cell lives."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != worker:
        return
    make_undumpable()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    faulthandler.enable()  # a cell that crashes in native code says where
    with socket.socket(fileno=control) as channel:
        ready = preload(converters)
        leave_environment()
        tell(channel, {"ready": ready})
        _end_in_order()
        _serve(channel, worker=worker)


def _end_in_order() -> None:
    """From here on end in order, cells first, when the worker dies; and only then.

    Ctrl-C and an init system signal every process at once, while the worker still gives its
    conversions time to finish.
    """
    prctl(PR_SET_PDEATHSIG, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _serve(control: socket.socket, *, worker: int) -> None:
    poll = select.poll()
    poll.register(control, select.POLLIN)
    brood, asked = Brood(poll), True
    try:
        while os.getppid() == worker and (asked or brood.living):
            ready = dict(poll.poll(TICK_SECONDS * 1000))
            told = ready.get(control.fileno(), 0)
            if told & select.POLLHUP:
                return
            if told and not _answer(control, brood):
                asked = False  # it retires: the cells that live are brought to their end
                poll.modify(control, 0)  # which leaves the hang-up
            brood.look_after(ready)
    finally:
        brood.end()


def _answer(control: socket.socket, brood: Brood) -> bool:
    """Make the cell of one request; False when no more will come."""
    request, descriptors = hear(control)
    if request is not None and len(descriptors) == DESCRIPTORS:
        brood.bear(Task.from_message(request), *descriptors)
    else:  # this process has no descriptor left: a closed status channel says so to the worker
        for descriptor in descriptors:
            os.close(descriptor)
    return request is not None
