"""For operators and their machines: alive, ready, and the numbers."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID, uuid4

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import schema
from app.api.database import DatabaseAway, DatabaseReadOnly, NotOpen, refuse_read_only
from app.api.ops.access import may_see
from app.api.parts import Parts, parts_of
from app.api.workers import Live, live
from app.db import Sessions
from app.diagnosis.whole import Diagnosis
from app.storage import Storage, WrongHouse

router = APIRouter(tags=["operate"])

Check = dict[str, Any]


@dataclass(frozen=True)
class _Rows:
    """What the database said; without `house_id` there is nothing to compare the storage with."""

    checks: dict[str, Check]
    house_id: UUID | None = None
    workers: Sequence[Live] = ()


@router.get("/healthz")
@router.head("/healthz", include_in_schema=False)
async def healthz() -> Response:
    """Say that the process answers, whatever it depends on."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz")
@router.head("/readyz", include_in_schema=False)
async def readyz(request: Request) -> Response:
    """Say whether the service can work, and if not, what is in the way; list the live workers.

    A full disk is said, that of the database too, but uploads alone cannot be taken then.
    `warnings` say what the doctor finds; they make nothing unready. `doctor` has all that it
    saw, for whoever may see the page of the operator: it tells who else uses the database.
    """
    parts = parts_of(request)
    rows, space, seen = await asyncio.gather(
        _database(parts), _probed(parts, lambda: _space(parts.storage)), parts.doctor.ask()
    )
    checks = {**rows.checks, "storage": space}
    house_id = rows.house_id
    if house_id is not None and space["ok"]:
        checks["house"] = await _probed(parts, lambda: _house(parts.storage, house_id))
    is_ready = all(check["ok"] for check in checks.values())
    said = {
        "status": "ready" if is_ready else "not ready",
        "checks": checks,
        "warnings": _warnings(seen),
        "workers": [_worker(worker) for worker in rows.workers],
    }
    if seen is not None and may_see(request, parts.settings):
        said["doctor"] = seen.document
    patience = {} if is_ready else {"Retry-After": "2"}
    return JSONResponse(said, 200 if is_ready else 503, patience)


@router.get("/metrics")
@router.head("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Return the numbers for Prometheus; those of the database are missing while it is away."""
    parts = parts_of(request)
    await parts.metrics.refresh(parts.database, parts.doctor)
    return Response(generate_latest(parts.metrics.registry), media_type=CONTENT_TYPE_LATEST)


async def _database(parts: Parts) -> _Rows:
    def work(sessions: Sessions) -> _Rows:
        with sessions.begin() as session:
            refuse_read_only(session)
            database = _passed(full=parts.database.is_full)
            checks = {"database": database, "schema": _schema(session)}
            house_id, _ = schema.house_of(session.connection())
            workers = live(session, live_seconds=parts.settings.lease_seconds)
            return _Rows(checks, house_id, workers)

    try:
        return await parts.database.run(work)
    except DatabaseReadOnly:
        return _Rows({"database": _failed("The database is a standby, or read-only.")})
    except DatabaseAway:
        why = "; its disk was full when it last did" if parts.database.is_full else ""
        return _Rows({"database": _failed(f"The database does not answer{why}.")})
    except NotOpen as reason:
        return _Rows({"database": _passed(), "house": _failed(str(reason))})


def _warnings(seen: Diagnosis | None) -> list[dict[str, str]]:
    return [asdict(one) for one in (seen.findings if seen else ()) if one.state != "ok"]


def _schema(session: Session) -> Check:
    try:
        schema.check(session.connection())
    except schema.SchemaTooOld as reason:
        return _failed(str(reason))
    return _passed()


async def _probed(parts: Parts, look: Callable[[], Check]) -> Check:
    try:
        return await parts.probing.run(look)
    except TimeoutError:
        return _failed("The storage does not answer.")
    except OSError as reason:
        return _failed(f"The data folder cannot be read: {reason}")


def _house(storage: Storage, house_id: UUID) -> Check:
    try:
        storage.check_house(house_id)
    except WrongHouse as reason:
        return _failed(str(reason))
    return _passed()


def _space(storage: Storage) -> Check:
    """Only say that the disk is full: results can still be fetched, and that makes room."""
    free = storage.free_bytes()
    folder = storage.incoming(uuid4()).parent
    if not os.access(folder, os.W_OK | os.X_OK):
        return _failed(f"{folder} cannot be written to.")
    return _passed(free_bytes=free, full=free == 0)


def _worker(worker: Live) -> dict[str, Any]:
    return {
        "name": worker.name,
        "version": worker.version,
        "kinds": worker.kinds,
        "slots": worker.slots,
        "busy": worker.busy,
        "silent_seconds": round(worker.silent_seconds, 1),
        "problems": worker.problems,
        "sandbox": worker.offers.get("sandbox"),
    }


def _passed(**facts: Any) -> Check:
    return {"ok": True, **facts}


def _failed(detail: str) -> Check:
    return {"ok": False, "detail": detail}
