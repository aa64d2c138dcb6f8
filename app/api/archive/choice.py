"""Which results go into a zip, and under which names."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from app.api import listing
from app.api.archive.archive import File, Note
from app.api.archive.names import unique
from app.api.documents import name_made
from app.api.errors import Problem
from app.models import Job, Upload
from app.states import Status
from app.storage import Storage

MOST = 10_000
_NOTE = "missing.txt"


@dataclass(frozen=True, kw_only=True)
class Made:
    """A result as the rows have it."""

    name: str
    key: str
    size: int
    crc: int | None
    finished_at: datetime


def of_upload(session: Session, upload_id: UUID) -> list[Made]:
    """Return all results of an upload, in the order in which they were asked for."""
    return _made(session, Upload.id == upload_id)


def of_owner(session: Session, owner: str, chosen: Collection[UUID]) -> list[Made]:
    """Return the results of an owner's uploads, newest upload first; of the chosen, if any are.

    Raise 404 for one that is chosen and not in the owner's list, as if there were no such upload.
    """
    theirs = listing.listed(owner)
    if not chosen:
        return _made(session, theirs)
    among = theirs & Upload.id.in_(chosen)
    unknown = set(chosen).difference(session.scalars(select(Upload.id).where(among)))
    if unknown:
        raise Problem("upload_unknown", f"There is no upload {min(unknown)} among yours.")
    return _made(session, among)


def entries(made: Iterable[Made], *, storage: Storage) -> list[File | Note]:
    """Return what can be put into the zip; a note says what should be there and is lost.

    This asks the disk for every file. A result that is gone for good must not keep a person from
    all the others, but neither may it be missing unsaid.
    """
    found = [(one, _is_whole(one, storage)) for one in made]
    lost = [one.name for one, is_whole in found if not is_whole]
    there = [one for one, is_whole in found if is_whole]
    if not there:
        raise Problem("result_gone")
    note = _note(lost, modified=there[0].finished_at)
    return [*_files(there, storage, kept=[one.name for one in note]), *note]


def _made(session: Session, which: ColumnElement[bool]) -> list[Made]:
    found = session.execute(
        select(Upload.name, Job.payload, Job.result, Job.finished_at)
        .join_from(Upload, Job, Job.upload_id == Upload.id)
        .where(which, Job.status == Status.SUCCEEDED)
        .order_by(Upload.created_at.desc(), Upload.id.desc(), Job.number)
        .limit(MOST + 1)
    ).all()
    if not found:
        raise Problem("no_results")
    if len(found) > MOST:
        raise Problem("too_many_results", f"There are more than {MOST} results.")
    return [_one(*row) for row in found]


def _one(name: str, payload: dict[str, Any], result: dict[str, Any], finished_at: datetime) -> Made:
    return Made(
        name=name_made(name, result.get("format", payload["to"])),
        key=result["storage_key"],
        size=result["size"],
        crc=result.get("crc32"),
        finished_at=finished_at,
    )


def _is_whole(made: Made, storage: Storage) -> bool:
    try:
        return storage.path(made.key).stat().st_size == made.size
    except FileNotFoundError:
        return False


def _files(made: Collection[Made], storage: Storage, *, kept: Sequence[str]) -> Iterator[File]:
    names = islice(unique([*kept, *(one.name for one in made)]), len(kept), None)
    for one, name in zip(made, names, strict=True):
        path = storage.path(one.key)
        yield File(name=name, size=one.size, modified=one.finished_at, path=path, known_crc=one.crc)


def _note(lost: Collection[str], *, modified: datetime) -> list[Note]:
    if not lost:
        return []
    lines = [
        "These results are no longer in the storage, so they are not in this zip.",
        "Convert their files again, or upload them again.",
        "",
        *lost,
        "",
    ]
    content = "\r\n".join(lines).encode()
    return [Note(name=_NOTE, size=len(content), modified=modified, content=content)]
