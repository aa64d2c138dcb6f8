"""The line of jobs: who waits how long, for whom, and what a look at its head costs."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import bindparam, func, select, text
from sqlalchemy.orm import Session

from app.diagnosis.finding import Finding
from app.models import House, Job, Worker
from app.states import Status
from app.status import is_live

LONG_SECONDS = 600.0
SLOW_SECONDS = 0.05
BLOATED, WORTH_BYTES = 0.6, 64 * 1024**2
# A row needs its columns, a header of 24 bytes, a pointer of 4 and some padding, and the table's
# fillfactor leaves 30 % of each page free for updates. What is beyond that is bloat.
_TABLE = text("""
    SELECT n_live_tup AS live, n_dead_tup AS dead, pg_total_relation_size(relid) AS bytes,
           extract(epoch FROM now() - greatest(last_autovacuum, last_vacuum))::float AS vacuumed,
           1 - greatest(reltuples, 0) * (width + 32) / 0.7 / nullif(pg_relation_size(relid), 0)
             AS bloat
      FROM pg_stat_user_tables AS seen
      JOIN pg_class ON pg_class.oid = relid
      CROSS JOIN LATERAL (
           SELECT sum((1 - null_frac) * avg_width)::float AS width FROM pg_stats
            WHERE pg_stats.schemaname = seen.schemaname AND tablename = seen.relname
      ) AS columns
     WHERE relid = 'jobs'::regclass
""")


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """The ready jobs of one kind; `is_offered` says whether a live worker does this kind."""

    jobs: int
    oldest_seconds: float
    is_offered: bool


@dataclass(frozen=True, kw_only=True)
class Line:
    """`stalled` counts running jobs whose conversion has not moved for ten minutes.

    `claim_seconds` is what a claim costs now before it takes anything: one look at the head of
    each line that somebody waits in or works off, by the same index, whether anything is there or
    not. It grows when dead rows pile up before it. `bloat` is the
    estimated share of the table that holds nothing, None before the first ANALYZE;
    `vacuumed_seconds` is None before the first VACUUM. `swept_seconds` is how long ago a sweep
    began, or the house was made; `is_unswept`: for longer than a lease, though workers live.
    """

    waiting: Mapping[str, Waiting]
    running: int
    stalled: int
    live_workers: int
    live_rows: int
    dead_rows: int
    table_bytes: int
    bloat: float | None
    vacuumed_seconds: float | None
    claim_seconds: float
    swept_seconds: float
    is_unswept: bool

    @property
    def ready(self) -> int:
        return sum(waiting.jobs for waiting in self.waiting.values())


def read(session: Session, *, live_seconds: float) -> Line:
    """Look at the line; a worker silent for `live_seconds` is not live."""
    kinds = _kinds(session, live_seconds)
    waiting = _waiting(session, kinds)
    table = session.execute(_TABLE).one()
    silent = func.now() - func.coalesce(Job.heartbeat, Job.started_at)
    # A job is locked while it runs, and only then; said so, the index jobs_running serves.
    runs = Job.locked_by.is_not(None)
    swept = _swept(session)
    return Line(
        waiting=waiting,
        running=_count(session, runs),
        stalled=_count(session, runs, silent > timedelta(seconds=LONG_SECONDS)),
        live_workers=len(kinds),
        live_rows=table.live,
        dead_rows=table.dead,
        table_bytes=table.bytes,
        bloat=None if table.bloat is None else round(max(0.0, table.bloat), 3),
        vacuumed_seconds=table.vacuumed,
        claim_seconds=_look(session, sorted({*waiting}.union(*kinds))),
        swept_seconds=round(swept, 1),
        is_unswept=bool(kinds) and swept > live_seconds,
    )


def findings(line: Line) -> Iterator[Finding]:
    """Judge the line: who waits in vain, who waits for long, and whether looking got slow."""
    told = (
        f"{line.ready} wait, {line.running} run, {line.live_workers} workers live, "
        f"swept {line.swept_seconds:.0f} s ago"
    )
    wrong = [*_waits(line), *_table(line)]
    if line.stalled:
        wrong.append(f"{line.stalled} running jobs have not moved for ten minutes")
    if line.is_unswept:
        wrong.append("no worker sweeps: restart one, and look for sweep in its log")
    yield Finding("queue", "warning" if wrong else "ok", "; ".join([told, *wrong]) + ".")


def _waits(line: Line) -> Iterator[str]:
    for kind, waiting in line.waiting.items():
        if not waiting.is_offered:
            yield f"{waiting.jobs} {kind} jobs wait, and no live worker does this kind"
        elif waiting.oldest_seconds > LONG_SECONDS:
            minutes = waiting.oldest_seconds / 60
            yield f"the oldest {kind} job has been ready for {minutes:.0f} min: add workers"


def _table(line: Line) -> Iterator[str]:
    if line.claim_seconds > SLOW_SECONDS:
        milliseconds = line.claim_seconds * 1000
        yield f"a claim looks for {milliseconds:.0f} ms: see horizon"
    if line.dead_rows > max(10_000, line.live_rows):
        yield f"{line.dead_rows} dead rows against {line.live_rows} live: VACUUM is held up"
    if (line.bloat or 0) > BLOATED and line.table_bytes > WORTH_BYTES:
        yield (
            f"about {line.bloat:.0%} of the table of jobs holds nothing: once nobody holds the "
            "horizon, VACUUM FULL jobs shrinks it (it locks the table meanwhile)"
        )


def _swept(session: Session) -> float:
    """Return the age of the last sweep; a clock that was set back makes it 0, not less."""
    age = func.greatest(func.extract("epoch", func.now() - House.swept_at), 0)
    return float(session.execute(select(age)).scalar_one())


def _kinds(session: Session, live_seconds: float) -> list[set[str]]:
    """Return the kinds of each live worker."""
    given = {"live": timedelta(seconds=live_seconds)}
    rows = session.scalars(select(Worker.offers).where(is_live()), given)
    return [set(offers.get("kinds") or ()) for offers in rows]


def _waiting(session: Session, kinds: list[set[str]]) -> dict[str, Waiting]:
    age = func.extract("epoch", func.now() - func.min(Job.run_after))
    rows = session.execute(
        select(Job.kind, func.count().label("jobs"), age.label("oldest"))
        .where(Job.status == Status.QUEUED, Job.run_after <= func.now())
        .group_by(Job.kind)
        .order_by(Job.kind)
    )
    return {
        row.kind: Waiting(
            jobs=row.jobs,
            oldest_seconds=float(row.oldest),
            is_offered=any(row.kind in worker for worker in kinds),
        )
        for row in rows
    }


def _count(session: Session, *conditions: object) -> int:
    return session.scalar(select(func.count()).select_from(Job).where(*conditions)) or 0  # type: ignore[arg-type]


def _look(session: Session, kinds: list[str]) -> float:
    head = (
        select(Job.id)
        .where(Job.kind == bindparam("kind"), Job.status == Status.QUEUED)
        .where(Job.run_after <= func.now())
        .order_by(Job.run_after, Job.id)
        .limit(1)
    )
    began = time.monotonic()
    for kind in kinds:
        session.scalar(head, {"kind": kind})
    return time.monotonic() - began
