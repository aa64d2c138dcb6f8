"""Tries at the start what this machine can do, in cells as for any conversion."""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.formats.family import Family
from app.settings import Settings
from worker import allowance
from worker.offers import Reasons
from worker.outcome import Converted
from worker.spawner.client import Spawner, Task

TRIAL_SECONDS = 60.0


def names(families: Iterable[Family]) -> list[str]:
    """Return every function that the spawner has to know for these families."""
    return [name for one in families for name in (one.convert, one.trial) if name is not None]


def run(
    families: Sequence[Family], spawner: Spawner, settings: Settings, *, place: Path
) -> list[tuple[Family, Reasons | str]]:
    """Return for each family what it cannot do, pair by pair, or why it can do nothing."""
    return [(family, _try(family, spawner, settings, place)) for family in families]


def _try(family: Family, spawner: Spawner, settings: Settings, place: Path) -> Reasons | str:
    reason = spawner.ready.get(family.convert, "the spawner does not know it")
    if reason is not None:
        return reason
    if family.trial is None:
        return {}
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".trial-", dir=place) as folder:
        return _in_a_cell(family.trial, Path(folder), spawner, settings)


def _in_a_cell(trial: str, folder: Path, spawner: Spawner, settings: Settings) -> Reasons | str:
    task = Task(
        convert=trial,
        scratch=folder,
        source="input",
        target="output.json",
        source_format="",
        target_format="json",
        options={},
        limits=allowance.limits(settings),
        memory_bytes=settings.memory_limit_bytes,
        cpu_seconds=int(TRIAL_SECONDS),
        file_bytes=64 * 1024**2,
    )
    with spawner.cell(task) as cell:
        if not cell.wait(timeout=TRIAL_SECONDS):
            cell.kill()
            return f"its trial took longer than {TRIAL_SECONDS:g} s"
        outcome = cell.outcome()
    if not isinstance(outcome, Converted):
        return f"its trial ended with {outcome}"
    reasons: Reasons = outcome.facts.get("pairs", {})
    return reasons
