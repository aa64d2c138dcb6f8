"""Loaded at the start of every Python that has this folder on its path: it makes odd what it can.

CHAOS_CLOCK_SECONDS is how far off the clock is. CHAOS_WORKER_ID is a UUID that a worker's first
name is made from, in place of a new one. CHAOS_POINTS names a file that gets a line for
each point that was passed since SIGUSR1, before and after each statement and file operation; the
process stands still at the one whose number it finds then in the file of that name with `.at`.
"""

import importlib
import os
import sys
import time
import uuid

if shift := int(os.environ.get("CHAOS_CLOCK_SECONDS", "0")):
    _real = time.time
    time.time = lambda: _real() + shift

if "CHAOS_WORKER_ID" in os.environ:
    _new, _given = uuid.uuid4, [uuid.UUID(os.environ["CHAOS_WORKER_ID"])]

    def _named() -> uuid.UUID:
        is_name = sys._getframe(1).f_globals["__name__"] == "worker.name"
        return _given.pop() if is_name and _given else _new()

    uuid.uuid4 = _named

if "CHAOS_POINTS" in os.environ:
    points = importlib.import_module("chaos_points")  # which is on the path with this file
    points.install(os.environ["CHAOS_POINTS"])
