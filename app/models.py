"""The rows: uploads, jobs, workers, events and the house, each constraint beside its column."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    DateTime,
    Enum,
    ForeignKey,
    Identity,
    Index,
    MetaData,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.schema import conv

from app.states import FINAL, Move, Status


class Base(DeclarativeBase):
    """Every table: constraint names by one rule, times with a zone, words checked."""

    metadata = MetaData(
        naming_convention={
            "ix": "%(table_name)s_%(column_0_N_name)s",
            "uq": "%(table_name)s_%(column_0_N_name)s_key",
            "ck": "%(table_name)s_%(constraint_name)s",
            "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
            "pk": "%(table_name)s_pkey",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads this name from the class
        str: Text(),
        datetime: DateTime(timezone=True),
        # none_as_null: a Python None must be SQL NULL, JSON null would satisfy IS NOT NULL.
        dict[str, Any]: JSONB(none_as_null=True),
        list[Any]: JSONB(none_as_null=True),
        Status: Enum(
            Status,
            native_enum=False,
            create_constraint=False,  # said once, by name, in CHECK below
            values_callable=lambda words: [word.value for word in words],
            length=None,
        ),
        Move: Enum(
            Move,
            native_enum=False,
            create_constraint=False,
            values_callable=lambda words: [word.value for word in words],
            length=None,
        ),
    }


def _words(words: object) -> str:
    return ", ".join(f"'{word}'" for word in sorted(words))  # type: ignore[call-overload]


class Upload(Base):
    """A file that someone sent. Its status is derived from this row and its jobs."""

    __tablename__ = "uploads"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str]
    size: Mapped[int | None] = mapped_column(BigInteger)
    received: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    format: Mapped[str | None]
    media_type: Mapped[str | None]
    sha256: Mapped[str | None]
    # Blanked once the files of a deleted upload are gone from the storage.
    storage_key: Mapped[str | None] = mapped_column(unique=True)
    error: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    completed_at: Mapped[datetime | None]
    # Stamped by a sweep when no job is open any more; a person's DELETE blanks it.
    expires_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    # Of uploads that come in parts. Raised by whoever wants to write next, in whatever process: who
    # writes now finds it raised and stops.
    writer_epoch: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    sent_metadata: Mapped[str | None]  # Upload-Metadata, to be given back as it came
    wishes: Mapped[dict[str, Any] | None]  # {"to": […], "options": {…}}, until the bytes are whole
    concat: Mapped[str | None]  # Upload-Concat
    # Digests of the cookie and of the token that may change it; without both everybody may.
    owner: Mapped[str | None]
    manage: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("received >= 0 AND (size IS NULL OR received <= size)", name="received"),
        CheckConstraint("completed_at IS NULL OR received = size", name="complete"),
        CheckConstraint(
            "deleted_at IS NULL OR (name = '' AND sha256 IS NULL)", name="tombstone_is_blank"
        ),
        # sweep.stamp: complete uploads whose end has not been counted yet.
        Index(
            "uploads_unstamped",
            "completed_at",
            postgresql_where=text("expires_at IS NULL AND deleted_at IS NULL"),
        ),
        # sweep.expire: the uploads whose time is over, oldest first.
        Index("uploads_expiring", "expires_at", postgresql_where=text("deleted_at IS NULL")),
        # sweep.tidy: deleted uploads whose files may still lie in the storage.
        Index(
            "uploads_untidied",
            "deleted_at",
            postgresql_where=text("deleted_at IS NOT NULL AND storage_key IS NOT NULL"),
        ),
        # sweep.forget: tombstones older than a month.
        Index("uploads_forgotten", "deleted_at", postgresql_where=text("deleted_at IS NOT NULL")),
        # resumable.rows.reserved: what the uploads in receipt may still bring.
        Index(
            "uploads_receiving",
            "created_at",
            postgresql_where=text("completed_at IS NULL AND deleted_at IS NULL"),
        ),
        # listing.page: the uploads of one owner, newest first.
        Index(
            "uploads_owned",
            "owner",
            "created_at",
            "id",
            postgresql_where=text("owner IS NOT NULL AND deleted_at IS NULL"),
        ),
    )


class IdempotencyKey(Base):
    """A key that a client made for one upload, so that sending it again makes no second one."""

    __tablename__ = "idempotency_keys"

    scope: Mapped[str] = mapped_column(primary_key=True)  # whose key it is
    digest: Mapped[str] = mapped_column(primary_key=True)  # of the key, which stays a secret
    fingerprint: Mapped[str]
    upload_id: Mapped[UUID | None] = mapped_column(ForeignKey("uploads.id", ondelete="CASCADE"))
    # The request that has it, until when unless it says again that it lives.
    holder: Mapped[UUID]
    held_until: Mapped[datetime]
    expires_at: Mapped[datetime]

    __table_args__ = (
        # idempotency.reserve: keys whose time is over.
        Index("idempotency_keys_expires_at", "expires_at"),
        # The uploads that sweep.forget deletes look for their keys.
        Index("idempotency_keys_upload_id", "upload_id"),
    )


class Worker(Base):
    """One running `python -m worker`; a name is never used twice."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str]
    # {"kinds": {"image": 4}, "pairs": {"image": {"png": ["jpg", …]}}, "problems": ["…"]}
    offers: Mapped[dict[str, Any]]
    slots: Mapped[int]
    busy: Mapped[int] = mapped_column(server_default=text("0"))
    version: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    heartbeat: Mapped[datetime] = mapped_column(server_default=func.now())
    missed: Mapped[int] = mapped_column(server_default=text("0"))
    lost_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("missed >= 0", name="missed"),
        CheckConstraint("slots >= 0 AND busy >= 0", name="slots"),
        {
            "postgresql_with": {
                "fillfactor": "50",
                "autovacuum_vacuum_scale_factor": "0",
                "autovacuum_vacuum_threshold": "200",
            }
        },
    )


