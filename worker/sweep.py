"""One round of tidying, on whichever worker is elected: only statements, no files.

A guarded UPDATE elects; a session lock would be held by a frozen process for ever. Each
statement is a transaction of its own, so that a worker is never idle in one.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, extract, func, null, select, text, update
from sqlalchemy.orm import Session

from app import queue
from app.models import Event, House, Job, Upload, Worker
from app.states import OPEN
from app.storage import keys

MOST_UPLOADS = 100
MOST_ROWS = 1000
MEMORY_DAYS = 30
PARTS = 4  # of forget

_ELECT = text("""
WITH elected AS (
    UPDATE house SET swept_at = now()
    WHERE swept_at <= now() - make_interval(secs => :seconds)
    OR swept_at > now() + make_interval(secs => :seconds)
    RETURNING id
), seen AS (
    SELECT name FROM workers
    WHERE lost_at IS NULL AND EXISTS (SELECT FROM elected)
    ORDER BY name
    FOR NO KEY UPDATE SKIP LOCKED
), counted AS (
    UPDATE workers SET missed = missed + 1 FROM seen WHERE workers.name = seen.name
)
SELECT count(*) FROM elected
""")

# Locked in one statement and looked at in the next, which sees what was committed before the
# lock was had; as one message, so that nobody waits in between.
_STAMP = text("""
DO $$
DECLARE
    done uuid[] := ARRAY(
        SELECT id FROM uploads
        WHERE expires_at IS NULL AND deleted_at IS NULL AND completed_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM jobs
                        WHERE upload_id = uploads.id AND status IN ('queued', 'running'))
        ORDER BY completed_at LIMIT 1000
        FOR NO KEY UPDATE SKIP LOCKED
    );
BEGIN
    UPDATE uploads
    SET expires_at = make_interval(secs => :keep) + COALESCE(
        (SELECT max(finished_at) FROM jobs WHERE upload_id = uploads.id), completed_at)
    WHERE id = ANY (done)
    AND NOT EXISTS (SELECT FROM jobs
                    WHERE upload_id = uploads.id AND status IN ('queued', 'running'));
END
$$
""")


@dataclass(frozen=True)
class Remains:
    """The files of a deleted upload."""

    upload_id: UUID
    keys: tuple[str, ...]


def elect(session: Session, *, sweep_seconds: float) -> bool:
    """Become the sweeper of this round, and add one to what every living worker has missed.

    A worker whose row is locked is beating right now and has missed nothing. A time in the
    future comes from a clock that was set back, and stops nobody. For a transaction of its own.
    """
    return bool(session.scalar(_ELECT, {"seconds": sweep_seconds}))


def until_due(session: Session, *, sweep_seconds: float) -> float:
    """Return in how many seconds the next round is due, by the database's clock."""
    since = extract("epoch", func.now() - House.swept_at)
    left = sweep_seconds - float(session.scalars(select(since)).one())
    return min(max(0.0, left), sweep_seconds)


def stamp(session: Session, *, keep_seconds: float) -> None:
    """Begin to count the time of complete uploads that have no open job any more."""
    session.execute(_STAMP, {"keep": keep_seconds})


def expire(session: Session) -> list[UUID]:
    """Make tombstones of uploads whose time is over and that have no open job.

    A request for another job takes the time away under the upload's lock, so whoever is
    second sees what the first one did.
    """
    over = (
        select(Upload.id)
        .where(Upload.expires_at <= func.now(), Upload.deleted_at.is_(None), ~_open())
        .order_by(Upload.expires_at)
        .limit(MOST_UPLOADS)
        .with_for_update(key_share=True, skip_locked=True)
        .cte("over")
        .prefix_with("MATERIALIZED")
    )
    buried = (
        update(Upload)
        .where(Upload.id == over.c.id)
        .values(deleted_at=func.now(), name="", sha256=null(), sent_metadata=null(), wishes=null())
        .returning(Upload.id)
        .cte("buried")
    )
    untold = queue.untold(select(buried.c.id)).cte("untold")
    return list(session.scalars(select(buried.c.id).add_cte(untold)))


def untidied(session: Session) -> list[Remains]:
    """Return deleted uploads whose files may still be there, with the files' keys."""
    result = Job.result["storage_key"].astext
    statement = (
        select(Upload.id, Upload.storage_key, func.array_remove(func.array_agg(result), null()))
        .outerjoin(Job, Job.upload_id == Upload.id)
        .where(Upload.deleted_at.is_not(None), Upload.storage_key.is_not(None))
        .group_by(Upload.id)
        .order_by(func.random())  # files that cannot be deleted must not stand in the way
        .limit(MOST_UPLOADS)
    )
    return [Remains(row[0], (row[1], *row[2])) for row in session.execute(statement)]


