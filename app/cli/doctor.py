"""Look whether everything that Rowmill needs is there, and say what to do about what is not."""

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from typing import Any

from app.cli.database import said_by, with_database
from app.cli.refusal import CannotRun
from app.diagnosis.finding import Finding
from app.settings import Settings

ENOUGH_BYTES = 1024**3
WORST = {"ok": 0, "warning": 1, "failure": 2}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print what the database says as JSON")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Return 0 when all is well, 1 for a warning, 2 when Rowmill cannot work like this."""
    document: dict[str, Any] = {}
    findings = list(_examine(settings, document))
    if arguments.json:
        _print_json(document, findings)
    else:
        for finding in findings:
            print(_line(finding))
    return max(WORST[finding.state] for finding in findings)


def _print_json(document: dict[str, Any], findings: list[Finding]) -> None:
    """Print an object of five keys, null if the database was not asked; what else is wrong: stderr.

    Disk, storage and schema have no key, but count for the exit status.
    """
    from app.diagnosis.whole import KEYS

    print(json.dumps({key: document.get(key) for key in KEYS}, indent=2, default=str))
    for finding in findings:
        if finding.check not in KEYS and finding.state != "ok":
            print(_line(finding), file=sys.stderr)


def _line(finding: Finding) -> str:
    return f"{finding.state:8} {finding.check}: {finding.says}"


def _examine(settings: Settings, document: dict[str, Any]) -> Iterator[Finding]:
    yield _disk(settings)
    try:
        settings = with_database(settings)
    except CannotRun as error:
        yield Finding("database", "failure", str(error))
    else:
        yield from _database(settings, document)


def _disk(settings: Settings) -> Finding:
    try:
        free = shutil.disk_usage(settings.data).free
    except OSError as error:
        return Finding("disk", "failure", f"{settings.data}: {error.strerror}")
    says = f"{free / 1024**3:.1f} GiB are free in {settings.data}"
    if free < ENOUGH_BYTES:
        return Finding("disk", "warning", f"only {says}: uploads will soon be refused")
    return Finding("disk", "ok", says)


def _database(settings: Settings, document: dict[str, Any]) -> Iterator[Finding]:
    from sqlalchemy.exc import SQLAlchemyError

    from app.db import single_engine

    engine = single_engine(str(settings.database_url), name="rowmill doctor")
    try:
        with engine.connect() as connection:
            version = connection.exec_driver_sql("SHOW server_version").scalar_one()
            yield Finding("database", "ok", f"PostgreSQL {version} answers")
            inside = list(_inside(connection, settings))
            yield from inside
            if not any(finding.check == "schema" and finding.state != "ok" for finding in inside):
                connection.rollback()  # a second connection might find no seat
                yield from _diagnosis(connection, settings, document)
    except SQLAlchemyError as error:
        yield Finding("database", "failure", said_by(error))


def _inside(connection: Any, settings: Settings) -> Iterator[Finding]:
    from sqlalchemy import select

    from app.models import House
    from app.schema import SchemaTooOld, check
    from app.storage import DiskStorage, WrongHouse

    try:
        check(connection)
        yield Finding("schema", "ok", "it is as new as this version needs")
        house = connection.scalar(select(House.id))
        if house is None:
            yield Finding("storage", "warning", "no API or worker has run on this database yet")
            return
        DiskStorage(settings.data).check_house(house)
        yield Finding("storage", "ok", f"{settings.data} belongs to this database")
    except SchemaTooOld as error:
        yield Finding("schema", "failure", str(error))
    except WrongHouse as error:
        yield Finding("storage", "failure", str(error))


def _diagnosis(connection: Any, settings: Settings, document: dict[str, Any]) -> Iterator[Finding]:
    from sqlalchemy.orm import Session

    from app.diagnosis.whole import diagnose

    with Session(connection) as session:
        found = diagnose(session, live_seconds=settings.lease_seconds)
    document |= found.document
    yield from found.findings