class Job(Base):
    """One conversion of one upload to one format: the queue and the status in one row."""

    __tablename__ = "jobs"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    upload_id: Mapped[UUID] = mapped_column(ForeignKey("uploads.id", ondelete="CASCADE"))
    number: Mapped[int]
    kind: Mapped[str]
    payload: Mapped[dict[str, Any]]
    status: Mapped[Status] = mapped_column(server_default=text("'queued'"))
    attempts: Mapped[int] = mapped_column(server_default=text("0"))
    losses: Mapped[int] = mapped_column(server_default=text("0"))
    releases: Mapped[int] = mapped_column(server_default=text("0"))
    max_attempts: Mapped[int] = mapped_column(server_default=text("3"))
    run_after: Mapped[datetime] = mapped_column(server_default=func.now())
    locked_by: Mapped[str | None] = mapped_column(ForeignKey("workers.name"))
    lease_id: Mapped[UUID | None]
    heartbeat: Mapped[datetime | None]
    progress: Mapped[float] = mapped_column(REAL, server_default=text("0"))
    stage: Mapped[str | None]
    result: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("upload_id", "number", name="jobs_upload_id_number_key"),
        CheckConstraint(f"status IN ({_words(Status)})", name="status"),
        CheckConstraint("(status = 'running') = (lease_id IS NOT NULL)", name="lease"),
        CheckConstraint("(status = 'running') = (locked_by IS NOT NULL)", name="locked_by"),
        CheckConstraint(
            f"(status IN ({_words(FINAL)})) = (finished_at IS NOT NULL)", name="finished"
        ),
        CheckConstraint("(status = 'succeeded') = (result IS NOT NULL)", name="result"),
        CheckConstraint("status <> 'failed' OR error IS NOT NULL", name="failed_has_reason"),
        CheckConstraint("progress BETWEEN 0 AND 1", name="progress"),
        CheckConstraint(
            "(progress < 1) OR status = 'succeeded'", name="progress_ends_with_success"
        ),
        CheckConstraint("attempts - losses - releases >= 0", name="counts"),
        CheckConstraint(  # its name is whole: the revision that added it knew no rule for names
            "finished_at IS NULL OR payload -> 'secrets' IS NULL",
            name=conv("jobs_secrets_end_check"),
        ),
        # queue.claim: for each kind the first by run_after, id. The unique key on
        # (upload_id, number) serves every look at one upload's jobs.
        Index("jobs_ready", "kind", "run_after", "id", postgresql_where=text("status = 'queued'")),
        # queue.rescue, the beat and the foreign key: what a worker holds. Heartbeat and
        # progress stay out of every index, so that writing them is a HOT update.
        Index("jobs_running", "locked_by", postgresql_where=text("locked_by IS NOT NULL")),
        {
            "postgresql_with": {
                "fillfactor": "70",
                "autovacuum_vacuum_scale_factor": "0.01",
                "autovacuum_vacuum_threshold": "500",
                "autovacuum_analyze_scale_factor": "0.02",
            }
        },
    )


class Event(Base):
    """One change of one job's status; append-only, written by the statement that makes it."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    job_id: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    move: Mapped[Move]
    attempt: Mapped[int]
    worker: Mapped[str | None]
    lease_id: Mapped[UUID | None]
    detail: Mapped[dict[str, Any] | None]

    __table_args__ = (
        CheckConstraint(f"move IN ({_words(Move)})", name="move"),
        # status.timeline, queue.standing: what happened to one job.
        Index("events_job_id", "job_id"),
    )


class House(Base):
    """One row: which storage belongs to this database, and when a sweep last began."""

    __tablename__ = "house"

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=text("gen_random_uuid()"))
    swept_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (Index("house_is_one_row", text("(true)"), unique=True),)
