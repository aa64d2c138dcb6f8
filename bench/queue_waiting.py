"""The fourth of the queue's tables: the time of a claim while many jobs wait in line."""

import math

from bench.queue_finished import run
from bench.queue_pinned import SAMPLE, Times, timed
from bench.queue_rowmill import drain, fill
from bench.queue_sides import ROWMILL
from tests.postgres import Server


def among_waiting(server: Server, *, jobs: int, rounds: int) -> float:
    """Print p50 and p99 of Rowmill's claims for one slot, in milliseconds; return the p99.

    What is claimed waits beside those asked for, so that there are never fewer of them.
    """
    times = Times()
    with server.database() as url:
        fill(url, jobs + rounds * SAMPLE)
        run(server, url, "VACUUM ANALYZE", "CHECKPOINT")
        for _ in range(rounds):
            with timed(ROWMILL.claimer, ROWMILL.claims, times):
                took = drain(url, SAMPLE, slots=1)
            if math.isnan(took):
                raise RuntimeError("Rowmill did not do every job")
    p50, p99 = times.percentiles()
    print(f"\nms for a claim while {jobs:,} jobs wait: p50 {p50:.2f}, p99 {p99:.2f}")
    return p99
