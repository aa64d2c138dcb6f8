"""Tries at the start what this machine can do, in cells as for any conversion."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app.formats.family import Family, Needs
from app.settings import Settings, usable_cpus
from app.storage import FULL
from worker import allowance
from worker.offers import Reasons
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Spawner, Task, Unconfined

TRIAL_SECONDS = 60.0
TRIES = 3
ROOM_BYTES = 16 * 1024**2  # more than the trial of a family takes
NOTHING = "worker.cell.nothing:convert"


class Untried(str):
    """Why a family could not be tried, which says nothing of what it can do."""

    __slots__ = ()


NO_ROOM = Untried("there was no room to try it; it is tried again as soon as there is")
Tried = Sequence[tuple[Family, Reasons | str]]


def names(families: Iterable[Family]) -> list[str]:
    """Return every function that the spawner has to know for these families."""
    return [name for one in families for name in (one.convert, one.trial) if name is not None]


def run(families: Sequence[Family], spawner: Spawner, settings: Settings, *, place: Path) -> Tried:
    """Return for each family what it cannot do, pair by pair, or why it can do nothing.

    What fails for want of room is Untried: a full disk looks like a library that cannot write.
    """
    was_room = has_room(place)

    def found(family: Family) -> Reasons | str:
        result = _try(family, spawner, settings, place)
        return result if _is_whole(result) or (was_room and has_room(place)) else NO_ROOM

    # Several at once: an operator waits for it, and so does who waits for this worker.
    with ThreadPoolExecutor(max_workers=usable_cpus()) as threads:
        return list(zip(families, threads.map(found, families), strict=True))


def has_room(place: Path) -> bool:
    """Whether a trial can be made in this folder: quotas and rights are told by writing alone."""
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as file:
            os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
    except OSError:
        return False
    return True


def unconfined(spawner: Spawner, settings: Settings, *, place: Path) -> str | None:
    """Return why no cell can be confined on this machine, or None: one has been, for nothing.

    On a full disk it may be None without that. Raise OSError for a folder that cannot be used.
    """
    try:
        outcome = _in_a_cell(NOTHING, Needs(), spawner, settings, place=place)
    except Unconfined as reason:
        return f"Nothing can be converted: the sandbox does not hold here. {reason}"
    except OSError as error:
        if error.errno not in FULL:
            raise
        return None  # nothing could be tried; each cell tries itself before it reads anything
    return None if isinstance(outcome, Converted) else f"Nothing can be converted: {outcome}"


def _try(family: Family, spawner: Spawner, settings: Settings, place: Path) -> Reasons | str:
    reason = spawner.ready.get(family.convert, "the spawner does not know it")
    if reason is not None:
        return reason
    if family.trial is None:
        return {}
    try:
        outcome = _in_a_cell(family.trial, family.needs, spawner, settings, place=place)
    except Unconfined as surprise:
        return f"the sandbox does not hold: {surprise}"
    except OSError as error:
        return f"its trial could not be made: {error}"
    if not isinstance(outcome, Converted):
        return f"its trial ended with {outcome}"
    reasons: Reasons = outcome.facts.get("pairs", {})
    return reasons


def _is_whole(found: Reasons | str) -> bool:
    if isinstance(found, str):
        return False
    return all(why is None for reasons in found.values() for why in reasons.values())


def _in_a_cell(
    convert: str, needs: Needs, spawner: Spawner, settings: Settings, *, place: Path
) -> Converted | Refused | Broken | str:
    """Try it again where something killed the cell: that tells nothing about what it can do."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory(prefix=".trial-", dir=place) as folder:
            task = _task(convert, needs, settings, scratch=Path(folder))
            with spawner.cell(task) as cell:
                if not cell.wait(timeout=TRIAL_SECONDS):
                    cell.kill()
                    return f"it took longer than {TRIAL_SECONDS:g} s"
                outcome = cell.outcome()
        if not (isinstance(outcome, Broken) and outcome.code == "machine_memory"):
            break
    return outcome


def _task(convert: str, needs: Needs, settings: Settings, *, scratch: Path) -> Task:
    return Task(
        convert=convert,
        scratch=scratch,
        source="input",
        target="output.json",
        source_format="",
        target_format="json",
        options={},
        limits=allowance.limits(settings),
        memory_bytes=settings.memory_limit_bytes,
        cpu_seconds=int(TRIAL_SECONDS),
        file_bytes=64 * 1024**2,
        needs=needs,
        isolated_outside=settings.isolated_outside,
    )
