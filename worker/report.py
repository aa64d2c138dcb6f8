"""What a slot hands to the desk: one job, how its attempt ended, and which move that means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from app.failures import failure
from app.queue import Claimed, Ending
from app.states import Move
from worker.outcome import Broken, Converted, Interrupted, Outcome, Refused

Undo = Callable[[], None]


class HandIn(Protocol):
    """Hands a report in and does not wait; `undo` is called should the lease turn out lost."""

    def __call__(self, report: "Report", undo: Undo | None = None) -> None: ...


@dataclass(frozen=True)
class Report:
    """The outcome of one attempt; `result` is what the job's row will hold, if it converted."""

    job: Claimed
    outcome: Outcome
    result: dict[str, Any] | None = None
    pause: bool = False  # to claim on would only repeat it
    unconfined: str | None = None  # why no cell of this worker is to be trusted any more

    @property
    def move(self) -> Move:
        """The move that this outcome asks for."""
        match self.outcome:
            case Converted():
                return Move.SUCCEED
            case Refused() | Broken("time_limit"):  # which would pass once more, for an hour
                return Move.FAIL
            case Broken():
                return Move.RETRY
            case Interrupted():
                return Move.RELEASE

    @property
    def ending(self) -> Ending:
        """The same for the queue."""
        match self.outcome:
            case Refused(code, detail) | Broken(code, detail):
                error = failure(code, detail)
                return Ending(self.job.job_id, self.job.lease_id, error=error, detail=error)
        return Ending(self.job.job_id, self.job.lease_id, result=self.result)
