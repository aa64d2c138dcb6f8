"""One thing that was looked at, and how it stands."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "failure"]


@dataclass(frozen=True)
class Finding:
    """`says` is one sentence in plain words; of a warning or failure also what to do."""

    check: str
    state: State
    says: str
