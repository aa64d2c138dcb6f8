"""What people build instead: the same upload and conversion, after each library's own manual.

    python -m bench.load_rivals api | worker SYSTEM FOLDER URL

A file is saved with shutil as FastAPI's manual does, converted by libvips in the place where the
library runs its tasks, and ready when its result is there. URL is the broker's or the database's.
"""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID, uuid4

import celery
import procrastinate
import pyvips
import uvicorn
from fastapi import BackgroundTasks, FastAPI, File, UploadFile

SLOTS = 30


def convert(source: str, target: str) -> None:
    """Make a WebP as Rowmill does by default; it has its name only when it is whole."""
    aside = f"{target}.part.webp"
    image = pyvips.Image.new_from_file(source, access="sequential", fail_on="truncated")
    image.autorot().write_to_file(f"{aside}[Q=80]")
    Path(aside).rename(target)


class InProcess:
    """Starlette's BackgroundTasks: the work lives in the process that answers."""

    def __init__(self, _url: str) -> None:
        pass

    async def hand_on(self, background: BackgroundTasks, source: str, target: str) -> None:
        background.add_task(convert, source, target)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        yield

    def work(self) -> None:
        raise NotImplementedError("the API itself works")


class Celery(InProcess):
    """Celery as its first steps show it."""

    late = False

    def __init__(self, url: str) -> None:
        self.app = celery.Celery("bench", broker=url, backend=url)
        self.app.conf.update(broker_connection_retry_on_startup=True)
        if self.late:  # what its manual advises for work that must not be lost
            self.app.conf.update(
                task_acks_late=True, task_reject_on_worker_lost=True, worker_prefetch_multiplier=1
            )
        self.task = self.app.task(name="convert")(convert)

    async def hand_on(self, background: BackgroundTasks, source: str, target: str) -> None:
        del background
        await asyncio.to_thread(self.task.delay, source, target)

    def work(self) -> None:
        self.app.worker_main(["worker", f"--concurrency={SLOTS}", "--loglevel=WARNING"])


class CeleryLate(Celery):
    """Celery that acknowledges a task when it has ended."""

    late = True


class Procrastinate(InProcess):
    """Procrastinate's worker with a thread for each of its slots."""

    def __init__(self, url: str) -> None:
        self.app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))
        self.task = self.app.task(name="convert")(convert)

    async def hand_on(self, background: BackgroundTasks, source: str, target: str) -> None:
        del background
        await self.task.defer_async(source=source, target=target)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        async with self.app.open_async():
            yield

    def work(self) -> None:
        async def run() -> None:
            async with self.app.open_async():
                await self.app.run_worker_async(concurrency=SLOTS)

        asyncio.run(run())


SYSTEMS: dict[str, Callable[[str], InProcess]] = {
    "BackgroundTasks": InProcess,
    "Celery": Celery,
    "Celery, acks late": CeleryLate,
    "Procrastinate": Procrastinate,
}


def api(system: InProcess, folder: Path) -> FastAPI:
    """Return the few lines that every tutorial has."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with system.opened():
            yield

    application = FastAPI(lifespan=lifespan)

    @application.post("/uploads")
    async def upload(
        file: Annotated[UploadFile, File()], background: BackgroundTasks
    ) -> dict[str, Any]:
        upload_id = uuid4()
        source = folder / f"{upload_id}.jpg"
        await asyncio.to_thread(_save, file, source)
        await system.hand_on(background, str(source), str(folder / f"{upload_id}.webp"))
        return {"id": upload_id}

    @application.get("/uploads/{upload_id}")
    def status(upload_id: UUID) -> dict[str, str]:
        return {"status": "ready" if (folder / f"{upload_id}.webp").exists() else "converting"}

    return application


def _save(file: UploadFile, source: Path) -> None:
    with source.open("xb") as target:
        shutil.copyfileobj(file.file, target)


def main() -> None:
    """Run one part of one system; an API prints its port when it listens."""
    part, name, folder, url = sys.argv[1:]
    system = SYSTEMS[name](url)
    if part == "worker":
        system.work()
        return
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))), backlog=256)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(api(system, Path(folder)), log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
