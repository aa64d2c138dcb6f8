"""When this worker beats, and what it does about leases that are gone or that nobody knows."""

import time
from uuid import UUID

from app import queue
from app.log import get_logger
from app.settings import Settings
from worker import beat
from worker.seat import Seat
from worker.slots import Slots

log = get_logger()
NOTE_SECONDS = 1.0


class Pulse:
    """The beats of one worker; all its calls are for the desk's thread."""

    def __init__(self, settings: Settings, slots: Slots) -> None:
        self._settings = settings
        self._slots = slots
        self.due = 0.0
        self.note_due = 0.0

    def beat(self, seat: Seat, *, worker: str) -> bool:
        """Say that the worker lives, and compare the leases; False when it was declared lost."""
        busy, slots = len(self._slots.running), self._slots.usable
        with seat.single() as session:
            if not beat.alive(session, worker=worker, busy=busy, slots=slots):
                return False
        with seat.single() as session:
            held = beat.leases(session, worker=worker)
        self.due = time.monotonic() + self._settings.beat_seconds
        self._end_lost(held)
        self._release_unknown(seat, held)
        self.note(seat)
        return True

    def note(self, seat: Seat) -> None:
        """Write how far the conversions are that have moved."""
        self.note_due = time.monotonic() + NOTE_SECONDS
        steps = {}
        for lease, running in self._slots.running.items():
            progress = running.control.progress
            if progress is not None and progress != running.noted:
                steps[lease] = beat.Step(running.job.job_id, lease, *progress)
        if steps:
            with seat.single() as session:
                written = beat.note(session, list(steps.values()))
            for lease in written & self._slots.running.keys():
                self._slots.running[lease].noted = steps[lease].progress, steps[lease].stage

    def _end_lost(self, held: dict[UUID, int]) -> None:
        for lease, running in self._slots.running.items():
            if lease not in held and running.report is None:
                running.control.end()

    def _release_unknown(self, seat: Seat, held: dict[UUID, int]) -> None:
        unknown = [
            queue.Ending(job_id, lease, detail={"why": "no slot knows this lease"})
            for lease, job_id in held.items()
            if lease not in self._slots.running
        ]
        if unknown:
            with seat.single() as session:
                released = queue.release(session, unknown)
            log.warning("job.given_back", leases=[str(lease) for lease in released])
