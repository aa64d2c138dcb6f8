"""Tell what happened to an upload, why, and what comes next."""

import argparse
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from app.cli.database import said_by, with_database
from app.cli.refusal import CannotRun
from app.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("upload", help="its id, or its address")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Return 0 when there is such an upload, 1 when there is none."""
    from sqlalchemy.exc import OperationalError
    from sqlalchemy.orm import Session

    from app.db import single_engine

    upload_id = _id(arguments.upload)
    engine = single_engine(str(with_database(settings).database_url), name="rowmill why")
    try:
        with Session(engine) as session:
            lines = list(_lines(session, upload_id, settings))
    except OperationalError as error:
        raise CannotRun(f"the database refuses: {said_by(error)}") from None
    print("\n".join(lines) or f"There is no upload {upload_id}.")
    return 0 if lines else 1


def _id(given: str) -> UUID:
    last = given.partition("/uploads/")[2] or given
    try:
        return UUID(last.partition("/")[0])
    except ValueError:
        raise CannotRun(f"{given!r} is no upload: give its id or its address.") from None


def _lines(session: Any, upload_id: UUID, settings: Settings) -> Iterator[str]:
    from sqlalchemy import func, select

    from app import status, timeline

    keep, live = settings.keep_seconds, settings.lease_seconds
    found = status.read(session, [upload_id], keep_seconds=keep, live_seconds=live)
    if (upload := found.get(upload_id)) is None:
        return
    yield f"Upload {upload.id}: {upload.status}, {upload.received} of {upload.size} bytes came."
    happened = timeline.read(session, upload_id)
    now = session.scalar(select(func.now()))
    for job in upload.jobs:
        yield f"Job {job.number}, {job.source} to {job.target}: {job.status}"
        for one in happened:
            if one.number == job.number:
                yield f"  {one.at:%Y-%m-%d %H:%M:%S}Z  {one.says}"
        yield f"  {timeline.next_step(job, now=now)}"
