"""What goes into the queue's moves and what comes out: plain values that outlive a session."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class Claimed:
    """A job that one slot may work on, as long as its lease stands; `run_after` was its place."""

    job_id: int
    lease_id: UUID
    upload_id: UUID
    number: int
    kind: str
    payload: dict[str, Any]
    attempt: int
    storage_key: str | None
    run_after: datetime


@dataclass(frozen=True)
class Ending:
    """How one attempt ended: what succeed, retry, fail and release are given in batches."""

    job_id: int
    lease_id: UUID
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    detail: dict[str, Any] = field(default_factory=dict)


class Standing(StrEnum):
    """Why a record moved nothing, or that it did."""

    MOVED = "moved"  # this very statement made the move
    ALREADY = "already"  # an earlier one did, and its answer was lost
    BUSY = "busy"  # the row is locked now; try again
    WAITING = "waiting"  # the lease is gone, and the next attempt may adopt what was made
    LOST = "lost"  # the lease is gone: drop what was made
