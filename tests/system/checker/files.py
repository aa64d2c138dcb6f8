"""What is wrong with the files: one without a row, a row without its file, bytes of another one."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import Job, Upload
from tests.system.house import House

AREAS = ("objects", "results", "incoming")


def faults(house: House) -> Iterator[str]:
    with house.sessions() as session:
        named = _named(session)
    there = {
        file.relative_to(house.data).as_posix()
        for area in AREAS
        for file in (house.data / area).rglob("*")
        if file.is_file()
    }
    yield from (f"no file for {key}" for key in named.keys() - there)
    yield from (f"no row for {key}" for key in there - named.keys())
    for key in named.keys() & there:
        found, told = _digest(house.data / key), named[key]
        if None not in (found, told) and found != told:
            yield f"{key} has the SHA-256 {found}, its row says {told}"


def kept(house: House) -> list[Path]:
    """Return the outcomes that are kept until they are recorded."""
    return list((house.data / "results").glob("*/*.json"))


def _named(session: Session) -> dict[str, str | None]:
    """Return the files that rows name, each with its SHA-256; of what still comes there is none."""
    uploads = select(Upload.storage_key, Upload.sha256)
    results = select(*(Job.result[name].astext for name in ("storage_key", "sha256"))).join(Upload)
    rows = [
        *session.execute(uploads.where(Upload.deleted_at.is_(None))),
        *session.execute(results.where(Upload.deleted_at.is_(None), Job.result.is_not(None))),
    ]
    return {row[0]: row[1] for row in rows}


def _digest(file: Path) -> str | None:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:  # deleted a moment ago, with its row
        return None
