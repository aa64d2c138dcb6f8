"""What came of one conversion: an outcome, and a file if it converted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worker.outcome import Broken, Converted, Refused


@dataclass(frozen=True)
class Made:
    """What every family's tests ask of it; a wrong outcome fails with what it was."""

    outcome: Converted | Refused | Broken
    path: Path

    @property
    def facts(self) -> dict[str, Any]:
        assert isinstance(self.outcome, Converted), self.outcome
        return self.outcome.facts

    @property
    def notes(self) -> str:
        return " ".join(self.facts["notes"])

    @property
    def refused(self) -> Refused:
        assert isinstance(self.outcome, Refused), self.outcome
        return self.outcome

    @property
    def content(self) -> bytes:
        assert isinstance(self.outcome, Converted), self.outcome
        return self.path.read_bytes()
