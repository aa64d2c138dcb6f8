"""When the desk looks for jobs, and for how many slots of which kinds it claims them."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from app import queue
from app.queue import Claimed, Ending
from app.settings import Settings
from app.states import Move
from worker.floor import Floor
from worker.offers import Offers
from worker.report import Report
from worker.seat import Seat
from worker.slots import Slots

POLL_SECONDS = 1.0


class Claims:
    """The claims of one worker; `look` says that there may be jobs. For the desk's thread."""

    def __init__(self, settings: Settings, *, seat: Seat, slots: Slots, offers: Offers) -> None:
        self._settings = settings
        self._seat = seat
        self._slots = slots
        self._offers = offers
        self._floor = Floor(sweep_seconds=settings.sweep_seconds)
        self.look = True
        self.poll_due = self.begun_at = 0.0

    @property
    def have_room(self) -> bool:
        """Whether a slot is free for a kind that is not full."""
        return self._slots.free > 0 and any(self._rooms().values())

    def claim(self, worker: str) -> None:
        """Begin as many jobs as there are free slots, if it is time to look for some."""
        if self._slots.free == 0 or not self._offers.rooms:
            return
        # It listens first, then looks: a job that comes in between is not overheard.
        self.look |= self._seat.listen() or time.monotonic() >= self.poll_due
        if not self.look or not self.have_room:
            return
        free, rooms = self._slots.free, self._rooms()
        with self._seat.single() as session:
            look = self._floor.begin()
            claimed = queue.claim(
                session,
                worker=worker,
                rooms=rooms,
                leases=_leases(free),
                lacking=self._offers.lacking,
                floors=look.floors,
            )
        self._floor.end(look, claimed, rooms=rooms, free=free)
        self.look = False
        self._begin(claimed)

    def may_follow(self, reports: Sequence[Report]) -> bool:
        """Tell whether these slots can get their next jobs by the statement that records.

        Not after a failure, which may ask for a pause, nor before the seat listens.
        """
        return self._seat.hears and all(report.move is Move.SUCCEED for report in reports)

    def turn_over(self, session: Session, endings: Sequence[Ending], *, worker: str) -> set[UUID]:
        """Record results and begin the jobs that may follow; return the leases that ended."""
        free, rooms = self._slots.free, self._rooms()
        look = self._floor.begin()
        ended, claimed = queue.turn_over(
            session,
            endings,
            worker=worker,
            rooms=rooms,
            leases=_leases(free + len(endings)),
            lacking=self._offers.lacking,
            floors=look.floors,
        )
        freed = Counter(self._slots.running[lease].job.kind for lease in ended)
        rooms = {kind: most + freed[kind] for kind, most in rooms.items()}
        free += len(ended)
        self._floor.end(look, claimed, rooms=rooms, free=free)
        self.look = len(claimed) == free
        self._begin(claimed)
        return ended

    def _rooms(self) -> dict[str, int]:
        busy = self._slots.kinds()
        return {kind: max(0, most - busy[kind]) for kind, most in self._offers.rooms.items()}

    def _begin(self, claimed: Sequence[Claimed]) -> None:
        pause = POLL_SECONDS if self._seat.listens is False else self._settings.beat_seconds
        poll_due = time.monotonic() + pause * random.uniform(0.5, 1.5)  # noqa: S311
        self.poll_due = min(poll_due, self._floor.due)
        for job in claimed:
            self._slots.begin(job)
        if claimed:
            self.begun_at = time.monotonic()


def _leases(count: int) -> list[UUID]:
    # They are ours before the database knows them: should its answer be lost, the next beat
    # finds jobs under leases that no slot knows, and gives them back.
    return [uuid4() for _ in range(count)]
