"""What the events of a job and its row have to say together; a sentence for all that cannot be."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from app.models import Event, Job
from app.states import FINAL, MOVES, Move, Status
from app.storage.keys import result_key

_COUNTS = {"attempts": Move.CLAIM, "losses": Move.RESCUE, "releases": Move.RELEASE}
_NOBODY = (None, None)


def faults(job: Job, events: Sequence[Event]) -> list[str]:
    """Return what contradicts the table of moves, or the row; `events` are the job's, in order."""
    history = _History()
    said = [*history.follow(events), *history.compare(job)]
    return [f"job {job.id}: {sentence}" for sentence in said]


def claimed_twice(events: Iterable[Event]) -> list[str]:
    """Return what is wrong with the leases of all jobs together: each is made once."""
    made = Counter(event.lease_id for event in events if event.move is Move.CLAIM)
    return [
        f"lease {lease} was claimed {count} times" for lease, count in made.items() if count > 1
    ]


class _History:
    """Where the events lead: the status, who holds the job by which lease, and the counts."""

    def __init__(self) -> None:
        self.status: Status | None = None
        self.holder: tuple[UUID | None, str | None] = _NOBODY
        self.counts: Counter[Move] = Counter()
        self.recorded: UUID | None = None  # the lease that succeeded

    def follow(self, events: Sequence[Event]) -> Iterator[str]:
        for event in events:
            yield from self._check(event)
            self._take(event)
            if event.attempt != self.counts[Move.CLAIM]:
                yield f"{event.move} of attempt {event.attempt}, not {self.counts[Move.CLAIM]}"

    def compare(self, job: Job) -> Iterator[str]:
        if job.status is not self.status:
            yield f"it is {job.status}, its events say {self.status}"
        if (job.lease_id, job.locked_by) != self.holder:
            held, holder = _named(job.lease_id, job.locked_by), _named(*self.holder)
            yield f"held by {held}, its events say {holder}"
        for name, move in _COUNTS.items():
            if getattr(job, name) != self.counts[move]:
                yield f"{name} is {getattr(job, name)}, its events say {self.counts[move]}"
        if (job.finished_at is not None) != (job.status in FINAL):
            yield f"it is {job.status}, and finished at {job.finished_at}"
        yield from self._compare_result(job)

    def _check(self, event: Event) -> Iterator[str]:
        sources = MOVES[event.move].sources
        if self.status not in (sources or {None}):
            yield f"{event.move} from {self.status}"
        by = (event.lease_id, event.worker)
        if event.move is Move.CLAIM:
            if None in by:
                yield "claim by nobody, or without a lease"
        elif by != self.holder:
            yield f"{event.move} by {_named(*by)}, held by {_named(*self.holder)}"

    def _take(self, event: Event) -> None:
        is_claim = event.move is Move.CLAIM
        self.holder = (event.lease_id, event.worker) if is_claim else _NOBODY
        if event.move is Move.AGAIN:
            self.counts.clear()
        self.counts[event.move] += 1
        self.recorded = event.lease_id if event.move is Move.SUCCEED else None
        self.status = _target(event)

    def _compare_result(self, job: Job) -> Iterator[str]:
        if (job.result is not None) != (job.status is Status.SUCCEEDED):
            yield f"it is {job.status} with the result {job.result}"
        if job.result is not None and self.recorded is not None:
            named = job.result.get("storage_key")
            if named != result_key(job.upload_id, job.number, self.recorded):
                yield f"its result is {named}, recorded by the lease {self.recorded}"


def _target(event: Event) -> Status | None:
    """Return where a move led; the event tells of one that may lead to two."""
    targets = MOVES[event.move].targets
    told = (event.detail or {}).get("to") if len(targets) > 1 else next(iter(targets))
    return Status(told) if told in targets else None


def _named(lease: UUID | None, worker: str | None) -> str:
    return f"{worker} ({lease})"
