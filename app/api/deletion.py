"""An upload goes: its jobs end, its name is forgotten, then its files are removed."""

import asyncio
from uuid import UUID

from sqlalchemy import func, null, select, update
from sqlalchemy.orm import Session
from starlette.requests import Request

from app import queue
from app.api.errors import Problem
from app.api.owners import refuse_strangers
from app.api.parts import Parts
from app.db import Sessions
from app.ingest.resumable.turn import Reason
from app.log import get_logger
from app.models import Job, Upload

log = get_logger()


async def delete(parts: Parts, upload_id: UUID, *, asked: Request) -> None:
    """Return once the tombstone is committed and the files were tried.

    The row is first: a crash in between leaves files that a sweep finds by `storage_key`, never a
    row that promises files. Deleting what is deleted changes nothing.
    """
    files = await parts.database.run(lambda sessions: _bury(sessions, upload_id, asked))
    parts.turns.end(upload_id, Reason.DELETED)  # another process finds out at its next beat
    if not files:
        return
    log.info("upload.deleted", upload=str(upload_id), files=len(files))
    loop = asyncio.get_running_loop()
    if await loop.run_in_executor(parts.dock.threads, _remove, parts, upload_id, files):
        await parts.database.run(lambda sessions: _tidied(sessions, upload_id))


def _bury(sessions: Sessions, upload_id: UUID, asked: Request) -> list[str]:
    with sessions.begin() as session:
        upload = queue.lock(session, upload_id)
        if upload is None:
            raise Problem("upload_unknown")
        refuse_strangers(asked, upload)
        return bury(session, upload)


def bury(session: Session, upload: Upload) -> list[str]:
    """Leave a tombstone of an upload whose row is locked; return the keys of its files.

    Of a tombstone there are none.
    """
    if upload.deleted_at is not None:
        return []
    queue.cancel(session, upload.id)
    files = _files(session, upload)
    session.execute(queue.untold(select(Upload.id).where(Upload.id == upload.id)))
    upload.name = ""
    upload.sha256 = None
    upload.sent_metadata = upload.wishes = None
    upload.expires_at = None
    upload.deleted_at = func.now()
    return files


def _files(session: Session, upload: Upload) -> list[str]:
    made = select(Job.result["storage_key"].astext).where(
        Job.upload_id == upload.id, Job.result.is_not(None)
    )
    keys = [upload.storage_key, *session.scalars(made)]
    return [key for key in keys if key is not None]


def _remove(parts: Parts, upload_id: UUID, files: list[str]) -> bool:
    try:
        for key in {*files, *parts.storage.results_of(upload_id)}:
            parts.storage.remove(key)
    except OSError as error:
        log.warning("upload.not_removed", reason=repr(error))
        return False  # a sweep tries again, as long as the row has its storage_key
    return True


def _tidied(sessions: Sessions, upload_id: UUID) -> None:
    with sessions.begin() as session:
        session.execute(
            update(Upload)
            .where(Upload.id == upload_id, Upload.deleted_at.is_not(None))
            .values(storage_key=null())
        )
