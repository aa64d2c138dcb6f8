"""What a slot hands to the desk: one job, how its attempt ended, and which move that means."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol
from uuid import UUID

from app.failures import clean, failure
from app.queue import Claimed, Ending, Standing
from app.states import Move
from worker.outcome import Broken, Converted, Interrupted, Outcome, Refused

Afterwards = Callable[[Standing], None]


class HandIn(Protocol):
    """Hands a report in and does not wait; `afterwards` is told what became of it."""

    def __call__(self, report: "Report", afterwards: Afterwards | None = None) -> None: ...


@dataclass(frozen=True)
class Report:
    """The outcome of one attempt; `result` is what the job's row will hold, if it converted.

    `adopted` is the lease of an earlier attempt, if that had finished the work; `left` are the
    keys of all that earlier ones left, to be deleted when this outcome is recorded.
    """

    job: Claimed
    outcome: Outcome
    result: dict[str, Any] | None = None
    adopted: UUID | None = None
    left: tuple[str, ...] = ()
    pause: bool = False  # to claim on would only repeat it
    unconfined: str | None = None  # why no cell of this worker is to be trusted any more

    @cached_property
    def move(self) -> Move:
        """The move that this outcome asks for."""
        match self.outcome:
            case Converted():
                return Move.SUCCEED
            case Refused() | Broken("time_limit" | "memory_limit"):  # its own limits: met again
                return Move.FAIL
            case Broken():
                return Move.RETRY
            case Interrupted():
                return Move.RELEASE

    @cached_property
    def ending(self) -> Ending:
        """The same for the queue."""
        trace = {"adopted": str(self.adopted)} if self.adopted else {}
        match self.outcome:
            case Refused(code, detail) | Broken(code, detail):
                error = failure(code, detail)
                told = error | _log(self.outcome) | trace
                return Ending(self.job.job_id, self.job.lease_id, error=error, detail=told)
        return Ending(self.job.job_id, self.job.lease_id, result=self.result, detail=trace)


def _log(outcome: Outcome) -> dict[str, str]:
    """Return both ends of what operators may read: a traceback says it last, a cell first."""
    text = getattr(outcome, "log", "")
    short = text if len(text) <= 600 else f"{text[:250]} … {text[-350:]}"
    return {"log": clean(short, 700)} if text else {}
