"""The first table of the bench under load: what people wait for while every CPU converts."""

import argparse
import asyncio
import math
import statistics
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import func, select

from app.models import Job
from bench.load_people import People, pair, percentile
from bench.load_sites import RowmillSite, rowmill, until_done
from tests.postgres import Server

SAMPLE_SECONDS, TOLD_SECONDS = 0.1, 2.0
SEATS = """
SELECT application_name LIKE 'rowmill worker%%', count(*) FROM pg_stat_activity
WHERE application_name LIKE 'rowmill%%' AND application_name <> 'rowmill test' AND datname = %s
GROUP BY 1
"""


@dataclass(frozen=True)
class Flat:
    """How many times as long a GET takes under load at p99, and how many answers were not good."""

    ratio: float
    bad: int


def flat(server: Server, files: dict[str, bytes], asked: argparse.Namespace) -> Iterator[Flat]:
    """Print a row for each number of processes, and yield what counts in it."""
    print(f"{asked.people} people, {asked.seconds} s, 2 API processes, 30 slots; milliseconds")
    print(
        f"{'workers':>8}{'POST p50':>10}{'p99':>7}{'idle GET p50':>14}{'p99':>7}"
        f"{'loaded p50':>12}{'p99':>7}{'pick-up p50':>13}{'p99':>7}{'files/s':>9}"
        f"{'seats':>7}{'most':>6}{'workers':>9}"
    )
    for workers in asked.processes:
        with rowmill(server, workers=workers) as site:
            picked = _pick_ups(site, files)
            idle, loaded, seats = _under_load(server, site, files, asked)
        print(
            f"{workers:>8}{pair(loaded.seen.posts, 10)}{pair(idle.seen.gets, 14)}"
            f"{pair(loaded.seen.gets, 12)}{pair(picked, 13)}"
            f"{loaded.seen.finished / asked.seconds:>9.1f}"
            f"{statistics.median(map(sum, seats)):>7.0f}{max(map(sum, seats)):>6}"
            f"{max(of_workers for _, of_workers in seats):>9}",
            flush=True,
        )
        print(f"{'':8}seats each {TOLD_SECONDS:.0f} s: {_over_time(seats)}")
        ratio = percentile(loaded.seen.gets, 99) / percentile(idle.seen.gets, 99)
        yield Flat(math.inf if math.isnan(ratio) else ratio, _told_of_bad(idle, loaded))


def _over_time(seats: list[tuple[int, int]]) -> str:
    """Return the most that API and workers had in each span of time."""
    step = round(TOLD_SECONDS / SAMPLE_SECONDS)
    spans = (seats[begin : begin + step] for begin in range(0, len(seats), step))
    return " ".join(f"{max(api for api, _ in one)}+{max(own for _, own in one)}" for one in spans)


def _under_load(
    server: Server, site: RowmillSite, files: dict[str, bytes], asked: argparse.Namespace
) -> tuple[People, People, list[tuple[int, int]]]:
    ready = asyncio.run(People(site.urls, files, site.form).send("small", count=20, at_once=1))
    until_done(site)
    idle, loaded = (People(site.urls, files, site.form) for _ in range(2))
    asyncio.run(idle.look(ready, count=asked.people, seconds=asked.seconds))
    with _watched(server, site.house.url) as seats:
        asyncio.run(loaded.send_and_wait(count=asked.people, seconds=asked.seconds))
    return idle, loaded, seats


def _pick_ups(site: RowmillSite, files: dict[str, bytes]) -> list[float]:
    """Return how long each of forty jobs waited for its claim, one after the other."""
    for _ in range(40):
        asyncio.run(People(site.urls, files, site.form).send("small", count=1, at_once=1))
        until_done(site)
    with site.house.sessions() as session:
        waited = func.extract("epoch", Job.started_at - Job.created_at)
        return [float(seconds) for seconds in session.scalars(select(waited))]


@contextmanager
def _watched(server: Server, url: str) -> Iterator[list[tuple[int, int]]]:
    """Note ten times a second how many sessions API and workers have."""
    seen: list[tuple[int, int]] = []
    ended = threading.Event()
    connection = server.connect("postgres")
    connection.autocommit = True

    def look() -> None:
        with connection.cursor() as cursor:
            while not ended.wait(SAMPLE_SECONDS):
                cursor.execute(SEATS, (url.rsplit("/", 1)[1],))
                counts = Counter(dict(cursor.fetchall()))
                seen.append((counts[False], counts[True]))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        ended.set()
        looking.join()
        connection.close()


def _told_of_bad(*people: People) -> int:
    bad = [one for each in people for one in each.seen.bad]
    if bad:
        print(f"   {len(bad)} answers were not good, the first: {bad[0]}")
    return len(bad)
