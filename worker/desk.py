"""The one thread with a connection: it beats, records, claims, sweeps, and sleeps in between."""

import time
from collections.abc import Callable
from functools import partial

import psycopg2
from sqlalchemy.exc import SQLAlchemyError

from app import queue
from app.log import get_logger
from app.queue import Standing
from app.settings import Settings
from worker import registry
from worker.claims import Claims
from worker.drain import Drain
from worker.home import Home
from worker.name import new_name
from worker.nursery import Nursery
from worker.offers import Offers
from worker.outcome import Broken, Interrupted
from worker.pulse import Pulse
from worker.record import record
from worker.report import Report
from worker.rounds import Rounds
from worker.seat import Seat
from worker.slots import Running, Slots
from worker.trouble import Trouble
from worker.wake import Wake

log = get_logger()
BUSY_SECONDS = 0.2
# To open a seat costs more than to record. Conversions that end at once find it still open.
LINGER_SECONDS = 0.1
# Conversions that end together are recorded by one statement; PostgreSQL's commit_delay does so.
GATHER_SECONDS = 0.002
STUCK_SECONDS = 600.0  # beyond the time limit: to hash and store a large result takes a while


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
        home: Home,
        renewed: Callable[[], Offers | None] = lambda: None,
    ) -> None:
        self._settings = settings
        self._seat = seat
        self._slots = slots
        self._rounds = rounds
        self._offers = offers
        self._nursery = nursery
        self._wake = wake
        self._home = home
        self._renewed = renewed
        self._pulse = Pulse(settings, slots)
        self._claims = Claims(settings, seat=seat, slots=slots, offers=offers)
        self._drain = Drain(grace_seconds=settings.grace_seconds)
        self._trouble = Trouble()
        self._name = new_name()
        self._entered = False
        self._to_restate = False
        self._busy_until = 0.0

    def run(self) -> None:
        """Work until drained; afterwards nothing is running and the seat is given back."""
        while not self._drain.over(self._slots):
            self.turn()
            self._rest()
        self._leave()

    def drain(self) -> None:
        """Claim no more, and end what runs after the grace; called again: at once."""
        self._drain.begin()
        self._seat.hurry()
        self._wake()

    def turn(self) -> None:
        """Do once everything that is due."""
        self._home.sign()
        self._drain.further(self._slots)
        self._give_up_stuck()
        if (found := self._renewed()) is not None:
            self._offer(self._offers.renewed(found))
        if not self._drain.begun:
            self._nursery.keep(busy=bool(self._slots.running))
        if self._trouble.over():
            try:
                self._use_seat()
                self._trouble.forget()
            except (SQLAlchemyError, psycopg2.Error, OSError) as error:
                self._seat.drop()
                self._trouble.meet(error)
        if self._wants_nothing and not self._wants_something_soon:
            self._seat.close()

    @property
    def _wants_nothing(self) -> bool:
        return self._slots.free == 0 or self._drain.begun

    @property
    def _wants_something_soon(self) -> bool:
        soon = time.monotonic() + LINGER_SECONDS
        rounds = self._rounds.due if not self._drain.begun else soon
        return time.monotonic() < self._seat_until or min(self._pulse.due, rounds) < soon

    @property
    def _seat_until(self) -> float:
        return self._claims.begun_at + LINGER_SECONDS

    @property
    def _may_claim(self) -> bool:
        return not self._drain.begun and self._nursery.ready and self._home.ready

    def _use_seat(self) -> None:
        name = self._name if self._entered else self._enter()
        self._home.enter(name)
        if self._to_restate:
            self._restate(name)
        # A beat comes before a claim: after a freeze it tells what is still ours.
        if time.monotonic() >= self._pulse.due:
            self._claims.look = True
            if not self._pulse.beat(self._seat, worker=name):
                name = self._start_anew()
        self._record(name)
        if self._may_claim:
            self._claims.claim(name)
        if not self._drain.begun:
            self._rounds.turn(self._seat, worker=name)
            self._claims.look |= self._rounds.freed
        if self._seat.is_open and time.monotonic() >= self._pulse.note_due:
            self._pulse.note(self._seat)

    def _enter(self) -> str:
        name = self._name  # kept as long as nothing says that its row is there
        self._home.enter(name)
        with self._seat.single() as session:
            self._entered = registry.enter(
                session, name=name, offers=self._offers, slots=self._slots.count
            )
        if not self._entered:
            log.warning("worker.name_is_taken", worker=name)
            self._home.move_out()
            self._name = new_name()
            return self._enter()
        log.info("worker.entered", worker=name, slots=self._slots.count, offers=self._offers.row)
        return name

    def _restate(self, name: str) -> None:
        with self._seat.single() as session:
            registry.restate(session, name=name, offers=self._offers)
        self._to_restate = False

    def _start_anew(self) -> str:
        log.warning("worker.found_itself_lost", worker=self._name)
        self._slots.end_all()
        self._name, self._entered = new_name(), False
        return self._enter()

    def _record(self, name: str) -> None:
        if not self._slots.reports() or time.monotonic() < self._busy_until:
            return
        self._slots.gather(lambda left: self._wake.wait(left, None), seconds=GATHER_SECONDS)
        waiting = self._slots.reports()
        reports = [running.report for running in waiting if running.report is not None]
        self._claims.look = True
        follow = self._may_claim and self._claims.may_follow(reports)
        succeed = partial(self._claims.turn_over, worker=name) if follow else None
        backoff = self._settings.backoff_seconds
        standings = record(self._seat, reports, backoff_seconds=backoff, succeed=succeed)
        for running in waiting:
            self._settle(running, standings[running.job.lease_id])

    def _settle(self, running: Running, standing: Standing) -> None:
        if standing is Standing.BUSY:
            self._busy_until = time.monotonic() + BUSY_SECONDS
            return
        if running.report is not None and running.report.pause:
            self._nursery.pause(spawner=isinstance(running.report.outcome, Interrupted))
        if running.report is not None and running.report.unconfined is not None:
            self._withdraw(running.report.unconfined)
        self._slots.settle(running, standing)

    def _withdraw(self, why: str) -> None:
        """Convert nothing more, because no cell can be trusted; the worker's row will say so."""
        self._renewed = lambda: None
        self._offer(self._offers.withdrawn(why))

    def _offer(self, offers: Offers) -> None:
        self._offers = offers
        self._claims = Claims(
            self._settings, seat=self._seat, slots=self._slots, offers=self._offers
        )
        self._to_restate = True

    def _give_up_stuck(self) -> None:
        latest = time.monotonic() - self._settings.time_limit_seconds - STUCK_SECONDS
        for running in list(self._slots.running.values()):
            if running.begun < latest and running.report is None:
                running.control.end()
                self._slots.give_up(running, Report(running.job, Broken("stalled")))
                log.error("slot.given_up", job=running.job.job_id, usable=self._slots.usable)

    def _leave(self) -> None:
        try:
            if self._entered:
                self._give_back()
                with self._seat.single() as session:
                    registry.leave(session, name=self._name)
        except (SQLAlchemyError, psycopg2.Error) as error:
            log.warning("worker.left_without_a_word", reason=repr(error)[:300])
            self._seat.drop()
        self._seat.close()
        self._slots.stop()
        self._home.tidy()

    def _give_back(self) -> None:
        stuck = [running.job for running in self._slots.running.values()]
        if stuck:
            endings = [queue.Ending(job.job_id, job.lease_id) for job in stuck]
            with self._seat.single() as session:
                queue.release(session, endings)

    def _rest(self) -> None:
        # A call that came with the answer to a statement lies in the driver's list already,
        # and the descriptor is silent about it.
        if not self._seat.woken():
            self._wake.wait(max(0.0, self._next_due() - time.monotonic()), self._seat.fileno())
            if not self._seat.woken():
                return
        self._claims.look = True

    def _next_due(self) -> float:
        if self._drain.over(self._slots):
            return 0.0
        if not self._trouble.over():
            return self._trouble.until
        dues = [self._pulse.due, self._home.due]
        if self._drain.begun:
            dues.append(self._drain.next_due())
        else:
            dues.append(self._rounds.due)
            if not self._nursery.ready:
                dues.append(max(self._nursery.due, time.monotonic() + 0.1))
            elif self._home.ready and self._claims.have_room:
                dues.append(self._claims.poll_due)
        if self._seat.is_open and self._slots.running:
            dues.append(self._seat_until if self._wants_nothing else self._pulse.note_due)
        if self._slots.waiting:
            dues.append(self._busy_until)
        return min(dues)
