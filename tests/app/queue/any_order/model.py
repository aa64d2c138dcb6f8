"""What the queue should do, told in Python: the oracle of the test in any order."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from app.queue import MOST_LOSSES
from app.states import OPEN, Move, Status, UploadStatus


@dataclass(repr=False)
class Job:
    """One job as it should be; `run_after` is taken from its row where it may have changed."""

    id: int
    upload: UUID
    number: int
    kind: str
    max_attempts: int
    run_after: datetime
    status: Status = Status.QUEUED
    attempts: int = 0
    losses: int = 0
    releases: int = 0
    lease: UUID | None = None
    worker: str | None = None
    is_ready: bool = True
    is_moved: bool = False
    since: float | None = None
    progress: float = 0
    story: list[tuple[Move, UUID | None]] = field(default_factory=lambda: [(Move.ENQUEUE, None)])

    def __repr__(self) -> str:
        return f"job {self.id} ({self.status})"

    @property
    def is_spent(self) -> bool:
        return self.attempts - self.losses - self.releases >= self.max_attempts

    @property
    def place(self) -> tuple[datetime, int]:
        return self.run_after, self.id

    def claim(self, worker: str, lease: UUID) -> None:
        self.attempts += 1
        self.status, self.worker, self.lease, self.progress = Status.RUNNING, worker, lease, 0
        self.story.append((Move.CLAIM, lease))

    def end(self, move: Move, status: Status) -> None:
        self.story.append((move, self.lease))
        self.status, self.worker, self.lease = status, None, None

    def succeed(self) -> None:
        self.end(Move.SUCCEED, Status.SUCCEEDED)
        self.progress = 1

    def fail(self) -> None:
        self.end(Move.FAIL, Status.FAILED)

    def retry(self, *, at_once: bool) -> None:
        if self.is_spent:
            self.fail()
        else:
            self.end(Move.RETRY, Status.QUEUED)
            self.is_ready = at_once
        self.is_moved = True

    def release(self) -> None:
        self.end(Move.RELEASE, Status.QUEUED)
        self.releases += 1
        self.is_ready, self.progress = True, 0

    def rescue(self, *, at_once: bool) -> None:
        self.losses += 1
        self.is_ready, self.progress = at_once or self.losses == 1, 0
        is_over = self.losses >= MOST_LOSSES
        self.is_moved = not is_over
        self.end(Move.RESCUE, Status.FAILED if is_over else Status.QUEUED)

    def hand_over(self, kind: str) -> None:
        """The line that it stands in now has been looked at without it."""
        self.story.append((Move.HAND_OVER, None))
        self.kind, self.since = kind, None

    def cancel(self) -> None:
        self.end(Move.CANCEL, Status.CANCELLED)

    def again(self) -> None:
        self.story.append((Move.AGAIN, None))
        self.status, self.is_ready, self.progress = Status.QUEUED, True, 0
        self.attempts = self.losses = self.releases = 0
        self.is_moved = True


@dataclass(repr=False)
class Upload:
    """One upload as it should be: how it went, and whether its time is counted and over."""

    jobs: list[Job] = field(default_factory=list)
    gone: UploadStatus | None = None
    is_stamped: bool = False
    is_over: bool = False

    def __repr__(self) -> str:
        return f"upload of {self.jobs}"

    @property
    def is_open(self) -> bool:
        return any(job.status in OPEN for job in self.jobs)

    @property
    def status(self) -> UploadStatus:
        """What a person is told."""
        found = {job.status for job in self.jobs}
        if self.gone or self.is_over:
            return self.gone or UploadStatus.EXPIRED
        if found & OPEN:
            return UploadStatus.CONVERTING
        if Status.SUCCEEDED in found:
            return UploadStatus.READY
        return UploadStatus.FAILED if Status.FAILED in found else UploadStatus.CANCELLED


@dataclass
class Worker:
    """One worker as it should be."""

    missed: int = 0
    is_lost: bool = False


def each(jobs: Iterable[Job], move: Callable[[Job], None]) -> None:
    for job in jobs:
        move(job)


def claimable(jobs: Iterable[Job], *, locked: Collection[int]) -> list[Job]:
    """Return the jobs that a claim may take, oldest first."""
    return [
        job
        for job in sorted(jobs, key=lambda job: job.place)
        if job.status is Status.QUEUED and job.is_ready and job.id not in locked
    ]


def heads(
    jobs: Sequence[Job], *, rooms: Mapping[str, int], floors: Mapping[str, datetime]
) -> list[Job]:
    """Return the first of those jobs, for each kind as many as it has room for, oldest first."""
    found: list[Job] = []
    for kind, most in rooms.items():
        floor = floors.get(kind)
        of_kind = [job for job in jobs if job.kind == kind]
        found += [job for job in of_kind if floor is None or job.run_after >= floor][:most]
    return sorted(found, key=lambda job: job.place)
