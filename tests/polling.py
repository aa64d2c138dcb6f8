"""Waits for a condition with a deadline; no test sleeps for a while and hopes."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def poll(
    condition: Callable[[], T],
    *,
    seconds: float = 60,
    why: Callable[[], object] = lambda: "",
    pause: float = 0.02,
) -> T:
    """Wait until a condition holds and return what it returned; fail with the reason otherwise.

    `pause` is how many seconds pass between two looks.
    """
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s\n{why()}")
        time.sleep(pause)
    return value
