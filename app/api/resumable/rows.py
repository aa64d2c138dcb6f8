"""Every statement about an upload while it comes in parts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app import db
from app.api.database import refuse_read_only
from app.api.owners import Rights
from app.db import Sessions
from app.ingest.refusals import NoRoom
from app.ingest.resumable.turn import Turn
from app.models import Upload
from app.storage.keys import incoming_key

_RESERVING = 4_820_190_233  # any number that no other lock has
RECEIVING = Upload.completed_at.is_(None) & Upload.deleted_at.is_(None)

# Rows that somebody has locked are left for the next beat, so that a beat waits for nobody.
_BEAT = text("""
WITH mine AS (
    SELECT * FROM unnest(CAST(:ids AS uuid[]), CAST(:epochs AS bigint[]), CAST(:sizes AS bigint[]))
    AS mine (id, epoch, size)
), held AS (
    SELECT uploads.id, mine.size FROM uploads JOIN mine USING (id)
    WHERE writer_epoch = mine.epoch AND received < mine.size
    AND completed_at IS NULL AND deleted_at IS NULL
    FOR NO KEY UPDATE OF uploads SKIP LOCKED
), noted AS (
    UPDATE uploads SET received = held.size, expires_at = now() + make_interval(secs => :seconds)
    FROM held WHERE uploads.id = held.id
)
SELECT uploads.id FROM uploads JOIN mine USING (id)
WHERE writer_epoch = mine.epoch AND deleted_at IS NULL
""")


@dataclass(frozen=True, kw_only=True)
class Row:
    """An upload as a request finds it. `is_over`: its time is over, whether or not it is swept."""

    id: UUID
    name: str
    size: int | None
    received: int
    epoch: int
    metadata: str | None
    wishes: dict[str, Any] | None
    concat: str | None
    error: dict[str, Any] | None
    expires_at: datetime | None
    is_over: bool
    is_complete: bool
    is_deleted: bool

    @property
    def is_partial(self) -> bool:
        """Whether it is made to be joined with others, and never converted itself."""
        return self.concat == "partial"


def look(session: Session, upload_ids: Collection[UUID]) -> dict[UUID, Row]:
    over = func.coalesce(Upload.expires_at <= func.now(), False)
    statement = select(Upload, over).where(Upload.id.in_(upload_ids))
    found = session.execute(statement, execution_options={"populate_existing": True})
    return {upload.id: _row(upload, is_over=is_over) for upload, is_over in found}


def make(
    session: Session,
    *,
    upload_id: UUID,
    name: str,
    size: int | None,
    metadata: str | None,
    wishes: Mapping[str, Any] | None,
    concat: str | None,
    rights: Rights,
    expires_seconds: float,
) -> datetime:
    """Write the row of an upload whose empty file is there; return when it expires.

    An earlier try whose answer was lost has written the same.
    """
    values = {
        "id": upload_id,
        "name": name,
        "size": size,
        "sent_metadata": metadata,
        "wishes": wishes,
        "concat": concat,
        "owner": rights.owner,
        "manage": rights.manage,
        "storage_key": incoming_key(upload_id),
        "expires_at": func.now() + db.seconds(expires_seconds),
    }
    session.execute(insert(Upload).values(values).on_conflict_do_nothing(index_elements=["id"]))
    expires_at = session.scalars(select(Upload.expires_at).where(Upload.id == upload_id)).one()
    if expires_at is None:
        raise RuntimeError("an upload in receipt has no end")
    return expires_at


def call(session: Session, upload_id: UUID) -> None:
    """Raise the epoch: whoever writes in another process stops at its next beat."""
    raised = update(Upload).where(Upload.id == upload_id)
    session.execute(raised.values(writer_epoch=Upload.writer_epoch + 1))


def beat(session: Session, turns: Mapping[UUID, Turn], *, expires_seconds: float) -> set[UUID]:
    """Note how much has come of what one process writes; return what it may go on with."""
    values = {
        "ids": list(turns),
        "epochs": [turn.epoch for turn in turns.values()],
        "sizes": [turn.part.size for turn in turns.values()],
        "seconds": expires_seconds,
    }
    return set(session.scalars(_BEAT, values))


def note(
    session: Session, upload_id: UUID, *, received: int, expires_seconds: float
) -> datetime | None:
    """Note what has come; return when the upload expires, None if it is in receipt no more."""
    statement = (
        update(Upload)
        .where(Upload.id == upload_id, RECEIVING)
        .values(received=received, expires_at=func.now() + db.seconds(expires_seconds))
        .returning(Upload.expires_at)
    )
    return session.scalars(statement).first()


def settle_size(session: Session, upload_id: UUID, *, size: int, received: int) -> None:
    """Give an upload the length that was deferred, with what has come; only whoever writes does."""
    is_open = RECEIVING & Upload.size.is_(None)
    statement = update(Upload).where(Upload.id == upload_id, is_open)
    session.execute(statement.values(size=size, received=received))


def refuse(session: Session, upload_id: UUID, error: Mapping[str, Any]) -> None:
    """Note why an upload in receipt can come to nothing; it takes no bytes from then on."""
    session.execute(
        update(Upload).where(Upload.id == upload_id, RECEIVING).values(error=dict(error))
    )


def hasten(session: Session, upload_ids: list[UUID], *, seconds: float) -> None:
    """Let uploads expire soon."""
    soon = func.least(Upload.expires_at, func.now() + db.seconds(seconds))
    session.execute(
        update(Upload).where(Upload.id.in_(upload_ids), RECEIVING).values(expires_at=soon)
    )


def describe(session: Session, upload_id: UUID, *, metadata: str | None, concat: str) -> None:
    """Note what a final upload was made with."""
    described = update(Upload).where(Upload.id == upload_id)
    session.execute(described.values(sent_metadata=metadata, concat=concat))


def reserved_now(sessions: Sessions) -> int:
    """Return `reserved`, in a transaction of its own, before a file is begun or goes on.

    On a standby that would be in vain: DatabaseReadOnly.
    """
    with sessions.begin() as session:
        refuse_read_only(session)
        return reserved(session)


def reserved(session: Session) -> int:
    """Return how much the uploads in receipt have still to bring, of which the length is known."""
    left = func.coalesce(func.sum(func.coalesce(Upload.size, 0) - Upload.received), 0)
    owed = select(left).where(RECEIVING, Upload.size.is_not(None), Upload.error.is_(None))
    return int(session.scalars(owed).one())


def reserve_within(session: Session, free: int) -> int:
    """Return `reserved` with what this transaction adds to it; NoRoom if the disk has less.

    One at a time does so: others that begin meanwhile, in whatever process, are counted too.
    """
    session.execute(select(func.pg_advisory_xact_lock(_RESERVING)))
    total = reserved(session)
    if total > free:
        raise NoRoom
    return total


def unfinished(session: Session, which: ColumnElement[bool], *, most: int) -> list[UUID]:
    """Return those of some uploads of which bytes are still missing, at most so many.

    A part that waits to be joined has all of its bytes; one that was refused is sent no more.
    """
    missing = Upload.size.is_distinct_from(Upload.received)
    goes_on = RECEIVING & Upload.error.is_(None) & (Upload.expires_at > func.now())
    return list(session.scalars(select(Upload.id).where(which, goes_on, missing).limit(most)))


def _row(upload: Upload, *, is_over: bool) -> Row:
    return Row(
        id=upload.id,
        name=upload.name,
        size=upload.size,
        received=upload.received,
        epoch=upload.writer_epoch,
        metadata=upload.sent_metadata,
        wishes=upload.wishes,
        concat=upload.concat,
        error=upload.error,
        expires_at=upload.expires_at,
        is_over=is_over,
        is_complete=upload.completed_at is not None,
        is_deleted=upload.deleted_at is not None,
    )
