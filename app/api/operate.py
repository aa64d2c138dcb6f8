"""For operators and their machines: alive, ready, and the numbers."""

import asyncio
import os
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import schema
from app.api.database import DatabaseAway, NotOpen
from app.api.opening import check_house
from app.api.parts import Parts, parts_of
from app.api.workers import Live, live
from app.db import Sessions
from app.storage import Storage, WrongHouse

STORAGE_SECONDS = 1.8

router = APIRouter(tags=["operate"])

Check = dict[str, Any]


@router.get("/healthz")
async def healthz() -> Response:
    """Say that the process answers, whatever it depends on."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Say whether uploads can be taken, and if not, what is in the way; list the live workers."""
    parts = parts_of(request)
    (checks, workers), storage = await asyncio.gather(_database(parts), _storage(parts))
    checks["storage"] = storage
    is_ready = all(check["ok"] for check in checks.values())
    said = {
        "status": "ready" if is_ready else "not ready",
        "checks": checks,
        "workers": [_worker(worker) for worker in workers],
    }
    patience = {} if is_ready else {"Retry-After": "2"}
    return JSONResponse(said, 200 if is_ready else 503, patience)


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the numbers for Prometheus; those of the database are missing while it is away."""
    parts = parts_of(request)
    await parts.metrics.refresh(parts.database)
    text = await asyncio.to_thread(generate_latest, parts.metrics.registry)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


async def _database(parts: Parts) -> tuple[dict[str, Check], Sequence[Live]]:
    def work(sessions: Sessions) -> tuple[dict[str, Check], Sequence[Live]]:
        with sessions.begin() as session:
            checks = {
                "database": _passed(),
                "schema": _schema(session),
                "house": _house(session, parts.storage),
            }
            return checks, live(session, live_seconds=parts.settings.lease_seconds)

    try:
        return await parts.database.run(work)
    except DatabaseAway:
        return {"database": _failed("The database does not answer.")}, []
    except NotOpen as reason:
        return {"database": _passed(), "house": _failed(str(reason))}, []


def _schema(session: Session) -> Check:
    try:
        schema.check(session.connection())
    except schema.SchemaTooOld as reason:
        return _failed(str(reason))
    return _passed()


def _house(session: Session, storage: Storage) -> Check:
    try:
        check_house(session, storage)
    except WrongHouse as reason:
        return _failed(str(reason))
    return _passed()


async def _storage(parts: Parts) -> Check:
    try:
        async with asyncio.timeout(STORAGE_SECONDS):
            return await asyncio.to_thread(_look_at, parts.storage)
    except TimeoutError:
        return _failed("The storage does not answer.")


def _look_at(storage: Storage) -> Check:
    try:
        free = storage.free_bytes()
    except OSError as reason:
        return _failed(f"The data folder cannot be read: {reason}")
    folder = storage.incoming(uuid4()).parent
    if not os.access(folder, os.W_OK | os.X_OK):
        return _failed(f"{folder} cannot be written to.")
    if free == 0:
        return _failed("The disk is full.")
    return _passed(free_bytes=free)


def _worker(worker: Live) -> dict[str, Any]:
    return {
        "name": worker.name,
        "version": worker.version,
        "kinds": worker.kinds,
        "slots": worker.slots,
        "busy": worker.busy,
        "silent_seconds": round(worker.silent_seconds, 1),
        "problems": worker.problems,
    }


def _passed(**facts: Any) -> Check:
    return {"ok": True, **facts}


def _failed(detail: str) -> Check:
    return {"ok": False, "detail": detail}
