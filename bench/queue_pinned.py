"""The third of the queue's tables: the time of a claim while a session holds the horizon."""

import inspect
import math
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from bench.queue_sides import Queue
from tests.postgres import Server

WARM_SLOTS = 10
SAMPLE = 1000


@dataclass
class Times:
    """The seconds that claims took, and those of them that looked without floors."""

    claims: list[float] = field(default_factory=list)
    full: list[float] = field(default_factory=list)

    def note(self, seconds: float, *, is_full: bool) -> None:
        self.claims.append(seconds)
        if is_full:
            self.full.append(seconds)

    def percentiles(self) -> tuple[float, float]:
        """Return the median and the p99 of all claims, in milliseconds."""
        parts = statistics.quantiles(self.claims, n=100)
        return parts[49] * 1000, parts[98] * 1000


def against_a_pin(server: Server, queues: tuple[Queue, ...], *, jobs: int, rounds: int) -> float:
    """Print the table; return the first queue's p99 under a pin, divided by that without one.

    Each queue has done so many jobs before, all since the session took its transaction id. A
    claim is for one slot. Rowmill's also records the job before, in the same statement. Its full
    looks, one in each sweep of a worker, are among its claims and stand in a row of their own too:
    the fewer claims a worker makes, the more of them are such. Here each is a worker's first, too,
    for which the server plans anew.
    """
    print(f"\nms for a claim after {jobs:,} jobs, free and while a session holds the horizon")
    print(f"{'':15}{'p50':>9}{'held':>9}{'p99':>9}{'held':>9}")
    ratios = []
    for one in queues:
        free, held = _both(server, one, jobs, rounds)
        _print(one.name, free.percentiles(), held.percentiles())
        if held.full:
            _print("  a full look", (_median(free.full), math.nan), (_median(held.full), math.nan))
        ratios.append(held.percentiles()[1] / free.percentiles()[1])
    return ratios[0]


@contextmanager
def timed(owner: Any, names: tuple[str, ...], times: Times) -> Iterator[None]:
    """Note the seconds of each call of these functions."""
    real = {name: getattr(owner, name) for name in names}
    for name, call in real.items():
        setattr(owner, name, _timing(call, times))
    try:
        yield
    finally:
        for name, call in real.items():
            setattr(owner, name, call)


def _print(name: str, free: tuple[float, float], held: tuple[float, float]) -> None:
    times = [ms for pair in zip(free, held, strict=True) for ms in pair]
    print(f"{name:15}" + "".join(f"{'' if math.isnan(ms) else f'{ms:.2f}':>9}" for ms in times))


def _both(server: Server, one: Queue, jobs: int, rounds: int) -> tuple[Times, Times]:
    with server.database() as free, server.database() as held, _pinned(server, held):
        times = {free: Times(), held: Times()}
        for url in times:
            one.prepare(url)
            (one.fill or one.enqueue)(url, jobs)
            _drain(one, url, jobs, slots=WARM_SLOTS)
        for _ in range(rounds):
            for url, found in times.items():
                one.enqueue(url, SAMPLE)
                with timed(one.claimer, one.claims, found):
                    _drain(one, url, SAMPLE, slots=1)
    return times[free], times[held]


def _drain(one: Queue, url: str, jobs: int, *, slots: int) -> None:
    if math.isnan(one.drain(url, jobs, slots=slots)):
        raise RuntimeError(f"{one.name} did not do every job")


def _median(times: list[float]) -> float:
    return statistics.median(times) * 1000 if times else math.nan


@contextmanager
def _pinned(server: Server, url: str) -> Iterator[None]:
    """Leave a transaction open that has an id: the state that an idle session is found in."""
    connection = server.connect(url.rsplit("/", 1)[1])
    connection.cursor().execute("SELECT txid_current()")
    yield
    connection.close()


def _timing(call: Callable[..., Any], times: Times) -> Callable[..., Any]:
    def timed(*args: Any, **options: Any) -> Any:
        began = time.perf_counter()
        answer = call(*args, **options)
        times.note(time.perf_counter() - began, is_full=options.get("floors") == {})
        return answer

    async def timed_async(*args: Any, **options: Any) -> Any:
        began = time.perf_counter()
        answer = await call(*args, **options)
        times.note(time.perf_counter() - began, is_full=False)
        return answer

    return timed_async if inspect.iscoroutinefunction(call) else timed
