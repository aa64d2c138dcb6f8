"""A final upload is made of partial ones: joined, recognised and recorded before the answer."""

from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from app.api import reception
from app.api.able import ordered
from app.api.errors import Problem
from app.api.idempotency import Reservation
from app.api.owners import Rights
from app.api.parts import Parts
from app.api.resumable import rows
from app.api.resumable.access import found_all
from app.api.resumable.bringing import too_large
from app.api.resumable.headers import Creation
from app.api.resumable.rows import Row
from app.api.resumable.wanting import without_secrets
from app.api.wishes import Wishes
from app.formats import catalogue
from app.ingest.received import Received
from app.ingest.refusals import StorageAway
from app.ingest.resumable.joined import Unfinished
from app.ingest.resumable.joined import join as join_files
from app.ingest.resumable.threads import in_thread
from app.ingest.running import RunningDigest
from app.status import UploadState

# An answer may be lost and the request be sent again, so its parts stay for a while.
PARTS_STAY_SECONDS = 900.0


async def join(
    parts: Parts,
    said: Creation,
    *,
    name: str,
    wishes: Wishes,
    key: Reservation,
    rights: Rights,
) -> UploadState:
    """Return the state of the final upload; if it cannot be converted, nothing of it stays."""
    files = [_file(parts, row) for row in await found_all(parts, said.parts)]
    size = sum(length for _, length in files)
    if size > parts.settings.max_upload_bytes:
        raise too_large(parts)
    if size == 0:
        raise Problem("empty_file")
    parts.dock.room.set_aside = await parts.database.run(rows.reserved_now)
    async with parts.dock.room.promised(size):
        received = await _joined(
            parts, files, name=name, begun=parts.turns.digest_of(said.parts[0])
        )
        async with reception.discarded_on_error(parts, received):
            source = catalogue.settled_format(received.format, received.name)
            its_orders = await ordered(parts, source, wishes)

        def also(session: Session, upload_id: UUID) -> None:
            key.settle(session, upload_id)
            metadata = without_secrets(said.metadata)
            rows.describe(session, upload_id, metadata=metadata, concat=said.concat or "")
            rows.hasten(session, list(said.parts), seconds=PARTS_STAY_SECONDS)

        return await reception.keep(parts, received, orders=its_orders, rights=rights, also=also)


def _file(parts: Parts, row: Row) -> tuple[Path, int]:
    if not row.is_partial or row.size is None:
        raise Problem("parts_missing", f"{row.id} is not a partial upload of known length.")
    return parts.storage.incoming(row.id), row.size


async def _joined(
    parts: Parts, files: list[tuple[Path, int]], *, name: str, begun: RunningDigest | None
) -> Received:
    def work() -> Received:
        return join_files(parts.dock, uuid4(), files, name=name, begun=begun)

    try:
        return await in_thread(parts.dock, work)
    except Unfinished:
        raise Problem("parts_missing") from None
    except OSError as error:
        raise StorageAway from error
