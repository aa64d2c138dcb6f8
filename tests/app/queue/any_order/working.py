"""What workers do: claim from their floors, end, beat; dead and alive, with leases old and new."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from uuid import UUID

from sqlalchemy.orm import Session

from app import queue
from app.queue import Claimed, Ending, Standing
from app.states import Move, Status
from tests import make
from tests.app.queue.any_order.model import Job, Worker, each, heads
from tests.app.queue.any_order.stage import KINDS, PAUSES, SWEEP_SECONDS, Stage, leases, seldom
from worker import beat
from worker.floor import Floor, Look

ENDS: dict[Move, Callable[[bool], Callable[[Job], None]]] = {
    Move.SUCCEED: lambda _: Job.succeed,
    Move.FAIL: lambda _: Job.fail,
    Move.RETRY: lambda at_once: lambda job: job.retry(at_once=at_once),
    Move.RELEASE: lambda _: Job.release,
}


class Working(Stage):
    """Several workers; none knows of the others, and a lost one may not know that it is."""

    def start(self, _: object = None) -> None:
        name = f"w-{len(self.workers) + 1}"
        with self.sessions.begin() as session:
            make.make_worker(session, name)
        self.workers[name] = Worker()
        self.floors[name] = Floor(sweep_seconds=SWEEP_SECONDS, clock=lambda: self.now)

    def claim(self, dice: Random) -> None:
        """Claim; the answer may be lost, and then nobody knows of these leases."""
        name, rooms, free = self._some_worker(dice), _rooms(dice), dice.randint(1, 3)
        is_heard, found = not seldom(dice), leases(free)
        look = self.floors[name].begin()
        line = self._line(name, rooms, look)
        claimed: list[Claimed] = []

        def move(session: Session) -> list[tuple[int, UUID, int]]:
            claimed.extend(
                queue.claim(session, worker=name, rooms=rooms, leases=found, floors=look.floors)
            )
            return _told(claimed)

        got = line[:free]
        is_done = self.act(
            move,
            expect=_expected(got, found),
            effect=lambda: self._begin(name, got, found, claimed if is_heard else []),
            hold=seldom(dice),
            jobs=[job.id for job in line],
        )
        if is_done and is_heard:
            self.floors[name].end(look, claimed, rooms=rooms, free=free)

    def end(self, dice: Random) -> None:
        """End attempts, of which some may have been over for long."""
        move, pause = dice.choice(list(ENDS)), dice.choice(PAUSES)
        endings = self._some_endings(dice)
        ended = self._ended(endings)
        statements: dict[Move, Callable[[Session], set[UUID]]] = {
            Move.SUCCEED: lambda session: queue.succeed(session, endings),
            Move.FAIL: lambda session: queue.fail(session, endings),
            Move.RETRY: lambda session: queue.retry(session, endings, backoff_seconds=pause),
            Move.RELEASE: lambda session: queue.release(session, endings),
        }
        self.act(
            statements[move],
            expect=set(ended),
            effect=lambda: each(ended.values(), ENDS[move](pause == 0)),
            hold=seldom(dice),
            jobs=[job.id for job in ended.values()],
        )
        self._ask_why(move, [one for one in endings if one.lease_id not in ended])

    def turn_over(self, dice: Random) -> None:
        """Succeed, and claim for what that frees."""
        rooms, free = _rooms(dice), dice.randint(0, 2)
        name, endings = self._some_worker(dice), self._some_endings(dice)
        ended, found = self._ended(endings), leases(free + len(endings))
        freed = Counter(job.kind for job in ended.values())
        free += len(ended)
        rooms_then = {kind: min(most + freed[kind], free) for kind, most in rooms.items()}
        look = self.floors[name].begin()
        line = self._line(name, rooms_then, look)
        got = line[:free]
        claimed: list[Claimed] = []

        def move(session: Session) -> tuple[set[UUID], list[tuple[int, UUID, int]]]:
            moved, jobs = queue.turn_over(
                session, endings, worker=name, rooms=rooms, leases=found, floors=look.floors
            )
            claimed.extend(jobs)
            return moved, _told(claimed)

        def effect() -> None:
            each(ended.values(), Job.succeed)
            self._begin(name, got, found, claimed)

        is_done = self.act(
            move,
            expect=(set(ended), _expected(got, found)),
            effect=effect,
            hold=seldom(dice),
            jobs=[job.id for job in [*line, *ended.values()]],
        )
        if is_done:
            self.floors[name].end(look, claimed, rooms=rooms_then, free=free)

    def beat(self, dice: Random) -> None:
        """Say that one lives; then give back what no slot knows."""
        name = self._some_worker(dice)
        worker = self.workers[name]

        def effect() -> None:
            if not worker.is_lost:
                worker.missed = 0

        is_done = self.act(
            lambda session: beat.alive(session, worker=name, busy=0, slots=4),
            expect=not worker.is_lost,
            effect=effect,
            hold=seldom(dice),
            waits=name in self.locked_workers and not worker.is_lost,
            workers=[name],
        )
        if is_done and not worker.is_lost:
            self._give_back_unknown(name)

    def note(self, dice: Random) -> None:
        claimed = self._some_claim(dice)
        progress = dice.choice([0.0, 0.2, 0.7, 1.0])
        ended = self._ended([make.ending(claimed)])
        step = beat.Step(claimed.job_id, claimed.lease_id, progress, "half")

        def effect() -> None:
            for job in ended.values():
                job.progress = max(job.progress, min(progress, 0.99))

        self.act(lambda session: beat.note(session, [step]), expect=set(ended), effect=effect)

    def _line(self, name: str, rooms: Mapping[str, int], look: Look) -> list[Job]:
        """Return what a claim may take; nothing may be passed by for longer than a sweep."""
        ready = self.claimable() if not self.workers[name].is_lost else []
        line = heads(ready, rooms=rooms, floors=look.floors)
        for got in line:
            for job in ready:
                if job.kind == got.kind and job.place < got.place and job not in line:
                    assert job.since is not None
                    assert self.now - job.since < SWEEP_SECONDS, "it stood behind the floor"
        return line

    def _begin(
        self, name: str, got: Sequence[Job], found: Sequence[UUID], claimed: Sequence[Claimed]
    ) -> None:
        for job, lease in zip(got, found, strict=False):
            job.claim(name, lease)
        self.claims += claimed

    def _give_back_unknown(self, name: str) -> None:
        known = {claimed.lease_id for claimed in self.claims}
        holds = {job.lease: job for job in self.jobs if job.worker == name}
        with self.sessions.begin() as session:
            told = beat.leases(session, worker=name)
        assert told == {lease: job.id for lease, job in holds.items()}
        unknown = [Ending(job_id, lease) for lease, job_id in told.items() if lease not in known]
        ended = self._ended(unknown)
        self.act(
            lambda session: queue.release(session, unknown),
            expect=set(ended),
            effect=lambda: each(ended.values(), Job.release),
        )

    def _some_worker(self, dice: Random) -> str:
        living = [name for name, worker in self.workers.items() if not worker.is_lost]
        return dice.choice([*self.workers, *living * 3])

    def _some_endings(self, dice: Random) -> list[Ending]:
        """Return endings of claims old and new; some name a lease of another job."""
        claims = {one.lease_id: one for one in (self._some_claim(dice), self._some_claim(dice))}
        others = [self._some_claim(dice) if seldom(dice) else one for one in claims.values()]
        mixed_up = [
            replace(one, lease_id=other.lease_id)
            for one, other in zip(claims.values(), others, strict=True)
        ]
        return [replace(make.success(one), error=make.breakdown(one).error) for one in mixed_up]

    def _some_claim(self, dice: Random) -> Claimed:
        """Choose any claim, and oftener one whose job runs, by whatever lease."""
        running = [
            claimed for claimed in self.claims if self.job(claimed.job_id).status is Status.RUNNING
        ]
        return dice.choice(self.claims if not running or seldom(dice) else running)

    def _ended(self, endings: Sequence[Ending]) -> dict[UUID, Job]:
        """Return the jobs that these may end: by their own lease, unless somebody has the row."""
        found = {}
        for ending in endings:
            job = self.job(ending.job_id)
            if job.lease == ending.lease_id and job.id not in self.locked_jobs:
                found[ending.lease_id] = job
        return found

    def _ask_why(self, move: Move, left: Sequence[Ending]) -> None:
        with self.sessions.begin() as session:
            told = queue.standing(session, move, left)
        assert told == {ending.lease_id: self._why(move, ending) for ending in left}

    def _why(self, move: Move, ending: Ending) -> Standing:
        job = self.job(ending.job_id)
        same = {Move.RETRY, Move.FAIL} if move is Move.RETRY else {move}
        if any((one, ending.lease_id) in job.story for one in same):
            return Standing.ALREADY
        if job.lease == ending.lease_id:
            return Standing.BUSY
        waits = job.status is Status.QUEUED and job.attempts > 0
        return Standing.WAITING if waits else Standing.LOST


def _rooms(dice: Random) -> dict[str, int]:
    return {kind: dice.choice([0, 1, 2, 2]) for kind in KINDS}


def _told(claimed: Sequence[Claimed]) -> list[tuple[int, UUID, int]]:
    return [(one.job_id, one.lease_id, one.attempt) for one in claimed]


def _expected(got: Sequence[Job], found: Sequence[UUID]) -> list[tuple[int, UUID, int]]:
    return [(job.id, lease, job.attempts + 1) for job, lease in zip(got, found, strict=False)]
