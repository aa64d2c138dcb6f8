"""A small real server around the ingest, and clients that send what no library would."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.ingest.dock import Dock
from app.ingest.farewell import Farewell
from app.ingest.headers import is_form
from app.ingest.limits import Limits
from app.ingest.multipart import receive_multipart
from app.ingest.raw import receive_raw
from app.ingest.received import Glimpse, Received
from app.ingest.refusals import Refusal
from app.storage import DiskStorage

MIB = 1024**2
BOUNDARY = "----RowmillTestBoundary7MA4YWxkTrZu0gW"


class Unwanted(Exception):
    """What a gate raises in these tests."""


class Lab:
    """One uvicorn on a free port; `outcomes` has what each upload came to, oldest first."""

    def __init__(self, root: Path, *, reserve: int = 0, **limits: Any) -> None:
        self.storage = DiskStorage(root, reserve=reserve)
        self.storage.claim_house(uuid4(), may_create=True)
        self.dock = Dock(self.storage, limits=Limits(**{"max_bytes": 64 * MIB, **limits}))
        self.outcomes: list[Received | Refusal | Unwanted] = []
        self.gate: Callable[[Glimpse], None] = lambda _: None
        self.port = 0

    async def take(self, request: Request) -> Response:
        try:
            if is_form(request):
                received = await receive_multipart(request, dock=self.dock, gate=self.gate)
            else:
                name = request.path_params["name"]
                received = await receive_raw(request, dock=self.dock, name=name, gate=self.gate)
        except (Refusal, Unwanted) as refusal:
            self.outcomes.append(refusal)
            answer = json.dumps({"refused": type(refusal).__name__, "why": str(refusal)})
            return Farewell(answer, status_code=400, media_type="application/json")
        self.outcomes.append(received)
        return JSONResponse({"size": received.size, "sha256": received.sha256})

    @property
    def received(self) -> Received:
        """The last upload, which must have been taken."""
        last = self.outcome()
        assert isinstance(last, Received), last
        return last

    def outcome(self) -> Received | Refusal | Unwanted:
        eventually(lambda: bool(self.outcomes))
        return self.outcomes[-1]

    def leftovers(self) -> list[str]:
        """What lies in `incoming`, and which descriptors point there."""
        folder = self.storage.root / "incoming"
        return [path.name for path in folder.iterdir()] + open_files_in(folder)

    @contextmanager
    def running(self) -> Iterator["Lab"]:
        app = Starlette(routes=[Route("/{name}", self.take, methods=["POST"])])
        config = uvicorn.Config(
            app, http="httptools", loop="uvloop", log_config=None, lifespan="off"
        )
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
            thread.start()
            try:
                yield self
            finally:
                server.should_exit = True
                thread.join()
                self.dock.close()

    @contextmanager
    def client(self) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield connection

    def post(self, body: Iterable[bytes], *headers: str) -> bytes:
        """Send the pieces one by one, each as a chunk of its own, and return the answer."""
        with self.client() as connection:
            connection.sendall(head("Transfer-Encoding: chunked", "Connection: close", *headers))
            try:
                for piece in body:
                    connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
                connection.sendall(b"0\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                return b""
            return until_closed(connection)


def head(*headers: str) -> bytes:
    lines = ["POST /photo.png HTTP/1.1", "Host: lab", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def until_closed(connection: socket.socket) -> bytes:
    answer = b""
    try:
        while piece := connection.recv(65536):
            answer += piece
    except ConnectionResetError:
        pass
    return answer


def form_type(boundary: str = BOUNDARY) -> str:
    return f"Content-Type: multipart/form-data; boundary={boundary}"


def file_part(content: bytes, *, name: str = "file", filename: str = 'filename="a.png"') -> bytes:
    return part(f'Content-Disposition: form-data; name="{name}"; {filename}', content)


def field(name: str, value: bytes) -> bytes:
    return part(f'Content-Disposition: form-data; name="{name}"', value)


def part(headers: str, content: bytes) -> bytes:
    return f"--{BOUNDARY}\r\n{headers}\r\n\r\n".encode() + content + b"\r\n"


def form(*parts: bytes) -> bytes:
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def open_files_in(folder: Path) -> list[str]:
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:
            continue
        if target.startswith(f"{folder}/"):
            found.append(target)
    return found


def eventually(holds: Callable[[], bool], *, seconds: float = 60) -> None:
    """Poll until it holds; fail at the deadline."""
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not happen in time"
        time.sleep(0.005)
