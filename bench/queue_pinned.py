"""The third of the queue's tables: the time of a claim while a session holds the horizon."""

import inspect
import math
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench.queue_sides import Queue
from tests.postgres import Server

WARM_SLOTS = 10
SAMPLE = 1000


def against_a_pin(server: Server, queues: tuple[Queue, ...], *, jobs: int, rounds: int) -> float:
    """Print the table; return the first queue's p99 under a pin, divided by that without one.

    Each queue has done so many jobs before, all since the session took its transaction id. A
    claim is for one slot. Rowmill's also records the job before, in the same statement.
    """
    print(f"\nms for a claim after {jobs:,} jobs, free and while a session holds the horizon")
    print(f"{'':15}{'p50':>9}{'held':>9}{'p99':>9}{'held':>9}")
    ratios = []
    for one in queues:
        free, held = _both(server, one, jobs, rounds)
        print(
            f"{one.name:15}"
            + "".join(f"{ms:>9.2f}" for pair in zip(free, held, strict=True) for ms in pair)
        )
        ratios.append(held[1] / free[1])
    return ratios[0]


def _both(
    server: Server, one: Queue, jobs: int, rounds: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    with server.database() as free, server.database() as held, _pinned(server, held):
        times: dict[str, list[float]] = {free: [], held: []}
        for url in times:
            one.prepare(url)
            one.enqueue(url, jobs)
            _drain(one, url, jobs, slots=WARM_SLOTS)
        for _ in range(rounds):
            for url, found in times.items():
                one.enqueue(url, SAMPLE)
                with _timed(one.claimer, one.claims) as sample:
                    _drain(one, url, SAMPLE, slots=1)
                found.extend(sample)
    return _percentiles(times[free]), _percentiles(times[held])


def _drain(one: Queue, url: str, jobs: int, *, slots: int) -> None:
    if math.isnan(one.drain(url, jobs, slots=slots)):
        raise RuntimeError(f"{one.name} did not do every job")


def _percentiles(times: list[float]) -> tuple[float, float]:
    parts = statistics.quantiles(times, n=100)
    return parts[49] * 1000, parts[98] * 1000


@contextmanager
def _pinned(server: Server, url: str) -> Iterator[None]:
    """Leave a transaction open that has an id: the state that an idle session is found in."""
    connection = server.connect(url.rsplit("/", 1)[1])
    connection.cursor().execute("SELECT txid_current()")
    yield
    connection.close()


@contextmanager
def _timed(owner: Any, names: tuple[str, ...]) -> Iterator[list[float]]:
    """Yield a list that gets the seconds of each call of these functions."""
    times: list[float] = []
    real = {name: getattr(owner, name) for name in names}
    for name, call in real.items():
        setattr(owner, name, _timing(call, times))
    try:
        yield times
    finally:
        for name, call in real.items():
            setattr(owner, name, call)


def _timing(call: Callable[..., Any], times: list[float]) -> Callable[..., Any]:
    def timed(*args: Any, **options: Any) -> Any:
        began = time.perf_counter()
        answer = call(*args, **options)
        times.append(time.perf_counter() - began)
        return answer

    async def timed_async(*args: Any, **options: Any) -> Any:
        began = time.perf_counter()
        answer = await call(*args, **options)
        times.append(time.perf_counter() - began)
        return answer

    return timed_async if inspect.iscoroutinefunction(call) else timed
