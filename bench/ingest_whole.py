"""The servers that need all of Rowmill's API; apart, so that the others stay small."""

import asyncio
import os
import time
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import structlog
from fastapi import FastAPI
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.archive.archive import Archive, Checksums, File
from app.api.archive.sending import THREADS, Sending
from app.api.results import Download
from app.main import create_app
from app.settings import Settings, from_environment

LOOK_SECONDS = 0.005


def service(given: Namespace) -> ASGIApp:
    """All of Rowmill's API, with its rows, and a look at how late its loop is."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    settings = Settings(
        database_url=from_environment({"DATABASE_URL": os.environ["DATABASE_URL"]}).database_url,
        data=given.folder,
        max_upload_bytes=2**40,
    )
    return Late(create_app(settings))


class Late:
    """Notes every 5 ms how late the loop was, and how long it had waited for a CPU by then.

    It tells it at /bench/delays.
    """

    def __init__(self, application: ASGIApp) -> None:
        self._application = application
        self._looking: asyncio.Task[None] | None = None
        self._delays: list[tuple[float, float]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") == "/bench/delays":
            await self._tell(scope, receive, send)
        else:
            await self._application(scope, receive, send)

    async def _tell(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._look())
            await asyncio.sleep(1)
        told, self._delays = self._delays, []
        await JSONResponse(told)(scope, receive, send)

    async def _look(self) -> None:
        while True:
            due, waited = time.perf_counter() + LOOK_SECONDS, _waited()
            await asyncio.sleep(LOOK_SECONDS)
            self._delays.append((time.perf_counter() - due, _waited() - waited))


def _waited() -> float:
    """Return how long this thread has been ready to run and was not let."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


def downloads(given: Namespace) -> FastAPI:
    """Send one file as Rowmill does, and as Starlette does by itself."""
    application, checksums, threads = FastAPI(), Checksums(), ThreadPoolExecutor(THREADS)
    size = given.file.stat().st_size

    @application.get("/small")
    async def small() -> Response:
        return Response(b"warm")

    @application.get("/theirs")
    async def theirs() -> Response:
        return FileResponse(given.file)

    @application.get("/ours")
    async def ours() -> Response:
        descriptor = os.open(given.file, os.O_RDONLY)
        return Download(descriptor, media_type="image/png", headers={})

    @application.get("/zip")
    async def zipped() -> Response:
        entry = File(name="a.png", size=size, modified=datetime.now(UTC), path=given.file)
        archive = Archive([entry], checksums=checksums)
        pieces = archive.pieces(0, archive.size)
        headers = {"Content-Length": str(archive.size)}
        return Sending(pieces, threads=threads, status=200, headers=headers)

    return application
