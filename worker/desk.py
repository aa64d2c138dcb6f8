"""The one thread with a connection: it beats, records, claims, sweeps, and sleeps in between."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

import psycopg2
from sqlalchemy.exc import SQLAlchemyError

from app import queue
from app.log import get_logger
from app.queue import Standing
from app.settings import Settings
from app.states import Move
from worker import beat, registry, scratch
from worker.name import new_name
from worker.nursery import Nursery
from worker.offers import Offers
from worker.record import record
from worker.rounds import Rounds
from worker.seat import Seat
from worker.slots import Running, Slots
from worker.trouble import Trouble
from worker.wake import Wake

log = get_logger()
POLL_SECONDS = 1.0
BUSY_SECONDS = 0.2
# Conversions that end at once find the seat still open: to open one costs more than to record.
LINGER_SECONDS = 0.1
NOTE_SECONDS = 1.0
STUCK_SECONDS = 120.0
LAST_WORDS_SECONDS = 10.0
_EVENTS = {
    Move.SUCCEED: "job.succeeded",
    Move.FAIL: "job.refused",
    Move.RETRY: "job.broken",
    Move.RELEASE: "job.released",
}


class Desk:
    """The life of one worker, in the main thread. `drain` alone is for signal handlers."""

    def __init__(
        self,
        settings: Settings,
        *,
        seat: Seat,
        slots: Slots,
        rounds: Rounds,
        offers: Offers,
        nursery: Nursery,
        wake: Wake,
        move_in: Callable[[str], Path],
    ) -> None:
        self._settings = settings
        self._seat = seat
        self._slots = slots
        self._rounds = rounds
        self._offers = offers
        self._nursery = nursery
        self._wake = wake
        self._move_in = move_in
        self._trouble = Trouble()
        self.name: str | None = None
        self._folder: Path | None = None
        self._look = True
        self._beat_due = self._note_due = self._poll_due = self._sign_due = 0.0
        self._busy_until = self._seat_until = 0.0
        self._grace_ends: float | None = None
        self._said_drain = False
        self._quiet_since: float | None = None

    def run(self) -> None:
        """Work until drained; afterwards nothing is running and the seat is given back."""
        while not self._is_over():
            self.turn()
            self._rest()
        self._leave()

    def drain(self) -> None:
        """Claim no more, and end what runs after the grace; called again: at once."""
        first = self._grace_ends is None
        self._grace_ends = time.monotonic() + (self._settings.grace_seconds if first else 0)
        self._wake()

    def turn(self) -> None:
        """Do once everything that is due."""
        self._sign()
        self._drain_further()
        self._give_up_stuck()
        if self._trouble.over():
            try:
                self._use_seat()
                self._trouble.forget()
            except (SQLAlchemyError, psycopg2.Error) as error:
                self._seat.drop()
                self._trouble.meet(error)
        if not (self._draining or self._nursery.keep()):
            self._beat_due = min(self._beat_due, time.monotonic() + 1)
        if (self._slots.free == 0 or self._draining) and time.monotonic() >= self._seat_until:
            self._seat.close()

    def _sign(self) -> None:
        if self._folder is not None and time.monotonic() >= self._sign_due:
            self._sign_due = time.monotonic() + self._settings.beat_seconds
            scratch.sign(self._folder)

    def _drain_further(self) -> None:
        if self._grace_ends is None:
            return
        left = max(0.0, self._grace_ends - time.monotonic())
        if not self._said_drain:
            self._said_drain = True
            log.info("worker.draining", busy=len(self._slots.running), grace=round(left, 1))
        if left == 0:
            self._slots.end_all()

    @property
    def _draining(self) -> bool:
        return self._grace_ends is not None

    def _use_seat(self) -> None:
        if self.name is None:
            self._enter()
        # A beat comes before a claim: after a freeze it tells what is still ours.
        if time.monotonic() >= self._beat_due:
            self._beat()
        self._record()
        if not self._draining:
            self._claim()
            self._look |= self._rounds.sweep_if_due(self._seat, worker=self.name or "")
            self._rounds.answer(self._seat)
        if self._seat.is_open and time.monotonic() >= self._note_due:
            self._note()

    def _enter(self) -> None:
        name = new_name()
        self._folder = self._move_in(name)
        with self._seat.single() as session:
            registry.enter(session, name=name, offers=self._offers, slots=self._slots.count)
        self.name = name
        log.info("worker.entered", worker=name, slots=self._slots.count, offers=self._offers.row)

    def _beat(self) -> None:
        assert self.name is not None  # noqa: S101 - entered before
        busy = len(self._slots.running)
        with self._seat.single() as session:
            lives = beat.alive(session, worker=self.name, busy=busy, slots=self._slots.usable)
        if not lives:
            self._start_anew()
            return
        with self._seat.single() as session:
            held = beat.leases(session, worker=self.name)
        self._beat_due = time.monotonic() + self._settings.beat_seconds
        self._end_lost(held)
        self._release_unknown(held)
        self._note()
        self._look = True

    def _start_anew(self) -> None:
        log.warning("worker.found_itself_lost", worker=self.name)
        self._slots.end_all()
        self.name = None
        self._enter()

    def _end_lost(self, held: dict[UUID, int]) -> None:
        for lease, running in self._slots.running.items():
            if lease not in held and running.report is None:
                running.control.end()

    def _release_unknown(self, held: dict[UUID, int]) -> None:
        unknown = [
            queue.Ending(job_id, lease, detail={"why": "no slot knows this lease"})
            for lease, job_id in held.items()
            if lease not in self._slots.running
        ]
        if unknown:
            with self._seat.single() as session:
                released = queue.release(session, unknown)
            log.warning("job.released", leases=[str(lease) for lease in released])

    def _note(self) -> None:
        steps = []
        for lease, running in self._slots.running.items():
            progress = running.control.progress
            if progress is not None and progress != running.noted:
                running.noted = progress
                steps.append(beat.Step(running.job.job_id, lease, *progress))
        self._note_due = time.monotonic() + NOTE_SECONDS
        if steps:
            with self._seat.single() as session:
                beat.note(session, steps)

    def _record(self) -> None:
        waiting = self._slots.reports()
        if not waiting or time.monotonic() < self._busy_until:
            return
        reports = [running.report for running in waiting if running.report is not None]
        standings = record(self._seat, reports, backoff_seconds=self._settings.backoff_seconds)
        for running in list(waiting):
            standing = standings[running.job.lease_id]
            if standing is Standing.BUSY:
                self._busy_until = time.monotonic() + BUSY_SECONDS
            else:
                self._slots.settle(running, standing)
                _tell(running, standing)
        self._look = True

    def _claim(self) -> None:
        assert self.name is not None  # noqa: S101 - entered before
        free = self._slots.free
        if free == 0 or not self._offers.rooms or not self._nursery.ready:
            return
        # It listens first, then looks: a job that comes in between is not overheard.
        self._look |= self._seat.listen() or time.monotonic() >= self._poll_due
        rooms = self._rooms(free)
        if not self._look or not rooms:
            return
        self._look = False
        pause = POLL_SECONDS if self._seat.listens is False else self._settings.beat_seconds
        self._poll_due = time.monotonic() + pause * random.uniform(0.5, 1.5)  # noqa: S311
        # The leases are ours before the database knows them: should its answer be lost, the
        # next beat finds jobs under leases that no slot knows, and gives them back.
        leases = [uuid4() for _ in range(free)]
        with self._seat.single() as session:
            claimed = queue.claim(
                session,
                worker=self.name,
                rooms=rooms,
                leases=leases,
                lacking=self._offers.lacking,
            )
        for job in claimed:
            self._slots.begin(job)
        if claimed:
            self._seat_until = time.monotonic() + LINGER_SECONDS

    def _rooms(self, free: int) -> dict[str, int]:
        busy = self._slots.kinds()
        rooms = {kind: min(free, most - busy[kind]) for kind, most in self._offers.rooms.items()}
        return {kind: room for kind, room in rooms.items() if room > 0}

    def _give_up_stuck(self) -> None:
        latest = time.monotonic() - self._settings.time_limit_seconds - STUCK_SECONDS
        for running in list(self._slots.running.values()):
            if running.begun < latest and running.report is None:
                running.control.end()
                self._slots.give_up(running)
                log.error("slot.given_up", job=running.job.job_id, usable=self._slots.usable)

    def _is_over(self) -> bool:
        if not self._draining:
            return False
        if not self._slots.running:
            return True
        # Outcomes that the database does not take now are made again by another worker.
        if any(running.report is None for running in self._slots.running.values()):
            self._quiet_since = None
            return False
        self._quiet_since = self._quiet_since or time.monotonic()
        return time.monotonic() > self._quiet_since + LAST_WORDS_SECONDS

    def _leave(self) -> None:
        try:
            if self.name is not None:
                with self._seat.single() as session:
                    registry.leave(session, name=self.name)
        except (SQLAlchemyError, psycopg2.Error) as error:
            log.warning("worker.left_without_a_word", reason=repr(error)[:300])
            self._seat.drop()
        self._seat.close()
        self._slots.stop()

    def _rest(self) -> None:
        now = time.monotonic()
        timeout = 0.0 if self._is_over() else max(0.0, self._next_due() - now)
        self._wake.wait(timeout, self._seat.fileno())
        if self._seat.woken():
            self._look = True

    def _next_due(self) -> float:
        if not self._trouble.over():
            return min(self._trouble.until, self._grace_ends or float("inf"))
        dues = [self._beat_due]
        if not self._draining:
            dues.append(self._rounds.due)
            if self._slots.free and self._offers.rooms:
                dues.append(self._poll_due)
        elif self._grace_ends is not None and self._grace_ends > time.monotonic():
            dues.append(self._grace_ends)
        else:
            dues.append(time.monotonic() + 0.5)
        if self._seat.is_open and self._slots.running:
            dues.append(self._note_due if self._slots.free else self._seat_until)
        if self._slots.waiting:
            dues.append(self._busy_until)
        return min(dues)


def _tell(running: Running, standing: Standing) -> None:
    report = running.report
    if report is None:
        return
    fields: dict[str, object] = {
        "job": running.job.job_id,
        "upload": str(running.job.upload_id),
        "number": running.job.number,
        "attempt": running.job.attempt,
        "seconds": round(time.monotonic() - running.begun, 3),
    }
    if standing is Standing.LOST:
        log.info("job.lost", move=report.move, **fields)
        return
    error = report.ending.error
    if error is not None:
        fields["code"] = error["code"]
        fields["log"] = getattr(report.outcome, "log", "")[:2000]
    log.info(_EVENTS[report.move], **fields)
