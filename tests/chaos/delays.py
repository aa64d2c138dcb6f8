"""How long jobs waited in a chaos run until somebody else had them: what its events tell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from statistics import median
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from app.models import Event, Worker
from app.states import Move
from tests.system.sweeps import LEASE_SECONDS, MISSES, SWEEP_SECONDS


class Moved(NamedTuple):
    """The part of an event that tells when a job went from one worker to the next."""

    job: int
    at: datetime
    move: str
    worker: str | None


@dataclass(frozen=True)
class Delays:
    """Seconds by one clock, the machine's, which is the database's as well.

    `rescues` are from the kill of a worker to the rescue of each job it had, `claims` from a
    release to the next claim. `late` has a sentence for each worker that missed twice as many
    sweeps as it may: while the database is away none is counted.
    """

    rescues: Sequence[float]
    claims: Sequence[float]
    late: Sequence[str]

    @property
    def summary(self) -> str:
        rescued = "no job had a worker that was killed"
        if self.rescues:
            rescued = (
                f"{len(self.rescues)} rescued {median(self.rescues):.1f} s after the kill (p50), "
                f"{max(self.rescues):.1f} s at most; "
                f"a lease and a sweep are {LEASE_SECONDS + SWEEP_SECONDS:.1f} s"
            )
        claims = f"{max(self.claims):.1f} s at most" if self.claims else "none was given back"
        return f"{rescued}\nfrom a release to the next claim: {claims}"


def delays(sessions: "sessionmaker[Session]", killed: Mapping[str, datetime]) -> Delays:
    """Read what became of the jobs; `killed` tells when the workers of these names were."""
    with sessions() as session:
        columns = Event.job_id, Event.at, Event.move, Event.worker
        rows = session.execute(select(*columns).order_by(Event.job_id, Event.id))
        moved = [Moved(job, at, str(move), worker) for job, at, move, worker in rows]
        missed = select(Worker.name, Worker.missed).where(Worker.lost_at.is_not(None))
        late = [
            f"{name} was lost only after {count} sweeps; {MISSES} are a lease"
            for name, count in session.execute(missed)
            if count > 2 * MISSES
        ]
    return Delays([*_rescues(moved, killed)], [*_claims(moved)], late)


def _rescues(moved: Sequence[Moved], killed: Mapping[str, datetime]) -> Iterator[float]:
    for event in moved:
        begun = killed.get(event.worker or "")
        if event.move == Move.RESCUE and begun is not None:
            yield (event.at - begun).total_seconds()


def _claims(moved: Sequence[Moved]) -> Iterator[float]:
    for _, of_job in groupby(moved, key=lambda event: event.job):
        released: datetime | None = None
        for event in of_job:
            if event.move == Move.CLAIM and released is not None:
                yield (event.at - released).total_seconds()
            released = event.at if event.move == Move.RELEASE else None
