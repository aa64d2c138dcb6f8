"""The only file that knows every part of the API, and puts them together."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from uuid import UUID

from fastapi import FastAPI
from sqlalchemy.orm import Session

from app.api import answers, docs, formats, jobs, listing, operate, pages, results, uploads
from app.api.archive import routes as archive
from app.api.archive.sending import Archives
from app.api.cors import Cors
from app.api.database import Database, DatabaseAway
from app.api.ending import close_at_the_end
from app.api.guard import Guard
from app.api.metrics import Metrics
from app.api.opening import open_up, warn_of_seats
from app.api.ops import routes as ops
from app.api.ops.doctor import Doctor
from app.api.ops.glance import Glance
from app.api.ops.look import look as look_for_operators
from app.api.parts import Parts, look
from app.api.resumable import routes as resumable
from app.api.resumable.crowd import Crowd
from app.api.resumable.dialect import Dialect
from app.api.resumable.writing import turns_of
from app.api.threads import Threads
from app.api.wake import Wake
from app.api.watch import Watch
from app.failures import clean
from app.formats import catalogue
from app.ingest.dock import Dock
from app.ingest.limits import Limits
from app.log import get_logger
from app.settings import BadSetting, Settings
from app.status import UploadState
from app.storage import DiskStorage

STORAGE_THREADS = 4

log = get_logger()


def create_app(settings: Settings) -> FastAPI:
    """Return the API, or raise BadSetting; nothing is connected or written before its lifespan."""
    _check_families()
    parts = _parts(settings)
    app = FastAPI(
        title="Rowmill",
        version=rowmill_version(),
        summary="Takes files, converts them in the background, and says how far each one is.",
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.parts = parts
    answers.install(app)
    for part in (
        pages,
        formats,
        operate,
        ops,
        docs,
        results,
        archive,
        jobs,
        resumable,
        listing,
        uploads,
    ):
        app.include_router(part.router)
    app.add_middleware(Guard, requests=parts.metrics.requests)
    app.add_middleware(Dialect)
    app.add_middleware(Cors, origins=settings.cors_origins)
    return app


def rowmill_version() -> str:
    try:
        return version("rowmill")
    except PackageNotFoundError:
        return "unpackaged"  # run from a source tree that is not installed


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Refuse to start on what can never work; start, and say so, when the database is away.

    Whoever asks meanwhile gets 503. The first request that reaches the database opens up.
    """
    parts: Parts = app.state.parts
    try:
        await parts.database.ask()
    except DatabaseAway:
        log.warning("api.database_away", detail="It is tried again with every request.")
    close_at_the_end(parts.watch.close, parts.turns.close)
    yield
    parts.watch.close()
    parts.turns.close()
    parts.dock.close()
    parts.threads.close()
    parts.probing.close()
    parts.archives.close()
    parts.database.close()


def _check_families() -> None:
    """Look at the installed converter packages now: later, each page would trip over a bad one."""
    try:
        catalogue.families()
    except catalogue.BadFamily as fault:
        raise BadSetting(clean(str(fault))) from fault


def _parts(settings: Settings) -> Parts:
    if settings.database_url is None:
        raise BadSetting("DATABASE_URL is not set: the API needs to be told where its rows are.")
    storage = DiskStorage(settings.data)
    live_seconds = settings.lease_seconds

    def begin(session: Session) -> None:
        open_up(session, storage)
        warn_of_seats(session, live_seconds=live_seconds)

    database = Database(settings.database_url, open_up=begin)
    metrics = Metrics(live_seconds=live_seconds)

    async def look_at(ids: Collection[UUID]) -> dict[UUID, UploadState]:
        return await look(database, settings, ids)

    watch = Watch(look_at)
    metrics.waiting.set_function(lambda: len(watch))
    limits = Limits(max_bytes=settings.max_upload_bytes, idle_seconds=settings.body_timeout_seconds)
    dock = Dock(storage, limits=limits)
    return Parts(
        settings=settings,
        database=database,
        storage=storage,
        threads=Threads(STORAGE_THREADS, name="storage"),
        probing=Threads(1, name="probing"),
        archives=Archives(),
        dock=dock,
        turns=turns_of(dock, database, settings),
        crowd=Crowd(settings.max_open_uploads),
        watch=watch,
        wake=Wake(database),
        metrics=metrics,
        doctor=Doctor(database, live_seconds=live_seconds),
        ops=Glance(database, partial(look_for_operators, live_seconds=live_seconds), seconds=1),
    )
