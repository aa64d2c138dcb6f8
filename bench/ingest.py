"""What it costs to receive files and to send results, beside the usual ways and a floor.

    python -m bench.ingest [--quick] [--rounds N] [--folder DIR] [--only TABLE ...]

Every server is a process of its own; every upload ends with an fsync. CPU is the server's user
and system time, memory the most it ever had resident. The tables: `costs` (bodies in one request,
against FastAPI's UploadFile and a floor that only writes), `memory`, `pieces` (a whole API with
its rows: tus PATCH against POST), `takeover` (a client comes back while its request hangs),
`delay` (of the event loop while eight uploads run), `downloads` (against Starlette's
FileResponse). `--quick` takes seconds, the full run minutes and several gigabytes of disk. The
exit status says whether all targets were met.
"""

import sys
import sysconfig

sys.path.insert(0, sysconfig.get_path("stdlib"))  # or bench/queue.py hides the library's queue

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import ingest_costs, ingest_downloads, ingest_service
from bench.ingest_measures import MIB, Plan, Target, fill

TABLES: dict[str, Callable[[Plan], Iterator[Target]]] = {
    "costs": ingest_costs.costs,
    "memory": ingest_costs.memory,
    "pieces": ingest_service.pieces,
    "takeover": ingest_service.takeover,
    "delay": ingest_service.delay,
    "downloads": ingest_downloads.downloads,
}


def main() -> int:
    """Print the tables, then what is to be reached and was; return 1 if a target was missed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--quick", action="store_true", help="small files, one round")
    options.add_argument("--rounds", type=int, default=0, help="how often (default: 1 or 3)")
    options.add_argument("--folder", type=Path, help="where to write (default: a temporary one)")
    options.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES))
    given = options.parse_args()
    size, rounds = (64 * MIB, 1) if given.quick else (1024 * MIB, 3)
    with tempfile.TemporaryDirectory(prefix="rowmill-bench-", dir=given.folder) as folder:
        source = Path(folder) / "source"
        fill(source, size)
        plan = Plan(
            folder=Path(folder),
            source=source,
            size=size,
            parallel=size // 2 if given.quick else size,
            rounds=given.rounds or rounds,
        )
        targets = [target for name in given.only for target in TABLES[name](plan)]
    print()
    for target in targets:
        print(f"{'met' if target.is_met else 'MISSED':7}{target.text}")
    return 0 if all(target.is_met for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
