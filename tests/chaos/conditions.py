"""The odd but legal conditions of a chaos run: large ids, wrong clocks, zones, a newer schema."""

from dataclasses import dataclass
from pathlib import Path

from tests.system.house import PLUGIN, ROOT

HOUR = 3600


@dataclass(frozen=True)
class Conditions:
    """`first_id` is what ids of jobs and events begin with.

    `clock_seconds` is how far off the clock of one API and one worker is. `tomorrow` adds what a
    revision of a next release may add, so that the workers are the old ones beside it.
    """

    time_zone: str | None = None
    first_id: int | None = None
    clock_seconds: int = 0
    tomorrow: bool = False

    @property
    def settings(self) -> dict[str, str]:
        """Attempts enough that no job fails for good because its cells were killed."""
        return {"ROWMILL_MAX_ATTEMPTS": "20"}

    @property
    def statements(self) -> list[str]:
        """Return what brings the database into this condition, before anything runs."""
        said = []
        if self.time_zone is not None:
            said.append(f"ALTER ROLE rowmill SET timezone = '{self.time_zone}'")
        if self.first_id is not None:
            said += [
                f"ALTER TABLE {table} ALTER COLUMN id RESTART WITH {self.first_id}"
                for table in ("jobs", "events")
            ]
        if self.tomorrow:
            said += [
                "ALTER TABLE jobs ADD COLUMN tomorrow text",
                "ALTER TABLE uploads ADD COLUMN tomorrow integer NOT NULL DEFAULT 7",
                "ALTER TABLE workers ADD COLUMN tomorrow text",
                "UPDATE alembic_version SET version_num = 'tomorrow'",
            ]
        return said

    def environment(self, shim: Path) -> dict[str, str]:
        """Return what makes a process read the wrong time."""
        if not self.clock_seconds:
            return {}
        return {
            "PYTHONPATH": f"{shim}:{PLUGIN}:{ROOT}",
            "CHAOS_CLOCK_SECONDS": str(self.clock_seconds),
        }


CALM = Conditions()
ODD = (
    Conditions(time_zone="Asia/Tokyo", first_id=2**53 - 20, clock_seconds=HOUR),
    Conditions(time_zone="America/St_Johns", clock_seconds=-HOUR, tomorrow=True),
    Conditions(first_id=2**31 - 20, tomorrow=True),
    CALM,
)
