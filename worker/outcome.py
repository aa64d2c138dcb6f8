"""How one attempt ended: Converted, Refused, Broken or Interrupted."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Converted:
    """A result was made; `facts` (JSON values only) go into the job's result as they are.

    `format` is "zip" when one file would not have held it; otherwise the result is the target's.
    """

    facts: dict[str, Any] = field(default_factory=dict)
    format: str | None = None


@dataclass(frozen=True)
class Refused:
    """The input can never be converted so; `code` is one of app.failures.CATALOGUE.

    `detail` is our own sentence for a person; what a library said goes into `log`, for operators.
    """

    code: str
    detail: str | None = None
    log: str = field(default="", compare=False)


@dataclass(frozen=True)
class Broken:
    """It may work another time: a crash, a full disk, a limit; `log` is for operators only."""

    code: str
    detail: str | None = None
    log: str = ""


@dataclass(frozen=True)
class Interrupted:
    """Nobody's fault: the worker shuts down, or the lease is gone; the attempt is not counted."""


Outcome = Converted | Refused | Broken | Interrupted
