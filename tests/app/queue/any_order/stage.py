"""What every move needs: the model beside the database, and one transaction that is left open."""

import uuid
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from random import Random
from typing import TypeVar
from uuid import UUID

from hypothesis.stateful import RuleBasedStateMachine, invariant
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app import db
from app.queue import Claimed
from tests.app.queue.any_order.model import Job, Upload, Worker, claimable
from tests.app.queue.any_order.truth import compare
from worker.floor import Floor

T = TypeVar("T")
KINDS = ("image", "media")
SWEEP_SECONDS = 15.0
PAUSES = (0, 0, 3600)
# A statement that waits for the transaction left open by its own thread would wait for ever.
IMPATIENT = "SET LOCAL lock_timeout = '20ms'; "
_LOCKED = "55P03"


@dataclass
class Held:
    """A transaction that is left open: the rows it has locked, and what its commit will change."""

    session: Session
    effect: Callable[[], None]
    jobs: set[int]
    uploads: set[UUID]
    workers: set[str]


class Stage(RuleBasedStateMachine):
    """An empty database and an empty model."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.sessions = db.sessions_of(engine)
        self.uploads: dict[UUID, Upload] = {}
        self.workers: dict[str, Worker] = {}
        self.floors: dict[str, Floor] = {}
        self.claims: list[Claimed] = []
        self.now = 0.0
        self.held: Held | None = None
        self.is_sound = True
        with self.sessions.begin() as session:
            session.execute(
                text("TRUNCATE uploads, jobs, workers, events RESTART IDENTITY CASCADE")
            )

    @property
    def jobs(self) -> list[Job]:
        return [job for upload in self.uploads.values() for job in upload.jobs]

    def job(self, job_id: int) -> Job:
        return next(job for job in self.jobs if job.id == job_id)

    def act(
        self,
        move: Callable[[Session], T],
        *,
        expect: T,
        effect: Callable[[], None],
        hold: bool = False,
        waits: bool = False,
        jobs: Iterable[int] = (),
        uploads: Iterable[UUID] = (),
        workers: Iterable[str] = (),
    ) -> bool:
        """Make a move that has to answer so, or has to wait; tell whether its effect is there.

        With `hold` its transaction stays open, if no other is, and has these rows locked.
        """
        session, self.is_sound = self.sessions(), False
        try:
            try:
                answer = move(session)
            except OperationalError as error:
                if getattr(error.orig, "pgcode", None) != _LOCKED:
                    raise
                assert waits, "it waits for a row that it should pass by"
                return False
            assert not waits, "it should wait for a row"
            assert answer == expect
            if hold and self.held is None:
                self.held = Held(session, effect, set(jobs), set(uploads), set(workers))
                return False
            session.commit()
        finally:
            if self.held is None or self.held.session is not session:
                session.close()
        effect()
        return True

    def claimable(self) -> list[Job]:
        return claimable(self.jobs, locked=self.locked_jobs)

    @property
    def locked_jobs(self) -> Collection[int]:
        return self.held.jobs if self.held else set()

    @property
    def locked_uploads(self) -> Collection[UUID]:
        return self.held.uploads if self.held else set()

    @property
    def locked_workers(self) -> Collection[str]:
        return self.held.workers if self.held else set()

    def close(self, dice: Random) -> None:
        """End the transaction that was left open."""
        held, self.held = self.held, None
        if held is not None:
            commits = not seldom(dice)
            if commits:
                held.session.commit()
            held.session.close()
            if commits:
                held.effect()

    @invariant()
    def agrees(self) -> None:
        with self.sessions.begin() as session:
            compare(session, self.uploads, self.workers)
        ready = {job.id for job in self.claimable()}
        for job in self.jobs:
            job.since = (self.now if job.since is None else job.since) if job.id in ready else None
        self.is_sound = True

    def teardown(self) -> None:
        held, self.held = self.held, None
        if held is not None:
            held.session.close()


def seldom(dice: Random) -> bool:
    return dice.random() < 0.25


def leases(count: int) -> list[UUID]:
    return [uuid.uuid4() for _ in range(count)]
