"""A process that is told to end answers those who wait, instead of waiting for them."""

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def close_at_the_end(*closings: Callable[[], object]) -> None:
    """Do these at SIGTERM or SIGINT, then what the server does about it.

    The server ends its lifespan only when every request is answered, so that would be too late.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # signals come to the main thread alone
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        _precede(number, lambda: [loop.call_soon_threadsafe(close) for close in closings])


def _precede(number: signal.Signals, act: Callable[[], object]) -> None:
    following = signal.getsignal(number)
    if not callable(following):
        return  # no server handles it: the process dies at once

    def handle(signal_number: int, frame: FrameType | None) -> None:
        act()
        following(signal_number, frame)

    signal.signal(number, handle)
