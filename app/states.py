"""The states of a job and the moves between them: the only list of either."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Where a job stands. Succeeded, failed and cancelled are final until a person asks again."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN = frozenset({Status.QUEUED, Status.RUNNING})
FINAL = frozenset(Status) - OPEN


class Move(StrEnum):
    """What can happen to a job; each change of status is one of these, and one event.

    HAND_OVER changes no status, but the family that the job waits for.
    """

    ENQUEUE = "enqueue"
    CLAIM = "claim"
    SUCCEED = "succeed"
    RETRY = "retry"
    FAIL = "fail"
    RELEASE = "release"
    RESCUE = "rescue"
    HAND_OVER = "hand_over"
    CANCEL = "cancel"
    AGAIN = "again"


@dataclass(frozen=True)
class Rule:
    """A row of the table of moves: from where to where, by whom, and what has to hold."""

    sources: frozenset[Status]
    targets: frozenset[Status]
    who: str
    guard: str


def _rule(sources: str, targets: str, who: str, guard: str) -> Rule:
    return Rule(
        frozenset(Status(word) for word in sources.split()),
        frozenset(Status(word) for word in targets.split()),
        who,
        guard,
    )


MOVES: dict[Move, Rule] = {
    Move.ENQUEUE: _rule(
        "", "queued", "API", "in the transaction that completes the upload, or with its row locked"
    ),
    Move.CLAIM: _rule("queued", "running", "worker", "FOR UPDATE SKIP LOCKED, within its room"),
    Move.SUCCEED: _rule("running", "succeeded", "worker", "lease"),
    Move.RETRY: _rule("running", "queued", "worker", "lease, and attempts left"),
    Move.FAIL: _rule("running", "failed", "worker", "lease; also when the attempts are spent"),
    Move.RELEASE: _rule("running", "queued", "worker", "lease"),
    Move.RESCUE: _rule("running", "queued failed", "sweep", "its worker's row, missed too often"),
    Move.HAND_OVER: _rule(
        "queued", "queued", "sweep", "nobody offers its family, for too many sweeps; no options"
    ),
    Move.CANCEL: _rule("queued running", "cancelled", "API", "the upload's row locked"),
    Move.AGAIN: _rule("failed cancelled", "queued", "API", "the upload's row locked, not deleted"),
}


def diagram() -> str:
    """Return the table of moves as a Mermaid state diagram, for the docs."""
    lines = ["stateDiagram-v2"]
    for move, rule in MOVES.items():
        sources = [str(source) for source in sorted(rule.sources)] or ["[*]"]
        lines += [
            f"    {source} --> {target}: {move}"
            for source in sources
            for target in sorted(rule.targets)
        ]
    return "\n".join(lines)


class UploadStatus(StrEnum):
    """What a person sees of an upload; derived from its row and its jobs, never stored."""

    DELETED = "deleted"
    EXPIRED = "expired"
    RECEIVING = "receiving"
    CONVERTING = "converting"
    READY = "ready"
    CANCELLED = "cancelled"
    FAILED = "failed"
