"""Moves of workers, people and sweeps in any order: nothing is lost, doubled or contradicted."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, currently_in_test_context, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import IntegrityError

from app import db, queue
from app.models import Base
from app.states import FINAL, Status
from tests import make
from tests.app.queue.any_order.asking import Asking
from tests.app.queue.any_order.mutants import MUTANTS, Mutant, without
from tests.app.queue.any_order.stage import IMPATIENT, KINDS, leases
from tests.app.queue.any_order.sweeping import Sweeping
from tests.app.queue.any_order.working import Working
from tests.long import SEEDS, TIMES
from tests.postgres import Server

STEPS, MOST_STORIES = 40, 100
# `make long` has more such runs, each of other stories.
FEW = settings(
    max_examples=12 if TIMES == 1 else 25,
    stateful_step_count=STEPS,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],  # a story is short enough to be read, and changes with each step
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
HAPPENINGS = {
    "upload": 2,
    "another": 1,
    "cancel": 1,
    "again": 4,
    "delete": 1,
    "claim": 10,
    "end": 8,
    "turn_over": 4,
    "beat": 2,
    "note": 1,
    "start": 2,
    "count_misses": 4,
    "rescue": 5,
    "hand_over": 1,
    "stamp": 2,
    "let_time_run_out": 1,
    "expire": 1,
    "wait": 1,
    "end_pauses": 1,
    "outage": 1,
    "stranger": 1,
    "close": 7,
}
MOST_UPLOADS = 6
NEED_CLAIMS = {"end", "turn_over", "note"}


class AnyOrder(Asking, Working, Sweeping):
    """Everything that can happen to a job; at the end a new worker does all that is left.

    One rule throws dice for what happens: of many rules Hypothesis leaves most out in most runs,
    and of draws it makes many that are alike.
    """

    luck = 0

    @initialize()
    def open_the_house(self) -> None:
        dice = Random(0)
        for happening in (self.start, self.start, self.upload):
            happening(dice)
        self.steps = 0

    @rule(seed=st.integers(0, 2**32))
    def happen(self, seed: int) -> None:
        dice = Random(f"{self.luck} {seed} {self.steps}")
        name = dice.choice(self._possible())
        self.steps += 1
        if currently_in_test_context():
            note(f"{self.steps}. {name}")
        getattr(self, name)(dice)

    def _possible(self) -> list[str]:
        return [
            name
            for name, often in HAPPENINGS.items()
            for _ in range(often)
            if (self.claims or name not in NEED_CLAIMS)
            and (self.held is not None or name != "close")
            and (len(self.uploads) < MOST_UPLOADS or name != "upload")
        ]

    def teardown(self) -> None:
        super().teardown()
        if self.is_sound:
            self.end_pauses()
            self.agrees()
            self.start()
            self._do_all()
            self.agrees()
            assert {job.status for job in self.jobs} <= FINAL | {Status.RUNNING}

    def _do_all(self) -> None:
        name, jobs = list(self.workers)[-1], self.claimable()
        found, rooms = leases(len(jobs) + 1), dict.fromkeys(KINDS, len(jobs))
        with self.sessions.begin() as session:
            claimed = queue.claim(session, worker=name, rooms=rooms, leases=found)
            assert [one.job_id for one in claimed] == [job.id for job in jobs]
            moved = queue.succeed(session, [make.success(one) for one in claimed])
            assert moved == set(found[:-1])
        for job, lease in zip(jobs, found, strict=False):
            job.claim(name, lease)
            job.succeed()


@contextmanager
def impatient_engine(url: str) -> Iterator[Engine]:
    """Yield an engine for which every lock is held by the test: autovacuum leaves these tables."""
    plain = create_engine(url)
    with plain.begin() as connection:
        for table in Base.metadata.tables:
            connection.execute(text(f"ALTER TABLE {table} SET (autovacuum_enabled = off)"))
    plain.dispose()
    engine = db.api_engine(url, name="rowmill test", limit=IMPATIENT)
    yield engine
    engine.dispose()


@pytest.mark.parametrize("luck", SEEDS)
def test_in_any_order_the_rows_say_what_happened(database_url: str, luck: int) -> None:
    with impatient_engine(database_url) as engine:
        run_state_machine_as_test(on(engine, luck), settings=FEW)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_without_a_guard_they_do_not(postgres: Server, mutant: Mutant) -> None:
    """The first story is one that went wrong without this guard; if it does not, others may."""
    with postgres.database() as url, impatient_engine(url) as engine, without(mutant, engine):
        for seed in [mutant.seed, *range(MOST_STORIES)]:
            try:
                tell(AnyOrder(engine), seed)
            except (AssertionError, IntegrityError):
                return
    pytest.fail(f"no story of {MOST_STORIES} went wrong")


def tell(machine: AnyOrder, seed: int) -> None:
    """Let as much happen as in one of Hypothesis' runs, without it."""
    try:
        machine.open_the_house()
        for _ in range(STEPS):
            machine.happen(seed)
            machine.agrees()
    finally:
        machine.teardown()


def on(engine: Engine, chance: int) -> type[AnyOrder]:
    class Here(AnyOrder):
        luck = chance

        def __init__(self) -> None:
            super().__init__(engine)

    return Here
