"""What a sweep does, and what time, an outage and a stranger do."""

from random import Random

from sqlalchemy import text
from sqlalchemy.orm import Session

from app import queue
from app.states import UploadStatus
from tests.app.queue.any_order.stage import KINDS, PAUSES, SWEEP_SECONDS, Stage, seldom
from worker import sweep

MISSES = 1


class Sweeping(Stage):
    """Any worker may sweep at any time."""

    def count_misses(self, _: Random) -> None:
        def effect() -> None:
            for name, worker in self.workers.items():
                if not worker.is_lost and name not in self.locked_workers:
                    worker.missed += 1

        self.act(lambda session: sweep.elect(session, sweep_seconds=0), expect=True, effect=effect)

    def rescue(self, dice: Random) -> None:
        pause = dice.choice(PAUSES)
        running = {job.worker for job in self.jobs if job.worker is not None}
        silent = [
            name
            for name, worker in self.workers.items()
            if name not in self.locked_workers
            and (name in running if worker.is_lost else worker.missed >= MISSES)
        ]
        news = [name for name in silent if not self.workers[name].is_lost]
        jobs = [job for job in self.jobs if job.worker in silent and job.id not in self.locked_jobs]

        def effect() -> None:
            for name in silent:
                self.workers[name].is_lost = True
            for job in jobs:
                job.rescue(at_once=pause == 0)

        self.act(
            lambda session: sorted(queue.rescue(session, misses=MISSES, backoff_seconds=pause)),
            expect=sorted(news),
            effect=effect,
            hold=seldom(dice),
            jobs=[job.id for job in jobs],
            workers=silent,
        )

    def hand_over(self, dice: Random) -> None:
        """One family is away for long, and the other can do its jobs."""
        away, able = dice.sample(KINDS, k=2)
        jobs = [job for job in self.claimable() if job.kind == away]

        def effect() -> None:
            for job in jobs:
                job.hand_over(able)

        self.act(
            lambda session: sorted(queue.hand_over(session, {f"{away}:png>nap": able})),
            expect=sorted(job.id for job in jobs),
            effect=effect,
            hold=seldom(dice),
            jobs=[job.id for job in jobs],
        )

    def stamp(self, _: Random) -> None:
        """Begin to count the time of what has ended."""

        def effect() -> None:
            for key, upload in self.uploads.items():
                if not (upload.gone or upload.is_open or key in self.locked_uploads):
                    upload.is_stamped = True

        def move(session: Session) -> None:
            sweep.stamp(session, keep_seconds=3600)

        self.act(move, expect=None, effect=effect)

    def let_time_run_out(self, _: Random) -> None:
        """Let the time of all uploads be over whose time is counted."""
        over = [
            key
            for key, upload in self.uploads.items()
            if upload.is_stamped and not upload.gone and key not in self.locked_uploads
        ]

        def move(session: Session) -> None:
            statement = (
                "UPDATE uploads SET expires_at = now() - interval '1 s' WHERE id = ANY(:ids)"
            )
            session.execute(text(statement), {"ids": over})

        def effect() -> None:
            for key in over:
                self.uploads[key].is_over = True

        self.act(move, expect=None, effect=effect)

    def expire(self, _: Random) -> None:
        over = [
            key
            for key, upload in self.uploads.items()
            if upload.is_over and not upload.gone and key not in self.locked_uploads
        ]

        def effect() -> None:
            for key in over:
                self.uploads[key].gone = UploadStatus.EXPIRED

        self.act(lambda session: sorted(sweep.expire(session)), expect=sorted(over), effect=effect)

    def wait(self, dice: Random) -> None:
        """Let the workers' clocks go on, by which they know when to look from the start."""
        self.now += dice.choice([1.0, SWEEP_SECONDS / 2, SWEEP_SECONDS])

    def end_pauses(self, _: object = None) -> None:
        """Let the time come of all jobs that wait for it."""
        waiting = [job for job in self.jobs if not job.is_ready and job.id not in self.locked_jobs]

        def move(session: Session) -> None:
            statement = "UPDATE jobs SET run_after = now() WHERE id = ANY(:ids)"
            session.execute(text(statement), {"ids": [job.id for job in waiting]})

        def effect() -> None:
            for job in waiting:
                job.is_ready = job.is_moved = True

        self.act(move, expect=None, effect=effect)

    def outage(self, _: Random) -> None:
        """The database is away for an hour: nobody beats, and no sweep is counted."""

        def move(session: Session) -> None:
            statement = "UPDATE workers SET heartbeat = heartbeat - interval '1 h'"
            session.execute(text(statement))

        if self.held is None:
            self.act(move, expect=None, effect=lambda: None)

    def stranger(self, dice: Random) -> None:
        """Somebody locks rows and does nothing with them."""
        jobs = dice.sample(self.jobs, k=min(2, len(self.jobs)))
        ids = [job.id for job in jobs]

        def move(session: Session) -> None:
            statement = "SELECT FROM jobs WHERE id = ANY(:ids) ORDER BY id FOR UPDATE"
            session.execute(text(statement), {"ids": ids})

        if self.held is None:
            self.act(move, expect=None, effect=lambda: None, hold=True, jobs=ids)
