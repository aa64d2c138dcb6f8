"""The second of the queue's tables: rates beside a large number of finished rows."""

import statistics

from bench import queue_rowmill
from bench.queue_sides import ROWMILL, Queue
from tests.postgres import Server


def against_finished(
    server: Server, all_slots: list[int], finished: int, jobs: int, rounds: int
) -> float:
    """Print Rowmill's drain with and without; return the worst ratio of the rates."""
    print(f"\nRowmill with {finished:,} finished rows against none")
    ratios = []
    for slots in all_slots:
        rates: list[tuple[int, list[float]]] = [(0, []), (finished, [])]
        for _ in range(rounds):
            for rows, found in rates:
                found.append(_rate_beside(server, rows, jobs, slots))
        without, beside = (statistics.median(found) for _, found in rates)
        ratios.append(beside / without)
        print(f"{slots:>4} slots: {without:6.0f}/s and {beside:6.0f}/s, ratio {ratios[-1]:.2f}")
    return min(ratios)


def beside_finished(
    server: Server,
    queues: tuple[Queue, ...],
    all_slots: list[int],
    finished: int,
    jobs: int,
    rounds: int,
) -> None:
    """Print what each queue enqueues and drains in a second beside so many finished rows."""
    print(f"\n{jobs} jobs, median of {rounds} rounds, {finished:,} finished rows")
    print(f"{'':15}{'slots':>6}{'enqueue/s':>11}{'drain/s':>9}")
    for one in queues:
        found: dict[int, list[tuple[float, float]]] = {slots: [] for slots in all_slots}
        with server.database() as url:
            one.prepare(url)
            run(server, url, one.finished.format(finished=finished), "VACUUM ANALYZE")
            for _ in range(rounds):
                for slots in all_slots:
                    found[slots].append(_rates(server, url, one, jobs, slots))
        for slots, rates in found.items():
            enqueued, drained = map(statistics.median, zip(*rates, strict=True))
            print(f"{one.name:15}{slots:>6}{enqueued:>11.0f}{drained:>9.0f}")


def run(server: Server, url: str, *statements: str) -> None:
    """Run each statement in a transaction of its own."""
    connection = server.connect(url.rsplit("/", 1)[1])
    connection.autocommit = True
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    connection.close()


def _rates(server: Server, url: str, one: Queue, jobs: int, slots: int) -> tuple[float, float]:
    run(server, url, "CHECKPOINT")
    enqueued = jobs / one.enqueue(url, jobs)
    run(server, url, "VACUUM ANALYZE")
    return enqueued, jobs / one.drain(url, jobs, slots=slots)


def _rate_beside(server: Server, finished: int, jobs: int, slots: int) -> float:
    with server.database() as url:
        if finished:
            run(server, url, ROWMILL.finished.format(finished=finished))
        # What a vacuum of so many new rows leaves dirty is written before anything is measured.
        run(server, url, "VACUUM ANALYZE", "CHECKPOINT")
        queue_rowmill.fill(url, jobs)
        run(server, url, "ANALYZE")
        return jobs / queue_rowmill.drain(url, jobs, slots=slots)
