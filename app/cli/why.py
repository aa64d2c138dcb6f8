"""Tell what happened to an upload, why, and what comes next."""

import argparse
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from app.cli.database import said_by, with_database
from app.cli.refusal import CannotRun
from app.settings import Settings

LARGEST_ID = 2**63 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("upload", help="its id or its address, or the number of a job in /ops")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Return 0 when there is such an upload, 1 when there is none."""
    from sqlalchemy.exc import OperationalError
    from sqlalchemy.orm import Session

    from app.db import single_engine

    wanted = _wanted(arguments.upload)
    engine = single_engine(str(with_database(settings).database_url), name="rowmill why")
    try:
        with Session(engine) as session:
            lines = list(_lines(session, wanted, settings))
    except OperationalError as error:
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
    yield f"Upload {upload.id}: {upload.status}, {upload.received} of {upload.size} bytes came."
    for chapter in timeline.story(session, upload):
        job = chapter.job
        yield f"Job {job.number}, {job.source} to {job.target}: {job.status}"
        for one in chapter.happened:
            yield f"  {one.at:%Y-%m-%d %H:%M:%S}Z  {one.says}"
        yield f"  {chapter.following}"


def _upload_of(session: Any, job_id: int) -> UUID | None:
    from sqlalchemy import select

    from app.models import Job

    found: UUID | None = session.scalar(select(Job.upload_id).where(Job.id == job_id))
    return found
