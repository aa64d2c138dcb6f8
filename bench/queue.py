"""The queue's table: enqueue, drain, WAL and commits a job, against Procrastinate and PgQueuer.

Every row is measured on the same server, which is durable (fsync on), one after the other.
Rowmill's drain is its real desk with real slots, whose work is nothing; its enqueue writes the
upload's row too. Rowmill and Procrastinate claim a job only for a free slot. PgQueuer by itself has
no slots: it claims on while earlier jobs are not recorded yet, however many they become, over up to
five connections. The target is the row "PgQueuer, held", which holds as many jobs as there are
slots at most: only so do both do the same work, for a worker that takes more jobs than it has slots
keeps them from others. The ratio to the plain "PgQueuer" is told and not judged: it is what a limit
on the jobs in hand, and one connection for all of them, cost where a job itself costs nothing. The
rates are judged for each number of slots.

A second table asks whether a million finished rows make a difference. Both its databases are
vacuumed and written out by a checkpoint before the jobs come in, all at once: what is measured is
the size of the table, not the writing of what has just been loaded into it.

Both have 10,000 jobs by default, because 3,000 are done in a third of a second, of which the start
of a worker is a part: it compiles its statements once, and the server plans them once.

The third asks what a claim takes while a session holds the horizon, so that nothing of what is
done can be cleared away. `--held` are the numbers of jobs done since; none leaves this table out.
The others meet the first number alone: each job that is done makes their claims slower, so that
hours would go by before they had done the second.

`--rivals-finished` tells enqueue and drain of all queues with so many finished rows, which takes
as long as the first table and longer. PgQueuer moves what is done to a table of its own.

`--waiting` are numbers of jobs in line (the target is about 1,000,000): what a claim takes then.

    python -m bench.queue [--jobs 10000] [--finished 1000000] [--held 20000 [200000 ...]]
                          [--waiting 1000000] [--rivals-finished] [--rounds 3] [--slots 1 10 30]
"""

import argparse
import statistics
import sys

import structlog

from bench.queue_cost import Cost, cost_of
from bench.queue_finished import against_finished, beside_finished, run
from bench.queue_pinned import against_a_pin
from bench.queue_sides import HELD, PGQUEUER, PGQUEUER_HELD, PROCRASTINATE, ROWMILL, Queue
from bench.queue_waiting import among_waiting
from tests.postgres import VERSIONS, Server, migrated

QUEUES = (ROWMILL, PROCRASTINATE, PGQUEUER, PGQUEUER_HELD)


def main() -> int:
    """Print the tables; the exit status says whether the targets were met."""
    asked = _arguments()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(40), cache_logger_on_first_use=True
    )
    server = migrated(
        Server(
            VERSIONS["18"],
            fsync="on",
            full_page_writes="on",
            shared_buffers="128MB",
            max_wal_size="4GB",
        )
    )
    try:
        rates = _against_rivals(server, asked.slots, asked.jobs, asked.rounds)
        ratio = against_finished(server, asked.slots, asked.finished, asked.jobs, asked.rounds)
        if asked.rivals_finished:
            beside_finished(server, QUEUES, asked.slots, asked.finished, asked.jobs, asked.rounds)
        slower = _with_a_pin(server, asked)
        waiting = [among_waiting(server, jobs=jobs, rounds=asked.rounds) for jobs in asked.waiting]
    finally:
        server.stop()
    return _verdict(rates, ratio, slower, max(waiting, default=None))


def _against_rivals(
    server: Server, all_slots: list[int], jobs: int, rounds: int
) -> dict[tuple[str, int], float]:
    print(f"{jobs} jobs, median of {rounds} rounds, no finished rows")
    print(f"{'':15}{'slots':>6}{'enqueue/s':>11}{'drain/s':>9}{'WAL B/job':>11}{'commits/job':>13}")
    rates = {}
    for slots in all_slots:
        found: dict[str, list[tuple[float, float, Cost]]] = {one.name: [] for one in QUEUES}
        for _ in range(rounds):  # the rounds interleave, so that noise hits all alike
            for one in QUEUES:
                found[one.name].append(_round(server, one, jobs, slots))
        for name, all_rounds in found.items():
            enqueued = statistics.median(each[0] for each in all_rounds)
            drained = statistics.median(each[1] for each in all_rounds)
            cost = all_rounds[-1][2]
            rates[name, slots] = drained
            print(
                f"{name:15}{slots:>6}{enqueued:>11.0f}{drained:>9.0f}"
                f"{cost.wal_bytes / jobs:>11.0f}{cost.commits / jobs:>13.2f}",
                flush=True,
            )
    return rates


def _round(server: Server, one: Queue, jobs: int, slots: int) -> tuple[float, float, Cost]:
    with server.database() as url:
        one.prepare(url)
        enqueued = jobs / one.enqueue(url, jobs)
        run(server, url, "VACUUM ANALYZE")  # what autovacuum would have done in time
        seconds, cost = cost_of(server, url, lambda: one.drain(url, jobs, slots=slots))
        return enqueued, jobs / seconds, cost


def _with_a_pin(server: Server, asked: argparse.Namespace) -> float | None:
    """Return the worst ratio of a claim's p99 under a pin to that without one."""
    ratios = []
    for number, jobs in enumerate(asked.held):
        queues = (ROWMILL,) if number else (ROWMILL, PROCRASTINATE, PGQUEUER)
        ratios.append(against_a_pin(server, queues, jobs=jobs, rounds=asked.rounds))
    return max(ratios, default=None)


def _verdict(
    rates: dict[tuple[str, int], float], ratio: float, slower: float | None, waiting: float | None
) -> int:
    told = {}
    targets = {}
    for slots in sorted({slots for _, slots in rates}):
        ours = rates["Rowmill", slots]
        targets[f"3 times Procrastinate's rate with {slots} slots"] = (
            ours / rates["Procrastinate", slots] / 3
        )
        targets[f"PgQueuer's rate with {slots} slots"] = ours / rates[HELD, slots]
        told[f"PgQueuer's rate without a limit, against {slots} slots"] = (
            ours / rates["PgQueuer", slots]
        )
    targets["a million finished rows cost at most a tenth"] = ratio / 0.9
    if slower is not None:
        targets["a held horizon makes a claim's p99 at most 1.5 times as long"] = 1.5 / slower
    if waiting is not None:
        targets["a claim's p99 among all that waits is under 10 ms"] = 10 / waiting
    print()
    for target, reached in targets.items():
        print(f"{'met' if reached >= 1 else 'MISSED':7}{target}: {reached:.2f} of it")
    for other, reached in told.items():
        print(f"{'':7}{other}: {reached:.2f} of it")
    return 0 if all(reached >= 1 for reached in targets.values()) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--finished", type=int, default=1_000_000)
    parser.add_argument("--held", type=int, nargs="*", default=[20_000])
    parser.add_argument("--waiting", type=int, nargs="*", default=[])
    parser.add_argument("--rivals-finished", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 10, 30])
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
