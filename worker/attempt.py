"""One job, once: adopt what is finished, or convert in a cell, check, publish; hand it in."""

import threading
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from app import failures
from app.formats.catalogue import family_of_kind
from app.formats.family import Family
from app.log import get_logger
from app.queue import Claimed
from app.settings import Settings, usable_cpus
from app.storage import Storage, keys
from worker import adoption, allowance, product, scratch
from worker.cell import hoard
from worker.cell.result import BadResult
from worker.outcome import Broken, Converted, Interrupted, Outcome, Refused
from worker.report import HandIn, Report
from worker.spawner.client import Cell, Spawner, SpawnerFailed, Task, Unconfined
from worker.spawner.verdict import too_large

log = get_logger()
TICK_SECONDS = 0.25


class Control:
    """The desk's hand on one attempt: it ends it, and reads how far it is. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cell: Cell | None = None
        self.ended = False

    def end(self) -> None:
        """Stop the conversion, now or as soon as it begins."""
        with self._lock:
            self.ended = True
            if self._cell is not None:
                self._cell.kill()

    def watch(self, cell: Cell) -> None:
        """Take charge of a cell that has just begun."""
        with self._lock:
            self._cell = cell
            if self.ended:
                cell.kill()

    def forget(self) -> None:
        """Let go of a cell that has ended, before its descriptors are closed."""
        with self._lock:
            self._cell = None

    @property
    def progress(self) -> tuple[float, str] | None:
        """How far it is, 0 to 1, and its stage; None while no cell runs."""
        cell = self._cell
        return (cell.progress, cell.stage) if cell is not None else None


@dataclass
class Tools:
    """What an attempt works with; `folder` is the worker's scratch, and moves with its name."""

    settings: Settings
    storage: Storage
    spawner: Spawner
    folder: Path


def run(job: Claimed, control: Control, hand_in: HandIn, *, tools: Tools) -> None:
    """Work on a job and hand in its outcome; what a lost lease made is removed again."""
    report = _attempt(job, control, tools)
    hand_in(report, partial(adoption.tidy, report, storage=tools.storage))


def _attempt(job: Claimed, control: Control, tools: Tools) -> Report:
    try:
        with scratch.folder(tools.folder, job.lease_id) as place:
            finished = adoption.find(job, place, tools.storage)
            return finished or _ended(job, _convert(job, control, place, tools), place, tools)
    except BadResult as bad:
        return Report(job, _unusable(bad, tools.settings))
    except SpawnerFailed as failed:
        log.warning("spawner.failed", job=job.job_id, reason=str(failed))
        return Report(job, Interrupted(), pause=True)
    except Unconfined as reason:
        log.error("cell.unconfined", job=job.job_id, reason=str(reason))  # noqa: TRY400
        surprise = None if reason.passing else str(reason)
        return Report(job, Interrupted(), pause=True, unconfined=surprise)
    except OSError as error:
        log.warning("attempt.storage", job=job.job_id, reason=repr(error))
        return Report(job, Broken("storage_unavailable", log=repr(error)), pause=True)
    except Exception as error:
        log.exception("attempt.surprise", job=job.job_id)
        return Report(job, Broken("converter_crashed", log=repr(error)))


def _convert(job: Claimed, control: Control, place: Path, tools: Tools) -> Outcome:
    task = _task(job, place, tools)
    if task is None:
        return Refused("source_missing")
    with tools.spawner.cell(task) as cell:
        control.watch(cell)
        try:
            overdue = _wait(cell, task, tools.settings)
        finally:
            control.forget()
        if control.ended:
            return Interrupted()
        return overdue or cell.outcome()


def family_of(job: Claimed) -> Family | None:
    """Return the family that converts this pair; None if nobody here has heard of it."""
    family = family_of_kind(job.kind)
    knows = family is not None and job.payload["to"] in family.targets_of(job.payload["from"])
    return family if knows else None


def _task(job: Claimed, place: Path, tools: Tools) -> Task | None:
    source, target = job.payload["from"], job.payload["to"]
    family = family_of(job)
    if family is None:
        raise LookupError(f"{job.kind}: this worker does not know how {source} becomes {target}")
    if job.storage_key is None or not tools.storage.exists(job.storage_key):
        return None
    # The source is read in place: a link costs nothing, a copy of a film costs minutes.
    (place / f"input.{source}").symlink_to(tools.storage.path(job.storage_key).absolute())
    settings = tools.settings
    return Task(
        convert=family.convert,
        scratch=place,
        source=f"input.{source}",
        target=product.name(target),
        source_format=source,
        target_format=target,
        options=(job.payload.get("options") or {}) | (job.payload.get("secrets") or {}),
        limits=allowance.limits(settings),
        memory_bytes=settings.memory_limit_bytes,
        cpu_seconds=int(settings.time_limit_seconds * usable_cpus()) + 10,
        file_bytes=product.limit(settings),
        needs=family.needs_of(source, target),
        isolated_outside=settings.isolated_outside,
    )


def _wait(cell: Cell, task: Task, settings: Settings) -> Broken | None:
    """Wait for the cell's end, and bring it about when it takes too long, or too much room."""
    begun = time.monotonic()
    while not cell.wait(timeout=TICK_SECONDS):
        now = time.monotonic()
        if now - begun > settings.time_limit_seconds:
            return _stop(cell, _overdue("time_limit", settings.time_limit_seconds))
        if now - max(begun, cell.moved_at) > settings.stall_seconds:
            return _stop(cell, _overdue("stalled", settings.stall_seconds))
        if (reason := hoard.excess(task.scratch, limit_bytes=task.file_bytes)) is not None:
            return _stop(cell, Broken("result_too_large", too_large(task.file_bytes), log=reason))
    return None


def _overdue(code: str, seconds: float) -> Broken:
    sentence = failures.CATALOGUE[code].sentence
    return Broken(code, detail=f"{sentence} The limit is {seconds:g} seconds.")


def _unusable(bad: BadResult, settings: Settings) -> Broken:
    is_large = bad.code == "result_too_large"
    return Broken(bad.code, too_large(product.limit(settings)) if is_large else None, log=bad.log)


def _stop(cell: Cell, outcome: Broken) -> Broken:
    cell.kill()
    cell.wait(timeout=10)
    return outcome


def _ended(job: Claimed, outcome: Outcome, place: Path, tools: Tools) -> Report:
    match outcome:
        case Converted():
            result = _result(job, place, outcome, tools.settings)
            return adoption.publish(Report(job, outcome, result), place, tools.storage)
        case Refused():
            return adoption.keep(Report(job, outcome), place, tools.storage)
    return Report(job, outcome)


def _result(job: Claimed, place: Path, outcome: Converted, settings: Settings) -> dict[str, Any]:
    target, limit = job.payload["to"], product.limit(settings)
    made = product.checked(place, target, outcome.format or target, limit_bytes=limit)
    # The name carries the lease: whoever loses it deletes this file and no other.
    key = keys.result_key(job.upload_id, job.number, job.lease_id)
    return {"storage_key": key, **made, "facts": outcome.facts}
