"""The rivals' side of the queue's table: Procrastinate and PgQueuer, as their manuals use them."""

import asyncio
import time
from typing import Any

import asyncpg
import procrastinate
from pgqueuer import Queries, QueueManager
from pgqueuer.models import Job
from pgqueuer.types import QueueExecutionMode


def procrastinate_prepare(url: str) -> None:
    async def prepare() -> None:
        async with _app(url, []).open_async() as app:
            await app.schema_manager.apply_schema_async()

    asyncio.run(prepare())


def procrastinate_enqueue(url: str, count: int) -> float:
    async def enqueue() -> float:
        done: list[int] = []
        async with _app(url, done).open_async() as app:
            task = app.tasks["nothing"]
            began = time.monotonic()
            for _ in range(count):
                await task.defer_async()
            return time.monotonic() - began

    return asyncio.run(enqueue())


def procrastinate_drain(url: str, count: int, *, slots: int) -> float:
    async def drain() -> float:
        done: list[int] = []
        async with _app(url, done).open_async() as app:
            began = time.monotonic()
            await app.run_worker_async(wait=False, concurrency=slots, install_signal_handlers=False)
            return time.monotonic() - began if len(done) == count else float("nan")

    return asyncio.run(drain())


def _app(url: str, done: list[int]) -> procrastinate.App:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=_plain(url)))

    @app.task(name="nothing")
    async def nothing() -> None:
        done.append(1)

    return app


def pgqueuer_prepare(url: str) -> None:
    async def prepare() -> None:
        connection = await asyncpg.connect(_plain(url))
        await Queries.from_asyncpg_connection(connection).install()
        await connection.close()

    asyncio.run(prepare())


def pgqueuer_enqueue(url: str, count: int) -> float:
    async def enqueue() -> float:
        connection = await asyncpg.connect(_plain(url))
        queries = Queries.from_asyncpg_connection(connection)
        began = time.monotonic()
        for _ in range(count):
            await queries.enqueue("nothing", None, 0)
        took = time.monotonic() - began
        await connection.close()
        return took

    return asyncio.run(enqueue())


def pgqueuer_drain(url: str, count: int, *, slots: int, held: bool = False) -> float:
    """Run each job as soon as it is dequeued, `slots` at a time, or hold at most `slots` jobs.

    By itself PgQueuer dequeues on while the jobs before are not recorded: `slots` is only the
    size of a batch then. It can be held to a number of jobs, which must be two batches.
    """
    batch = max(1, slots // 2) if held else slots
    most = 2 * batch if held else None

    async def drain() -> float:
        done: list[Any] = []
        async with asyncpg.create_pool(_plain(url), min_size=2, max_size=5) as pool:
            manager = QueueManager(Queries.from_asyncpg_pool(pool))

            @manager.entrypoint("nothing")
            async def nothing(job: Job) -> None:
                done.append(job.id)

            began = time.monotonic()
            await manager.run(
                batch_size=batch, max_concurrent_tasks=most, mode=QueueExecutionMode.drain
            )
            return time.monotonic() - began if len(done) == count else float("nan")

    return asyncio.run(drain())


def _plain(url: str) -> str:
    return url.replace("+psycopg2", "")
