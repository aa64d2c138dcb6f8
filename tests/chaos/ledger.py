"""What the clients of a chaos run asked for and were told: all that the verdict may believe."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Look(NamedTuple):
    """The part of a status document that a person follows."""

    status: str
    job: str | None
    attempt: int
    interruptions: int
    progress: float
    sha256: str | None


@dataclass
class Sent:
    """One file, the door it went through, and every answer about it.

    A client that `insists` sends again under the same Idempotency-Key until it is answered; the
    others send once. `paths` are the addresses that were promised: there must never be two.
    """

    number: int
    door: str
    target: str
    insists: bool
    deletes: bool = False
    paths: set[str] = field(default_factory=set)
    tries: int = 0
    given_up: bool = False
    delete_asked: bool = False
    delete_done: bool = False
    strange: list[str] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"chaos-{self.number}.png"

    @property
    def path(self) -> str | None:
        return next(iter(self.paths), None)


def look(document: dict[str, Any]) -> Look:
    """Read a status document; its first job is the only one."""
    job = next(iter(document["jobs"]), None)
    if job is None:
        return Look(document["status"], None, 0, 0, 0.0, None)
    return Look(
        document["status"],
        job["status"],
        job["attempt"],
        job["interruptions"],
        job["progress"],
        (job["result"] or {}).get("sha256"),
    )