def tidied(session: Session, upload_ids: Collection[UUID]) -> None:
    """Note that the files of these uploads are gone, and forget the events of expired ones."""
    expired = (
        select(Job.id).join(Upload).where(Upload.id.in_(upload_ids), Upload.expires_at.is_not(None))
    )
    gone = delete(Event).where(Event.job_id.in_(expired)).cte("gone")
    statement = update(Upload).where(Upload.id.in_(upload_ids)).values(storage_key=null())
    session.execute(statement.add_cte(gone).execution_options(synchronize_session=False))


def forget(session: Session, *, part: int) -> bool:
    """Delete rows that are older than a month; tell whether there may be more of this part.

    The parts: old events, the events of old tombstones, old tombstones, lost workers; each is
    good alone, in this order.
    """
    month_ago = func.now() - _seconds(MEMORY_DAYS * 86400)
    oldest = select(Event.id, Event.at).order_by(Event.id).limit(MOST_ROWS).subquery()
    old_events = select(oldest.c.id).where(oldest.c.at < month_ago)
    old_uploads = (
        select(Upload.id)
        .where(Upload.deleted_at < month_ago, Upload.storage_key.is_(None))
        .order_by(Upload.deleted_at)
        .limit(MOST_ROWS)
    )
    their_jobs = select(Job.id).where(Job.upload_id.in_(old_uploads))
    holds = exists().where(Job.locked_by == Worker.name)
    statement = (
        delete(Event).where(Event.id.in_(old_events)).returning(Event.id),
        delete(Event).where(Event.job_id.in_(their_jobs)).returning(Event.id),
        delete(Upload).where(Upload.id.in_(old_uploads)).returning(Upload.id),
        delete(Worker).where(Worker.lost_at < month_ago, ~holds).returning(Worker.name),
    )[part].execution_options(synchronize_session=False)
    return len(session.execute(statement).all()) >= MOST_ROWS


def orphans(session: Session, found: Iterable[str]) -> list[str]:
    """Return those of the old files found that belong to no row.

    A result is one only when its lease no longer stands and its job has ended: the worker
    that made it may still be trying to record it, or the next one adopts it. The same holds for
    the outcome beside it.
    """
    candidates = list(found)
    sources = set(
        session.scalars(select(Upload.storage_key).where(Upload.storage_key.in_(candidates)))
    )
    results = _wanted_results(session, candidates)
    receiving = _still_receiving(session, candidates)
    return [key for key in candidates if key not in sources | results | receiving]


def lost_among(session: Session, names: Collection[str]) -> list[str]:
    """Return those worker names that are lost or unknown."""
    alive = set(
        session.scalars(select(Worker.name).where(Worker.name.in_(names), Worker.lost_at.is_(None)))
    )
    return [name for name in names if name not in alive]


def _wanted_results(session: Session, candidates: list[str]) -> set[str]:
    parsed = {key: keys.parse_result_key(key) or keys.parse_outcome_key(key) for key in candidates}
    uploads = {part[0] for part in parsed.values() if part is not None}
    rows = session.execute(
        select(Job.upload_id, Job.number, Job.status, Job.result["storage_key"].astext).where(
            Job.upload_id.in_(uploads)
        )
    ).all()
    named = {row[3] for row in rows}
    still_open = {(row[0], row[1]) for row in rows if row[2] in OPEN}
    return {
        key
        for key, part in parsed.items()
        if key in named or (part is not None and part[:2] in still_open)
    }


def _still_receiving(session: Session, candidates: list[str]) -> set[str]:
    # Killed at its very end, it has its lasting name and not yet the row that says so.
    parsed = {key: keys.parse_incoming_key(key) or keys.parse_source_key(key) for key in candidates}
    ids = [upload_id for upload_id in parsed.values() if upload_id is not None]
    receiving = set(
        session.scalars(
            select(Upload.id).where(
                Upload.id.in_(ids), Upload.completed_at.is_(None), Upload.deleted_at.is_(None)
            )
        )
    )
    return {key for key, upload_id in parsed.items() if upload_id in receiving}


def _open() -> ColumnElement[bool]:
    return exists().where(Job.upload_id == Upload.id, Job.status.in_(OPEN))


def _seconds(seconds: float) -> ColumnElement[object]:
    return func.make_interval(0, 0, 0, 0, 0, 0, seconds)
