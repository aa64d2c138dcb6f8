"""Tell what happened to an upload, why, and what comes next."""

import argparse
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from app.cli.database import said_by, with_database
from app.cli.refusal import CannotRun
from app.settings import Settings
from app.states import UploadStatus

LARGEST_ID = 2**63 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("upload", help="its id or its address, or the number of a job in /ops")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Return 0 when there is such an upload, 1 when there is none."""
    from sqlalchemy.exc import SQLAlchemyError
    from sqlalchemy.orm import Session

    from app.db import single_engine
    from app.schema import SchemaTooOld, check

    wanted = _wanted(arguments.upload)
    engine = single_engine(str(with_database(settings).database_url), name="rowmill why")
    try:
        with Session(engine) as session:
            check(session.connection())
            lines = list(_lines(session, wanted, settings))
    except SchemaTooOld as error:
        raise CannotRun(str(error)) from None
    except SQLAlchemyError as error:
        raise CannotRun(f"the database refuses: {said_by(error)}") from None
    what = "upload" if isinstance(wanted, UUID) else "job"
    print("\n".join(lines) or f"There is no {what} {wanted}.")
    return 0 if lines else 1


def _wanted(given: str) -> UUID | int:
    if given.isascii() and given.isdecimal() and int(given) <= LARGEST_ID:
        return int(given)
    last = given.partition("/uploads/")[2] or given
    try:
        return UUID(last.partition("/")[0])
    except ValueError:
        raise CannotRun(
            f"{given!r} is no upload: give its id, its address or the number of a job."
        ) from None


def _lines(session: Any, wanted: UUID | int, settings: Settings) -> Iterator[str]:
    from app import status, timeline

    upload_id = wanted if isinstance(wanted, UUID) else _upload_of(session, wanted)
    if upload_id is None:
        return
    keep, live = settings.keep_seconds, settings.lease_seconds
    found = status.read(session, [upload_id], keep_seconds=keep, live_seconds=live)
    if (upload := found.get(upload_id)) is None:
        return
    size = "an unknown number of" if upload.size is None else upload.size
    yield f"Upload {upload.id}: {upload.status}, {upload.received} of {size} bytes came."
    for chapter in timeline.story(session, upload):
        yield from _told(chapter)
    yield from _outlook(upload)


def _upload_of(session: Any, job_id: int) -> UUID | None:
    from sqlalchemy import select

    from app.models import Job

    found: UUID | None = session.scalar(select(Job.upload_id).where(Job.id == job_id))
    return found


def _told(chapter: Any) -> Iterator[str]:
    """Yield the lines of one job; its events are forgotten before it, its reason is not."""
    job = chapter.job
    yield f"Job {job.number}, {job.source} to {job.target}: {job.status}"
    for one in chapter.happened:
        yield f"  {_moment(one.at)}  {one.says}"
    if job.error and not chapter.happened:
        yield f"  {job.error['detail']}"
    if chapter.following:
        yield f"  {chapter.following}"


def _outlook(upload: Any) -> Iterator[str]:
    """Yield what no job tells: why there is none, that all is gone, that not all is there yet."""
    from app.words import ENGLISH

    if upload.error:
        yield f"{upload.error['detail']} {upload.error['hint']}"
    match upload.status:
        case UploadStatus.DELETED | UploadStatus.EXPIRED as gone:
            yield f"{ENGLISH.say(f'problems.{gone}')} {ENGLISH.say(f'problem_hints.{gone}')}"
        case UploadStatus.RECEIVING:
            until = "" if upload.expires_at is None else f" until {_moment(upload.expires_at)}"
            yield (
                f"It is kept{until} for whoever goes on with it: HEAD tells where it stands, PATCH "
                "sends the rest (docs/uploads.md)."
            )


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}Z"
