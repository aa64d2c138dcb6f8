"""The servers that bench/ingest.py measures: each runs alone in a process and prints its port."""

import argparse
import asyncio
import hashlib
import os
import shutil
import socket
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Self
from uuid import uuid4

import uvicorn
from fastapi import FastAPI, File, Request, UploadFile
from starlette.types import ASGIApp

from app.ingest.dock import Digest, Dock
from app.ingest.limits import Limits
from app.ingest.multipart import receive_multipart
from app.ingest.raw import receive_raw
from app.ingest.received import Received
from app.storage import DiskStorage
from app.storage.keys import source_key

MIB = 1024**2


class NoDigest:
    """Stands where the SHA-256 stands, for the rows that are measured without it."""

    def update(self, data: bytes | memoryview, /) -> None:
        pass

    def hexdigest(self) -> str:
        return ""

    def copy(self) -> Self:
        return self


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("server", choices=["floor", *SERVERS])
    options.add_argument("folder", type=Path)
    options.add_argument("--sha256", action="store_true")
    options.add_argument("--file", type=Path, help="what is downloaded")
    given = options.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    if given.server == "floor":
        only_write(listener, given.folder, _digest(given))
    else:
        serve(listener, SERVERS[given.server](given))


def serve(listener: socket.socket, application: ASGIApp) -> None:
    config = uvicorn.Config(
        application, http="httptools", loop="uvloop", log_level="warning", access_log=False
    )
    uvicorn.Server(config).run(sockets=[listener])


def rowmill(given: Namespace) -> FastAPI:
    """Rowmill's own path from the request to the stored name."""
    storage = DiskStorage(given.folder)
    storage.claim_house(uuid4(), may_create=True)
    dock = Dock(storage, limits=Limits(max_bytes=2**40), digest=_digest(given))
    application = FastAPI()

    async def store(received: Received) -> dict[str, int]:
        key = source_key(received.upload_id)
        await asyncio.wrap_future(dock.threads.submit(storage.store, received.part, key))
        return {"size": received.size}

    @application.post("/raw")
    async def raw(request: Request) -> dict[str, int]:
        return await store(await receive_raw(request, dock=dock, name="file"))

    @application.post("/multipart")
    async def multipart(request: Request) -> dict[str, int]:
        return await store(await receive_multipart(request, dock=dock))

    return application


def uploadfile(given: Namespace) -> FastAPI:
    """Do what FastAPI's documentation leads to, made durable: copy to the place, fsync."""
    application = FastAPI()

    @application.post("/multipart")
    def multipart(file: Annotated[UploadFile, File()]) -> dict[str, int]:
        running = _digest(given)()
        with (given.folder / str(uuid4())).open("xb") as target:
            if isinstance(running, NoDigest):
                shutil.copyfileobj(file.file, target, MIB)
            else:
                while piece := file.file.read(MIB):
                    running.update(piece)
                    target.write(piece)
            target.flush()
            os.fsync(target.fileno())
        return {"size": file.size or 0}

    return application


def whole(given: Namespace) -> ASGIApp:
    """One of those that need all of the API, which costs memory."""
    from bench import ingest_whole

    made: ASGIApp = getattr(ingest_whole, given.server)(given)
    return made


SERVERS: dict[str, Callable[[Namespace], ASGIApp]] = {
    "rowmill": rowmill,
    "uploadfile": uploadfile,
    "service": whole,
    "downloads": whole,
}


def _digest(given: Namespace) -> Callable[[], Digest]:
    return hashlib.sha256 if given.sha256 else NoDigest


def only_write(listener: socket.socket, folder: Path, digest: Callable[[], Digest]) -> None:
    """Be the floor: one blocking socket, one buffer, one file, one fsync, hardly any HTTP."""
    while True:
        connection, _ = listener.accept()
        with connection, (folder / str(uuid4())).open("xb", buffering=0) as target:
            _receive_one(connection, target.fileno(), digest())
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def _receive_one(connection: socket.socket, target: int, running: Digest) -> None:
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(1024)
    headers, _, rest = head.partition(b"\r\n\r\n")
    left = int(headers.lower().split(b"content-length: ")[1].split(b"\r\n")[0]) - len(rest)
    os.write(target, rest)
    running.update(rest)
    buffer = memoryview(bytearray(MIB))
    while left > 0:
        count = connection.recv_into(buffer)
        left -= count
        running.update(buffer[:count])
        os.write(target, buffer[:count])
    os.fsync(target)


if __name__ == "__main__":
    main()
