"""A call ends the desk's sleep, now or the next one; many calls are one."""

import os
import threading
import time

from worker.wake import Wake


def test_a_call_from_anywhere_ends_a_sleep() -> None:
    wake = Wake()
    threading.Timer(0.1, wake).start()
    assert slept(wake, 20) < 10


def test_a_call_before_the_sleep_ends_it_too_and_only_once() -> None:
    wake = Wake()
    wake()
    assert slept(wake, 20) < 10
    assert slept(wake, 0.2) >= 0.19


def test_many_calls_are_one_byte() -> None:
    wake = Wake()
    for _ in range(100):
        wake()
    assert os.read(wake._read, 4096) == b"!"


def test_a_call_in_the_middle_of_waking_up_does_not_silence_the_next() -> None:
    wake = Wake()
    empty = wake._empty

    def call_and_empty() -> None:
        wake()
        empty()

    wake._empty = call_and_empty  # type: ignore[method-assign]
    wake()
    assert slept(wake, 20) < 10
    wake()
    assert slept(wake, 20) < 10


def slept(wake: Wake, seconds: float) -> float:
    began = time.monotonic()
    wake.wait(seconds, None)
    return time.monotonic() - began
