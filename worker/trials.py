"""Tries at the start what this machine can do, in cells as for any conversion."""

import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app.formats.family import Family, Needs
from app.settings import Settings, usable_cpus
from worker import allowance
from worker.offers import Reasons
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Spawner, Task, Unconfined

TRIAL_SECONDS = 60.0
TRIES = 3
NOTHING = "worker.cell.nothing:convert"


def names(families: Iterable[Family]) -> list[str]:
    """Return every function that the spawner has to know for these families."""
    return [name for one in families for name in (one.convert, one.trial) if name is not None]


def run(
    families: Sequence[Family], spawner: Spawner, settings: Settings, *, place: Path
) -> list[tuple[Family, Reasons | str]]:
    """Return for each family what it cannot do, pair by pair, or why it can do nothing."""
    # Several at once: an operator waits for it, and so does who waits for this worker.
    with ThreadPoolExecutor(max_workers=usable_cpus()) as threads:
        found = threads.map(lambda family: _try(family, spawner, settings, place), families)
        return list(zip(families, found, strict=True))


def unconfined(spawner: Spawner, settings: Settings, *, place: Path) -> str | None:
    """Return why no cell can be confined on this machine, or None: one has been, for nothing."""
    try:
        outcome = _in_a_cell(NOTHING, Needs(), spawner, settings, place=place)
    except Unconfined as reason:
        return f"Nothing can be converted: the sandbox does not hold here. {reason}"
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
    if not isinstance(outcome, Converted):
        return f"its trial ended with {outcome}"
    reasons: Reasons = outcome.facts.get("pairs", {})
    return reasons


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
