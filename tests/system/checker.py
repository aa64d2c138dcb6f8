"""Looks at rows, events, files and processes of a house, and finds what cannot be."""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

import psutil
from sqlalchemy import select

from app.models import Event, Job, Upload
from app.states import FINAL, MOVES, Move, Status
from tests.polling import poll
from tests.system.house import ROOT, House, living

AREAS = ("objects", "results", "incoming")
_SPAWNER = str(ROOT / "worker" / "spawner" / "__main__.py")
_ENDS = {Move.SUCCEED, Move.RETRY, Move.FAIL, Move.RELEASE, Move.RESCUE, Move.CANCEL}


def faults(house: House) -> list[str]:
    """Return a sentence for everything that contradicts the promises; it should be empty.

    What is kept of an attempt until it is recorded goes a moment after that, and so does its
    folder; a spawner needs a second to see that its worker has died.
    """
    with suppress(AssertionError):
        poll(lambda: not _kept(house), seconds=5)
    return [*_lost_or_doubled(house), *_files(house), *_left(house)]


def abandoned(house: House) -> list[str]:
    """Return a sentence for each folder of a worker that is over; a sweep deletes them in time.

    What a worker left that was killed while it tried its converters goes after an hour.
    """
    names = _names_of_the_living(house)
    return [
        f"the scratch folder of {folder.name} is left"
        for folder in (house.data / "scratch").glob("*/*/")
        if folder.name not in names and not folder.name.startswith(".trial-")
    ]


def _kept(house: House) -> list[object]:
    return [*(house.data / "results").glob("*/*.json"), *_left(house)]


def _left(house: House) -> list[str]:
    """Return what attempts leave on a worker that lives, and what outlives a worker."""
    names, leases = _names_of_the_living(house), _leases(house)
    return [
        f"the scratch folder of {folder.parent.name} for lease {folder.name} is left"
        for folder in (house.data / "scratch").glob("*/*/*/")
        if folder.parent.name in names and folder.name not in leases
    ] + [f"process {pid} has outlived worker {worker}" for pid, worker in _orphans(house)]


def _names_of_the_living(house: House) -> set[str]:
    alive = (one for one in house.processes if one.name == "worker" and living(one.pid))
    return {process.worker for process in alive if process.lines("worker.entered")}


def _leases(house: House) -> set[str]:
    running = select(Job.lease_id).where(Job.lease_id.is_not(None))
    with house.sessions() as session:
        return {lease.hex for lease in session.scalars(running) if lease is not None}


def _orphans(house: House) -> Iterator[tuple[int, int]]:
    """Yield the spawners and cells whose worker is dead, each with the worker's number."""
    dead = {process.pid for process in house.processes if not living(process.pid)}
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or []
        if _SPAWNER in command and living(process.pid):
            worker = json.loads(command[-1])["worker"]
            if worker in dead:
                yield process.pid, worker


def _lost_or_doubled(house: House) -> list[str]:
    found = []
    with house.sessions() as session:
        by_job: dict[int, list[Event]] = defaultdict(list)
        known = select(Event).where(Event.move.in_(list(Move)))  # a newer release may add some
        for event in session.scalars(known.order_by(Event.id)):
            by_job[event.job_id].append(event)
        for job in session.scalars(select(Job)):
            found += _history(job, by_job.pop(job.id, []))
        found += [f"events of job {job_id}, which is in no row" for job_id in by_job]
        jobless = select(Upload.id).where(
            Upload.error.is_(None),
            Upload.completed_at.is_not(None),
            ~select(Job.id).where(Job.upload_id == Upload.id).exists(),
        )
        found += [f"upload {upload} has no job" for upload in session.scalars(jobless)]
    return found


def _history(job: Job, events: list[Event]) -> list[str]:
    found = []
    open_leases: set[object] = set()
    status: Status | None = None
    for event in events:
        rule = MOVES[event.move]
        if status is not None and status not in rule.sources:
            found.append(f"job {job.id}: {event.move} from {status}")
        if event.move is Move.CLAIM:
            open_leases.add(event.lease_id)
        elif event.move in _ENDS and event.lease_id is not None:
            if event.lease_id not in open_leases:
                found.append(f"job {job.id}: {event.move} by a lease that was not open")
            open_leases.discard(event.lease_id)
        status = _after(event, rule.targets)
    if status is not job.status:
        found.append(f"job {job.id} is {job.status}, its events say {status}")
    if len(open_leases) != (job.status is Status.RUNNING):
        found.append(f"job {job.id} is {job.status} with {len(open_leases)} open leases")
    if job.status in FINAL and job.finished_at is None:
        found.append(f"job {job.id} is final without a time")
    return found


def _after(event: Event, targets: frozenset[Status]) -> Status:
    if len(targets) == 1:
        (only,) = targets
        return only
    return Status((event.detail or {})["to"])


def _files(house: House) -> list[str]:
    with house.sessions() as session:
        wanted = set(session.scalars(select(Upload.storage_key).where(Upload.deleted_at.is_(None))))
        results = select(Job.result["storage_key"].astext).join(Upload)
        wanted |= set(
            session.scalars(results.where(Upload.deleted_at.is_(None), Job.result.is_not(None)))
        )
    there = {
        file.relative_to(house.data).as_posix()
        for area in AREAS
        for file in (house.data / area).rglob("*")
        if file.is_file()
    }
    return [f"no file for {key}" for key in wanted - there] + [
        f"no row for {key}" for key in there - wanted
    ]
