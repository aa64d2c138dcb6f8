"""What the whole path adds to a conversion, beside the same work called plainly from a shell.

    python -m bench.convert [--jobs N] [--only KIND]

Rowmill's side is a real worker with one slot: its CPU time, its spawner's and that of all its
cells, from before the first claim to after the last record, divided by the jobs. The plain side
runs the same library or program on the same files, without a queue, a cell or a check of the
result: for programs (ffmpeg, pandoc, LibreOffice) the very command lines that the converter runs,
for libraries a short script in a Python of its own, from whose time the import of the library is
taken, because a spawner imports it once for all jobs. PostgreSQL's time stands in a column of its
own. Budgets: 25 ms for a small picture, 5 % for what takes long.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from app import queue
from app.formats import catalogue
from app.storage.keys import source_key
from bench import convert_files
from tests import make
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.house import House, house_on
from worker.cell.conversion import load
from worker.converters import program
from worker.converters.limits import Limits

SMALL_BUDGET_MS = 25.0
LONG_BUDGET = 0.05
CALM = {"ROWMILL_LEASE_SECONDS": "60", "ROWMILL_SWEEP_SECONDS": "15", "ROWMILL_BEAT_SECONDS": "5"}


@dataclass(frozen=True)
class Case:
    """One conversion: `script` does it plainly, with `imports` first, or `command` does.

    Without either the programs do that the converter runs.
    """

    name: str
    kind: str
    source: str
    target: str
    write: Callable[[Path], None]
    imports: str = ""
    script: str = ""
    command: tuple[str, ...] = ()
    small: bool = False
    jobs: int = 5


CASES = (
    Case(
        "small picture, 640 x 480",
        "image",
        "jpg",
        "webp",
        convert_files.small_picture,
        imports="import pyvips",
        script="pyvips.Image.new_from_file('input.jpg').write_to_file('output.webp[Q=80]')",
        small=True,
        jobs=60,
    ),
    Case(
        "the same against Pillow",
        "image",
        "jpg",
        "webp",
        convert_files.small_picture,
        imports="from PIL import Image",
        script="Image.open('input.jpg').save('output.webp', quality=80)",
        small=True,
        jobs=60,
    ),
    Case(
        "photo, 12 megapixels",
        "image",
        "jpg",
        "webp",
        convert_files.photo,
        imports="import pyvips",
        script="pyvips.Image.new_from_file('input.jpg', access='sequential', fail_on='truncated')"
        ".write_to_file('output.webp[Q=80]')",
    ),
    Case("film, 20 s of 720p", "media", "mkv", "webm", convert_files.film, jobs=2),
    Case("report, 60 pages", "document", "md", "docx", convert_files.report),
    Case(
        "the same in Word to PDF",
        "office",
        "docx",
        "pdf",
        convert_files.word,
        command=(
            "/usr/lib/libreoffice/program/soffice.bin",
            "-env:UserInstallation=file:///{place}/plain",
            *("--headless", "--norestore", "--convert-to", "pdf", "--outdir", "plain"),
            "input.docx",
        ),
    ),
    Case(
        "PDF, 12 pages",
        "pdf",
        "pdf",
        "png",
        convert_files.pages,
        imports="import pypdfium2, PIL.Image",
        script="import zipfile\n"
        "with zipfile.ZipFile('output.png', 'w') as pages:\n"
        "  for number, page in enumerate(pypdfium2.PdfDocument('input.pdf')):\n"
        "    page.render(scale=150/72).to_pil().save('page.png')\n"
        "    pages.write('page.png', f'page-{number}.png')\n",
    ),
    Case(
        "table, 500,000 rows",
        "table",
        "csv",
        "parquet",
        convert_files.table,
        imports="import polars",
        script="polars.scan_csv('input.csv', infer_schema=False, glob=False)"
        ".sink_parquet('output.parquet')",
    ),
)


@dataclass(frozen=True)
class Cost:
    """CPU milliseconds of one job."""

    plain: float
    rowmill: float
    database: float

    @property
    def added(self) -> float:
        return self.rowmill - self.plain


def main() -> int:
    arguments = _arguments()
    print(f"\n{'CPU milliseconds of one job':34}{'plain':>10}{'Rowmill':>10}{'added':>10}", end="")
    print(f"{'share':>9}{'database':>10}")
    kept = True
    with _server() as server:
        for case in CASES:
            if arguments.only in (None, case.kind):
                cost = _cost(server, case, arguments.jobs or case.jobs)
                kept = _tell(case, cost) and kept
        if arguments.only in (None, "image"):
            _tell_rate(server)
    return 0 if kept else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only")
    return parser.parse_args()


def _tell(case: Case, cost: Cost) -> bool:
    kept = cost.added < SMALL_BUDGET_MS if case.small else cost.added < LONG_BUDGET * cost.plain
    share = cost.added / cost.plain
    mark = "" if kept else "   over its budget"
    print(
        f"{case.name:34}{cost.plain:10.1f}{cost.rowmill:10.1f}{cost.added:10.1f}"
        f"{share:9.1%}{cost.database:10.1f}{mark}",
        flush=True,
    )
    return kept


def _cost(server: Server, case: Case, jobs: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        case.write(place / f"input.{case.source}")
        plain = _plain(case, place)
        (place / "house").mkdir()
        with house_on(
            server, place / "house", **CALM, ROWMILL_SLOTS="1", ROWMILL_KINDS=case.kind
        ) as house:
            rowmill, database, _ = _through(house, server, case, place, jobs)
    return Cost(plain, rowmill, database)


def _plain(case: Case, place: Path) -> float:
    if case.script:
        whole = [sys.executable, "-c", f"{case.imports}\n{case.script}"]
        alone = [sys.executable, "-c", case.imports]
        return _cpu(lambda: _run(whole, place), 5) - _cpu(lambda: _run(alone, place), 5)
    if case.command:
        argv = [part.format(place=str(place).lstrip("/")) for part in case.command]
        subprocess.run(argv, cwd=place, check=False, capture_output=True)  # makes the profile
        return _cpu(lambda: _run(argv, place), 3)
    commands = _commands(case, place)

    def all_of_them() -> None:
        for command in commands:
            _run(*command)

    return _cpu(all_of_them, 3)


def _commands(case: Case, place: Path) -> list[tuple[list[str], Path, dict[str, str]]]:
    """Return the command lines that the converter runs, with their folder and environment."""
    family = catalogue.family_of_kind(case.kind)
    assert family is not None
    seen: list[tuple[list[str], Path, dict[str, str]]] = []
    start = program._start  # noqa: SLF001 - the one place where programs begin

    def noted(argv: list[str], environment: dict[str, str]) -> Any:
        seen.append((argv, place, environment))
        return start(argv, environment)

    program._start = noted  # noqa: SLF001
    try:
        with _inside(place):
            load(family.convert)(
                Path(f"input.{case.source}"),
                Path(f"output.{case.target}"),
                source_format=case.source,
                target_format=case.target,
                options={},
                limits=Limits(),
                progress=lambda *_: None,
            )
    finally:
        program._start = start  # noqa: SLF001
    return seen


@contextmanager
def _inside(place: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(place)
    try:
        yield
    finally:
        os.chdir(before)


def _run(argv: list[str], place: Path, environment: dict[str, str] | None = None) -> None:
    subprocess.run(argv, cwd=place, env=environment, check=True, capture_output=True)


def _cpu(work: Callable[[], object], times: int) -> float:
    """Return the median CPU milliseconds of the processes that one call starts."""
    taken = []
    for _ in range(times):
        before = _children()
        work()
        taken.append((_children() - before) * 1000)
    return median(taken)


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _through(
    house: House, server: Server, case: Case, place: Path, jobs: int
) -> tuple[float, float, float]:
    """Return CPU milliseconds a job of worker and database, and jobs a second."""
    worker = psutil.Process(house.worker().pid)
    _enqueue(house, case, place, 1)  # what is loaded at the first job is loaded once
    poll(lambda: house.count(finished_at=None) == 0, seconds=300, why=house.logs)
    before, database, began = _tree(worker), _server_cpu(server), time.monotonic()
    _enqueue(house, case, place, jobs)
    poll(lambda: house.count(finished_at=None) == 0, seconds=900, why=house.logs)
    took = time.monotonic() - began
    assert house.count(status="succeeded") == jobs + 1, house.logs()
    worker_ms = (_tree(worker) - before) * 1000 / jobs
    return worker_ms, (_server_cpu(server) - database) * 1000 / jobs, jobs / took


def _enqueue(house: House, case: Case, place: Path, jobs: int) -> None:
    content = (place / f"input.{case.source}").read_bytes()
    with house.sessions.begin() as session:
        for _ in range(jobs):
            upload = make.make_upload(session, format=case.source)
            part = house.storage.incoming(upload)
            part.write_bytes(content)
            house.storage.store(part, source_key(upload))
            payload = {"from": case.source, "to": case.target, "options": {}}
            queue.enqueue(session, upload, kind=case.kind, payload=payload, max_attempts=1)
    with house.sessions.begin() as session:
        queue.wake(session)


def _tree(worker: psutil.Process) -> float:
    """Return the CPU seconds of a worker, its spawner, and all cells that have ended."""
    return sum(sum(one.cpu_times()[:4]) for one in [worker, *worker.children()])


def _server_cpu(server: Server) -> float:
    root = psutil.Process(server.pid)
    return sum(sum(one.cpu_times()[:4]) for one in [root, *root.children()])


def _tell_rate(server: Server) -> None:
    case = CASES[0]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        case.write(place / f"input.{case.source}")
        (place / "house").mkdir()
        with house_on(server, place / "house", **CALM, ROWMILL_SLOTS="2") as house:
            *_, rate = _through(house, server, case, place, 200)
    print(f"\nSmall pictures with 2 slots: {rate:.0f} a second.")


@contextmanager
def _server() -> Iterator[Server]:
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        yield server
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
