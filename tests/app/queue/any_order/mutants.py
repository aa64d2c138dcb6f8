"""Guards of the queue's statements, each taken away in the text that goes to the database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, event

from app.queue import asking, claiming, ending, handing_over, rescuing, turnover

LEASE = "jobs.lease_id = anon_1.lease_id AND "
SILENT = "workers.lost_at IS NULL AND workers.missed >= %(misses)s"
ALIVE = "workers.lost_at IS NULL"


@dataclass(frozen=True)
class Mutant:
    """A statement of the queue, or any that has the text, and what it says instead."""

    name: str
    statement: Callable[[], Any] | None
    old: str
    new: str = ""
    seed: int = 0


MUTANTS = (
    Mutant("success without the lease", ending.succeed, LEASE, seed=27),
    Mutant("failure without the lease", ending.fail, LEASE, seed=4),
    Mutant("retry without the lease", ending.retry, LEASE, seed=12),
    Mutant("release without the lease", ending.release, LEASE, seed=8),
    Mutant("success and claim without the lease", turnover.turn_over, LEASE, seed=3),
    Mutant("an end that waits for a row", ending.succeed, "SKIP LOCKED", seed=27),
    Mutant("a release that is charged", ending.release, "jobs.releases + ", "0 * ", seed=1),
    Mutant("a retry without end", ending.retry, "jobs.max_attempts <=", "1000 <=", seed=15),
    Mutant("a claim that waits for a row", claiming.claim, "SKIP LOCKED", seed=2),
    Mutant("a claim of what is not due", claiming.claim, "AND jobs.run_after <= now() ", seed=22),
    Mutant("a claim by the lost", claiming.claim, f" AND {ALIVE}"),
    Mutant("a claim that is not counted", claiming.claim, "jobs.attempts + ", "0 * "),
    Mutant(
        "a claim of the newest",
        claiming.claim,
        "jobs.run_after, jobs.id \n",
        "jobs.id DESC \n",
        seed=1,
    ),
    Mutant("a claim without rooms", claiming.claim, "LIMIT anon_5.most", "LIMIT 3", seed=1),
    Mutant(
        "a claim behind its floor",
        claiming.claim,
        "jobs.run_after >= coal",
        "jobs.run_after > coal",
        seed=1,
    ),
    Mutant("a rescue of the living", rescuing.rescue, SILENT, ALIVE, seed=1),
    Mutant(
        "a rescue by the clock",
        rescuing.rescue,
        "workers.missed >= %(misses)s",
        "workers.heartbeat < now() - interval '60 s' AND %(misses)s > 0",
    ),
    Mutant(
        "a rescue that waits for a beat",
        rescuing.rescue,
        "KEY UPDATE SKIP LOCKED",
        "KEY UPDATE",
        seed=9,
    ),
    Mutant(
        "a rescue that waits for a job", rescuing.rescue, "OF jobs SKIP LOCKED", "OF jobs", seed=24
    ),
    Mutant(
        "a rescue that is not counted", rescuing.rescue, "losses=(jobs.losses + ", "losses=(0 * "
    ),
    Mutant(
        "a rescue that looks once",
        rescuing.rescue,
        f" OR {ALIVE[:-4]}NOT NULL",
        " OR false",
        seed=26,
    ),
    Mutant(
        "a handover of what runs", handing_over.hand_over, "jobs.status = 'queued' AND ", seed=3
    ),
    Mutant("a handover that waits for a job", handing_over.hand_over, " SKIP LOCKED", seed=17),
    Mutant("a cancel of one that is all", asking.cancel, " OR jobs.number = ", " OR 0 < "),
    Mutant(
        "a second try of what runs", asking.again, "AND jobs.status IN", "OR jobs.status IN", seed=1
    ),
    Mutant(
        "an upload that expires anyway",
        asking.again,
        "uploads SET expires_at=NULL",
        "uploads SET name=''",
        seed=14,
    ),
    Mutant(
        "a beat of the lost",
        None,
        "WHERE workers.name = %(name_1)s AND workers.lost_at IS NULL RETURNING",
        "WHERE workers.name = %(name_1)s RETURNING",
    ),
    Mutant(
        "a time that runs while a job does",
        None,
        "status IN ('queued', 'running')",
        "status IN ('queued')",
        seed=8,
    ),
)


@contextmanager
def without(mutant: Mutant, engine: Engine) -> Iterator[None]:
    """Send the statement without its guard; fail if it never was sent."""
    sent = []

    def change(*args: Any) -> tuple[str, Any]:
        statement, context = str(args[2]), args[4]
        is_meant = mutant.statement is None or (
            context is not None and context.invoked_statement is mutant.statement()
        )
        if is_meant and mutant.old in statement:
            sent.append(statement)
            statement = statement.replace(mutant.old, mutant.new)
        return statement, args[3]

    event.listen(engine, "before_cursor_execute", change, retval=True)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", change)
    assert sent, f"no statement says {mutant.old!r}"
