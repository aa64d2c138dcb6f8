"""What the whole path adds to a conversion, beside the same work called plainly from a shell.

    python -m bench.convert [--jobs N] [--only KIND]

Rowmill's side is a real worker with one slot: its CPU time, its spawner's and that of all its
cells, from before the first claim to after the last record, divided by the jobs. The plain side
runs the same library or program on the same files, without a queue, a cell or a check of the
result: for programs (ffmpeg, pandoc, LibreOffice) the very command lines that the converter runs,
for libraries a short script in a Python of its own. What a spawner does once for all jobs, the
plain side has for nothing: the start of Python and the import of the library are taken from the
script's time. polars is imported for each conversion, on both sides: it starts threads, so that no
process may import it that forks after that. For a table the plain side is what a careful person
would write: every column as text, so that 00123 stays what it is, and a look whether it is.
PostgreSQL's time stands in a column of its own. Both sides are as nice as a cell is: on a busy
machine the same work takes more CPU time for who is interrupted more often.

The targets: 25 ms for what is small, 5 % for what takes long. What is added hardly depends on the
file, so each kind that people mostly send small ones of has a row for such a one, too:

- a small picture and a letter of two pages, where 5 % would be 2 to 4 ms: less than one fork of
  the spawner and the end of a cell together take;
- a photo, a film, a long report with pictures, a PDF, a large table: what people wait for.

The row "the same against pandoc alone" compares with the shortest command that a person would type,
in pandoc's own sandbox. It does less: no look at what the document takes in from elsewhere, no
count of what is in it. The row has what that costs in it, and may all the same come out below
nothing: the converter lets Haskell use memory otherwise (worker/converters/document/memory.py).

The row "the same against ffmpeg alone" is shown and has no target: `ffmpeg -i film.mkv film.webm`
chooses other settings for the encoder than the converter does, and so makes another film.

A second table tells how many small pictures a worker with two slots converts in a second.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import convert_plain, convert_rowmill
from bench.convert_cases import CASES, Case
from tests.postgres import Server

SMALL_BUDGET_MS = 25.0
LONG_BUDGET = 0.05
RATED, RATE_JOBS = CASES[0], 200


@dataclass(frozen=True)
class Cost:
    """CPU milliseconds of one job."""

    case: Case
    plain: float
    rowmill: float
    database: float

    @property
    def added(self) -> float:
        return self.rowmill - self.plain

    @property
    def budget(self) -> float:
        return SMALL_BUDGET_MS if self.case.small else LONG_BUDGET * self.plain

    @property
    def target(self) -> str:
        most = f"{SMALL_BUDGET_MS:.0f} ms" if self.case.small else f"{LONG_BUDGET:.0%}"
        return f"{self.case.name}: at most {most} added"


def main() -> int:
    """Print both tables; the exit status says whether the targets were met."""
    asked = _arguments()
    chosen = [case for case in CASES if asked.only in (None, case.kind)]
    with convert_rowmill.server() as server:
        costs = _table(server, chosen, asked.jobs)
        if RATED in chosen:
            _rate(server)
    return _verdict(costs)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", choices=sorted({case.kind for case in CASES}))
    return parser.parse_args()


def _table(server: Server, cases: list[Case], jobs: int | None) -> list[Cost]:
    print(f"\n{'CPU milliseconds of one job':34}{'plain':>10}{'Rowmill':>10}{'added':>10}", end="")
    print(f"{'share':>9}{'database':>10}")
    costs = []
    for case in cases:
        cost = _cost(server, case, jobs or case.jobs)
        costs.append(cost)
        print(
            f"{case.name:34}{cost.plain:10.1f}{cost.rowmill:10.1f}{cost.added:10.1f}"
            f"{cost.added / cost.plain:9.1%}{cost.database:10.1f}",
            flush=True,
        )
    return costs


def _cost(server: Server, case: Case, jobs: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        case.write(place / f"input.{case.source}")
        plain = convert_plain.cpu_ms(case, place)
        done = convert_rowmill.through(server, case, place, jobs=jobs, slots=1)
        plain += convert_plain.cpu_ms(case, place)  # a machine may have become slower meanwhile
    return Cost(case, median(plain), done.cpu_ms, done.database_ms)


def _rate(server: Server) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        RATED.write(place / f"input.{RATED.source}")
        done = convert_rowmill.through(server, RATED, place, jobs=RATE_JOBS, slots=2)
    print(f"\n{'Jobs a second, 2 slots':34}{'a second':>10}{'CPU ms a job':>14}")
    print(f"{RATED.name:34}{done.jobs_a_second:10.1f}{done.cpu_ms:14.1f}", flush=True)


def _verdict(costs: list[Cost]) -> int:
    print()
    judged = [cost for cost in costs if cost.case.judged]
    for cost in judged:
        used = cost.added / cost.budget
        print(f"{'met' if used <= 1 else 'MISSED':7}{cost.target}: {used:.2f} of it")
    return 0 if all(cost.added <= cost.budget for cost in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
