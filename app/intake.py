"""A durable file becomes an upload row and its job rows, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app import queue
from app.models import Upload


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A file that lies in the storage under `storage_key`, whole and synced.

    `owner` and `manage` are digests of what may change it; without both everybody may.
    """

    upload_id: UUID
    name: str
    size: int
    sha256: str
    format: str
    media_type: str
    storage_key: str
    owner: str | None = None
    manage: str | None = None


@dataclass(frozen=True, kw_only=True)
class Order:
    """One conversion that somebody wants; `secrets` are options that end with the job."""

    kind: str
    source: str
    target: str
    options: dict[str, Any]
    secrets: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def payload(self) -> dict[str, Any]:
        payload = {"from": self.source, "to": self.target, "options": self.options}
        return payload | ({"secrets": self.secrets} if self.secrets else {})


def admit(
    session: Session, arrival: Arrival, *, orders: Sequence[Order], max_attempts: int
) -> bool:
    """Write the upload and its jobs; False when an earlier try, whose answer was lost, did it.

    The unique key makes this try wait until it is known how the earlier one ended.
    """
    if not _inserted(session, arrival):
        return False
    place(session, arrival.upload_id, orders=orders, max_attempts=max_attempts)
    return True


def place(
    session: Session, upload_id: UUID, *, orders: Sequence[Order], max_attempts: int
) -> list[int]:
    """Add a job for each order to an upload that this transaction made or locked."""
    return [
        queue.enqueue(
            session,
            upload_id,
            kind=order.kind,
            payload=order.payload,
            max_attempts=max_attempts,
        )
        for order in orders
    ]


def _inserted(session: Session, arrival: Arrival) -> bool:
    statement = (
        insert(Upload)
        .values(
            id=arrival.upload_id,
            name=arrival.name,
            size=arrival.size,
            received=arrival.size,
            format=arrival.format,
            media_type=arrival.media_type,
            sha256=arrival.sha256,
            storage_key=arrival.storage_key,
            owner=arrival.owner,
            manage=arrival.manage,
            completed_at=func.now(),
        )
        .on_conflict_do_nothing(index_elements=[Upload.id])
        .returning(Upload.id)
    )
    return session.scalar(statement) is not None
