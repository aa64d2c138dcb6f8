"""The queue's table: enqueue, drain, WAL and commits a job, against Procrastinate and PgQueuer.

Every row is measured on the same server, which is durable (fsync on), one after the other.
Rowmill's drain is its real desk with real slots, whose work is nothing; its enqueue writes the
upload's row too. Rowmill and Procrastinate claim a job only for a free slot. PgQueuer by itself has
no slots: it claims on while earlier jobs are not recorded yet, however many they become, over up to
five connections. "PgQueuer, held" holds as many jobs as there are slots at most, and is what the
target is about. The ratio to the other is told as well: what a limit on the jobs in hand, and one
connection for all of them, cost where a job itself costs nothing.

A second table asks whether a million finished rows make a difference. Both its databases are
vacuumed and written out by a checkpoint before the jobs come in, all at once: what is measured is
the size of the table, not the writing of what has just been loaded into it.

Both have 10,000 jobs, because 3,000 are done in a third of a second, of which the start of a worker
is a part: it compiles its statements once, and the server plans them once.

The third asks what a claim takes while a session holds the horizon, so that nothing of what is
done can be cleared away. `--held` are the numbers of jobs done since; none leaves this table out.
The others meet the first number alone: each job that is done makes their claims slower, so that
hours would go by before they had done the second.

    python -m bench.queue [--jobs 10000] [--finished 1000000] [--held 20000 [200000 ...]]
                          [--rounds 3] [--slots 1 10 30]
"""

import argparse
import statistics
import sys
from collections import defaultdict

import structlog

from bench import queue_rowmill
from bench.queue_cost import Cost, cost_of
from bench.queue_pinned import against_a_pin
from bench.queue_sides import HELD, PGQUEUER, PGQUEUER_HELD, PROCRASTINATE, ROWMILL, Queue
from tests.postgres import VERSIONS, Server, migrated

FINISHED = """
INSERT INTO uploads (id, name, size, received, completed_at, expires_at)
SELECT gen_random_uuid(), 'many.png', 1, 1, now(), now() + interval '7 days'
FROM generate_series(1, {finished} / 100);
INSERT INTO jobs (upload_id, number, kind, payload, status, finished_at, result, progress,
                  run_after)
SELECT id, number, 'misbehave', '{{"from": "png", "to": "nap"}}', 'succeeded', now(), '{{}}', 1,
       now() - interval '1 day'
FROM uploads, generate_series(1, 100) AS number;
"""

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
        ratio = _with_finished_rows(server, asked)
        slower = _with_a_pin(server, asked)
    finally:
        server.stop()
    return _verdict(rates, ratio, slower)


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
                f"{cost.wal_bytes / jobs:>11.0f}{cost.commits / jobs:>13.2f}"
            )
    return rates


def _round(server: Server, one: Queue, jobs: int, slots: int) -> tuple[float, float, Cost]:
    with server.database() as url:
        one.prepare(url)
        enqueued = jobs / one.enqueue(url, jobs)
        _run(server, url, "VACUUM ANALYZE")  # what autovacuum would have done in time
        seconds, cost = cost_of(server, url, lambda: one.drain(url, jobs, slots=slots))
        return enqueued, jobs / seconds, cost


def _with_finished_rows(server: Server, asked: argparse.Namespace) -> float:
    """Return the worst ratio of the drain rate with finished rows to the rate without."""
    jobs, finished = asked.jobs, asked.finished
    print(f"\nRowmill with {finished:,} finished rows against none")
    ratios = []
    for slots in asked.slots:
        rates: dict[int, list[float]] = {0: [], finished: []}
        for _ in range(asked.rounds):
            for rows, found in rates.items():
                found.append(_rate_beside(server, rows, jobs, slots))
        without, beside = (statistics.median(found) for found in rates.values())
        ratios.append(beside / without)
        print(f"{slots:>4} slots: {without:6.0f}/s and {beside:6.0f}/s, ratio {ratios[-1]:.2f}")
    return min(ratios)


def _with_a_pin(server: Server, asked: argparse.Namespace) -> float | None:
    """Return the worst ratio of a claim's p99 under a pin to that without one."""
    ratios = []
    for number, jobs in enumerate(asked.held):
        queues = (ROWMILL,) if number else (ROWMILL, PROCRASTINATE, PGQUEUER)
        ratios.append(against_a_pin(server, queues, jobs=jobs, rounds=asked.rounds))
    return max(ratios, default=None)


def _rate_beside(server: Server, finished: int, jobs: int, slots: int) -> float:
    with server.database() as url:
        if finished:
            _run(server, url, FINISHED.format(finished=finished))
        # What a vacuum of so many new rows leaves dirty is written before anything is measured.
        _run(server, url, "VACUUM ANALYZE", "CHECKPOINT")
        queue_rowmill.fill(url, jobs)
        _run(server, url, "ANALYZE")
        return jobs / queue_rowmill.drain(url, jobs, slots=slots)


def _run(server: Server, url: str, *statements: str) -> None:
    connection = server.connect(url.rsplit("/", 1)[1])
    connection.autocommit = True
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    connection.close()


def _verdict(rates: dict[tuple[str, int], float], ratio: float, slower: float | None) -> int:
    best: dict[str, float] = defaultdict(float)
    for (name, _), rate in rates.items():
        best[name] = max(best[name], rate)
    told = {}
    targets = {"3 times Procrastinate's rate": best["Rowmill"] / best["Procrastinate"] / 3}
    for slots in sorted({slots for _, slots in rates}):
        ours = rates["Rowmill", slots]
        targets[f"PgQueuer's rate with {slots} slots"] = ours / rates[HELD, slots]
        told[f"PgQueuer's rate without a limit, against {slots} slots"] = (
            ours / rates["PgQueuer", slots]
        )
    targets["a million finished rows cost at most a tenth"] = ratio / 0.9
    if slower is not None:
        targets["a held horizon makes a claim's p99 at most 1.5 times as long"] = 1.5 / slower
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
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 10, 30])
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
