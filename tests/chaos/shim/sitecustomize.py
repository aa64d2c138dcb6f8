"""Loaded at the start of every Python that has this folder on its path: it makes odd what it can.

CHAOS_CLOCK_SECONDS is how far off the clock is, for `time` and `datetime`. CHAOS_WORKER_ID is a
UUID that a worker's first name is made from, in place of a new one. CHAOS_POINTS names a file that
gets a line for each point that was passed since SIGUSR1, before and after each statement and file
operation; the process stands still at the one whose number it finds then in the file of that name
with `.at`.
"""

import ctypes
import gc
import importlib
import os
import sys
import time
import uuid
from datetime import datetime, timedelta, tzinfo


def _set_clock(shift: int) -> None:
    seconds, nanoseconds, utcnow = time.time, time.time_ns, datetime.utcnow
    time.time = lambda: seconds() + shift
    time.time_ns = lambda: nanoseconds() + shift * 10**9

    def now(of: type[datetime], tz: tzinfo | None = None) -> datetime:
        return of.fromtimestamp(time.time(), tz)

    def now_in_utc(_of: type[datetime]) -> datetime:
        return utcnow() + timedelta(seconds=shift)

    # The type itself: a subclass in its place would not be what drivers and models know.
    (own,) = gc.get_referents(vars(datetime))
    own |= {"now": classmethod(now), "utcnow": classmethod(now_in_utc), "today": classmethod(now)}
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime))


if shift := int(os.environ.get("CHAOS_CLOCK_SECONDS", "0")):
    _set_clock(shift)

if "CHAOS_WORKER_ID" in os.environ:
    _new, _given = uuid.uuid4, [uuid.UUID(os.environ["CHAOS_WORKER_ID"])]

    def _named() -> uuid.UUID:
        is_name = sys._getframe(1).f_globals["__name__"] == "worker.name"
        return _given.pop() if is_name and _given else _new()

    uuid.uuid4 = _named

if "CHAOS_POINTS" in os.environ:
    points = importlib.import_module("chaos_points")  # which is on the path with this file
    points.install(os.environ["CHAOS_POINTS"])
