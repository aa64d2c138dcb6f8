"""Rowmill under load, and what others lose when the process that works is killed.

    python -m bench.load [--people 200] [--seconds 20] [--processes 1 3 30] [--files 150]

First 200 people ask for finished uploads, then as many send pictures of mixed sizes without end
and ask until each is ready: 30 slots in 1, 3 and 30 worker processes, two API processes. What
people wait for may at most double when every CPU converts. Pick-up is from the commit of a job to
its claim while slots are free; seats are the sessions at the database, looked at ten times a
second.

Then the same pictures go to what people build instead, and when a third of them is ready the
working process gets SIGKILL with all that it started, and is started again at once, as a
supervisor would. A file is lost that is not ready after two minutes without any progress.

Last, `wrk` asks one API process for one upload. Redis and wrk come from Debian; rows are left out
where they are missing.
"""

import argparse
import sys
from collections.abc import Sequence

from bench.load_flat import Flat, flat
from bench.load_losses import losses
from bench.load_pictures import pictures
from bench.load_wrk import requests
from tests.postgres import VERSIONS, Server, migrated

TWICE = 2.0


def main() -> int:
    """Print the three tables; the exit status says whether the targets were met."""
    asked = _arguments()
    files = pictures()
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        rows = list(flat(server, files, asked))
        lost = losses(server, files, asked)
        requests(server, files)
    finally:
        server.stop()
    return _verdict(rows, lost["Rowmill"])


def _verdict(rows: Sequence[Flat], lost: int) -> int:
    worst, bad = max(row.ratio for row in rows), sum(row.bad for row in rows)
    targets = {
        f"every answer is good: {bad} are not": bad == 0,
        f"GET under load takes at most twice as long at p99: {worst:.2f} times": worst <= TWICE,
        f"Rowmill loses no file: {lost}": lost == 0,
    }
    print()
    for target, met in targets.items():
        print(f"{'met' if met else 'MISSED':7}{target}")
    return 0 if all(targets.values()) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 3, 30])
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--patience", type=float, default=120)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
