"""Look whether everything that Rowmill needs is there, and say what to do about what is not."""

import argparse
import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from app.cli.database import said_by, with_database
from app.cli.refusal import CannotRun
from app.diagnosis.finding import Finding
from app.settings import Settings

ENOUGH_BYTES = 1024**3
WORST = {"ok": 0, "warning": 1, "failure": 2}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Return 0 when all is well, 1 for a warning, 2 when Rowmill cannot work like this."""
    numbers: dict[str, Any] = {}
    findings = list(_examine(settings, numbers))
    if arguments.json:
        said = {"findings": [asdict(finding) for finding in findings], **numbers}
        print(json.dumps(said, indent=2, default=str))
    else:
        for finding in findings:
            print(f"{finding.state:8} {finding.check}: {finding.says}")
    return max(WORST[finding.state] for finding in findings)


def _examine(settings: Settings, numbers: dict[str, Any]) -> Iterator[Finding]:
    yield _disk(settings)
    try:
        settings = with_database(settings)
    except CannotRun as error:
        yield Finding("database", "failure", str(error))
    else:
        yield from _database(settings, numbers)


def _disk(settings: Settings) -> Finding:
    try:
        free = shutil.disk_usage(settings.data).free
    except OSError as error:
        return Finding("disk", "failure", f"{settings.data}: {error.strerror}")
    says = f"{free / 1024**3:.1f} GiB are free in {settings.data}"
    if free < ENOUGH_BYTES:
        return Finding("disk", "warning", f"only {says}: uploads will soon be refused")
    return Finding("disk", "ok", says)


def _database(settings: Settings, numbers: dict[str, Any]) -> Iterator[Finding]:
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
            yield from _diagnosis(engine, settings, numbers)
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


def _diagnosis(engine: Any, settings: Settings, numbers: dict[str, Any]) -> Iterator[Finding]:
    from sqlalchemy.orm import Session

    from app.diagnosis.whole import diagnose

    with Session(engine) as session:
        found = diagnose(session, live_seconds=settings.lease_seconds)
    numbers |= found.numbers
    yield from found.findings
