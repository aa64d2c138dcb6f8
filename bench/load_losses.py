"""The second table of the bench under load: who loses files when the working process is killed."""

import argparse
import asyncio
import time
from contextlib import ExitStack

from bench.load_people import People, pair
from bench.load_rivals import SYSTEMS
from bench.load_sites import Site, has_redis, rival, rowmill
from tests.postgres import Server


def losses(server: Server, files: dict[str, bytes], asked: argparse.Namespace) -> dict[str, int]:
    print(f"\n{asked.files} pictures, the working process killed when a third is ready")
    print(f"{'':20}{'POST p50':>10}{'p99':>7}{'last after s':>14}{'lost':>6}")
    lost = {}
    for name in ("Rowmill", *SYSTEMS):
        if name.startswith("Celery") and not has_redis():
            print(f"{name:20} left out: no redis-server (apt install redis-server)")
            continue
        with ExitStack() as stack:
            site: Site
            if name == "Rowmill":
                site = stack.enter_context(rowmill(server, apis=1))
            else:
                site = stack.enter_context(rival(name, server))
            people = People(site.urls, files, site.form)
            lost[name], took = asyncio.run(_kill_amid(site, people, asked))
        print(
            f"{name:20}{pair(people.seen.posts, 10)}{took:>14.0f}{lost[name]:>6}",
            flush=True,
        )
    return lost


async def _kill_amid(site: Site, people: People, asked: argparse.Namespace) -> tuple[int, float]:
    """Return how many files that were taken never became ready, and when the last one did."""
    await _warm(people)
    paths = await people.send("middling", count=asked.files, at_once=10)
    began = moved = time.monotonic()
    before, killed = -1, False
    while True:
        statuses = await people.statuses(paths)
        ready = sum(status == "ready" for status in statuses.values())
        now = time.monotonic()
        if ready != before:
            before, moved = ready, now
        if not killed and ready >= asked.files // 3:
            site.kill_worker()
            site.start_worker()
            killed = True
        if ready == len(paths) or now - moved > asked.patience:
            return asked.files - ready, moved - began
        await asyncio.sleep(0.2)


async def _warm(people: People) -> None:
    """Wait for one picture: thirty processes may take their time to start."""
    paths = await people.send("small", count=1, at_once=1)
    async with asyncio.timeout(120):
        while True:
            if set((await people.statuses(paths)).values()) == {"ready"}:
                break
            await asyncio.sleep(0.2)
    people.seen.posts.clear()
