"""Faults that last for a while: a frozen worker, a bad network, no seats, no room, no writing."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

import psutil
import psycopg2

from tests.chaos import disk
from tests.chaos.scene import Scene, family
from tests.polling import poll

AGAIN_SECONDS = 2.0
_END_OURS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'rowmill %'
"""
# Yields what tells whether it has been felt.
Felt = Callable[[], bool]
Trouble = Callable[[Scene, int], contextlib.AbstractContextManager[Felt]]


@contextmanager
def freeze_worker(scene: Scene, victim: int) -> Iterator[Felt]:
    """Freeze a worker and, one time in two, the cells with it."""
    part = scene.worker(victim)
    frozen = [part.process.pid, *(one.pid for one in family(part) if victim % 2)]
    for pid in frozen:
        _signal(pid, signal.SIGSTOP)
    is_frozen = _lies_still(part.process.pid)
    yield lambda: is_frozen
    for pid in reversed(frozen):
        _signal(pid, signal.SIGCONT)


@contextmanager
def end_sessions(scene: Scene, victim: int) -> Iterator[Felt]:
    """End every session, again and again."""
    over, ended = threading.Event(), threading.Event()

    def end() -> None:
        while not over.is_set():
            with contextlib.suppress(psycopg2.Error):
                if scene.rows(_END_OURS):
                    ended.set()
            over.wait(AGAIN_SECONDS)

    ending = threading.Thread(target=end)
    ending.start()
    yield ended.is_set
    over.set()
    ending.join()


@contextmanager
def silence(scene: Scene, victim: int) -> Iterator[Felt]:
    """Swallow every answer; the connections stay, until the network is mended by force."""
    scene.proxy.silent.set()
    yield scene.proxy.silent.is_set
    scene.proxy.silent.clear()
    scene.proxy.cut()


@contextmanager
def half_open(scene: Scene, victim: int) -> Iterator[Felt]:
    """Let the server hang up and its clients not know."""
    scene.proxy.half_open.set()
    yield scene.proxy.half_open.is_set
    scene.proxy.half_open.clear()
    scene.proxy.cut()


@contextmanager
def slow(scene: Scene, victim: int) -> Iterator[Felt]:
    scene.proxy.delay_seconds = 0.05 + victim % 10 / 100
    yield lambda: scene.proxy.delay_seconds > 0
    scene.proxy.delay_seconds = 0.0


@contextmanager
def take_seats(scene: Scene, victim: int) -> Iterator[Felt]:
    """Take every seat, also those that the house has now, as somebody else's crowd would."""
    with ExitStack() as seats:
        over, taken = threading.Event(), threading.Event()

        def take() -> None:
            hammer = seats.enter_context(closing(scene.connect())).cursor()
            while not over.wait(0.01):
                with contextlib.suppress(psycopg2.Error):
                    while True:
                        seats.enter_context(closing(scene.connect()))
                hammer.execute(_END_OURS)
                if not hammer.fetchall():
                    taken.set()
                    scene.no_seats.set()

        taker = threading.Thread(target=take)
        taker.start()
        yield taken.is_set
        scene.no_seats.clear()
        over.set()
        taker.join()
        scene.no_seats.clear()


@contextmanager
def read_only(scene: Scene, victim: int) -> Iterator[Felt]:
    """Refuse every write, as a standby does."""
    scene.execute("ALTER SYSTEM SET default_transaction_read_only = on")
    scene.execute("SELECT pg_reload_conf()")
    poll(lambda: scene.rows("SHOW transaction_read_only") == [("on",)])
    yield lambda: True
    scene.insist("SET default_transaction_read_only = off; SELECT pg_reload_conf()")
    (scene.server.data / "postgresql.auto.conf").write_text("")
    scene.insist("SELECT pg_reload_conf()")


@contextmanager
def fill_disk(scene: Scene, victim: int) -> Iterator[Felt]:
    """Fill the disk of the data, or let no file of API and workers grow, their logs included."""
    if fills_all_of_it(victim) and disk.is_small(scene.disk):
        with disk.full(scene.disk):
            yield lambda: True
        return
    limited = [psutil.Process(part.process.pid) for part in scene.parts if part.lives]
    before = [process.rlimit(psutil.RLIMIT_FSIZE) for process in limited]
    for process, (_, hard) in zip(limited, before, strict=True):
        process.rlimit(psutil.RLIMIT_FSIZE, (0, hard))
    yield lambda: bool(limited)
    for process, limits in zip(limited, before, strict=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.rlimit(psutil.RLIMIT_FSIZE, limits)


def fills_all_of_it(victim: int) -> bool:
    """Tell which kind of a full disk it is: one in two has no room for anybody."""
    return victim % 2 == 1


def _lies_still(pid: int) -> bool:
    """Tell whether a process stands still now; one that has died meanwhile does not."""
    process = psutil.Process(pid)
    poll(lambda: process.status() in {psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE})
    return process.status() == psutil.STATUS_STOPPED


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


TROUBLES: dict[str, Trouble] = {
    one.__name__: one
    for one in (
        freeze_worker,
        end_sessions,
        silence,
        half_open,
        slow,
        take_seats,
        read_only,
        fill_disk,
    )
}
