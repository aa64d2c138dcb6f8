"""What attempts leave behind: folders of a worker that lives, and processes that outlive theirs."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
from sqlalchemy import select

from app.models import Job
from tests.system.house import ROOT, House, living

_SPAWNER = str(ROOT / "worker" / "spawner" / "__main__.py")


def left(house: House) -> list[str]:
    """Return what attempts leave on a worker that lives, and what outlives a worker."""
    names, leases = names_of_the_living(house), _leases(house)
    return [
        f"the scratch folder of {folder.parent.name} for lease {folder.name} is left"
        for folder in (house.data / "scratch").glob("*/*/*/")
        if folder.parent.name in names and folder.name not in leases
    ] + [f"process {pid} has outlived {what}" for pid, what in _orphans(house, names, leases)]


def names_of_the_living(house: House) -> set[str]:
    alive = (one for one in house.processes if one.name == "worker" and living(one.pid))
    return {process.worker for process in alive if process.lines("worker.entered")}


def _leases(house: House) -> set[str]:
    running = select(Job.lease_id).where(Job.lease_id.is_not(None))
    with house.sessions() as session:
        return {lease.hex for lease in session.scalars(running) if lease is not None}


def _orphans(house: House, names: set[str], leases: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the spawners and cells whose worker is dead, and all that work on what is over.

    A cell that has become another program is known by its working directory alone.
    """
    dead = {process.pid for process in house.processes if not living(process.pid)}
    scratch = (house.data / "scratch").resolve()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            worker, attempt = _worker(process.cmdline()), _attempt(process, scratch)
            if worker in dead and living(process.pid):
                yield process.pid, f"worker {worker}"
            elif attempt is not None and not (attempt[0] in names and attempt[1] in leases):
                yield process.pid, f"its attempt in {'/'.join(attempt)}"


def _worker(command: list[str]) -> int | None:
    """Return the worker that a spawner, or a cell that it forked, says it belongs to."""
    return int(json.loads(command[-1])["worker"]) if _SPAWNER in command else None


def _attempt(process: psutil.Process, scratch: Path) -> tuple[str, str] | None:
    """Return worker and lease of the folder that a process works in, if it is one of an attempt."""
    with suppress(psutil.AccessDenied, ValueError):
        _house, worker, lease, *_ = Path(process.cwd()).relative_to(scratch).parts
        return None if worker.startswith(".trial-") else (worker, lease)
    return None
