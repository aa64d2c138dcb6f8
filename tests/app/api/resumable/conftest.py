"""A tus client that sends exactly what a test says, and connections that stop in the middle."""

import base64
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy.orm import Session

from app.models import Upload
from tests.app.api.conftest import PNG, Serve, Service, serve, service

__all__ = ["serve", "service"]

PIECES = "application/offset+octet-stream"
TUS = {"Tus-Resumable": "1.0.0"}
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def metadata(**pairs: str) -> str:
    return ",".join(
        f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in pairs.items()
    )


def png(size: int) -> bytes:
    """Return bytes that are recognised as a PNG, every hundred of them different."""
    return (PNG + b"".join(b"%0100d" % number for number in range(size // 100 + 1)))[:size]


@dataclass
class Tus:
    """Sends requests of tus 1.0 to a service; `headers` may replace or, with None, remove any."""

    service: Service

    def request(self, method: str, path: str, content: Any = None, **headers: str | None) -> Any:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in {**TUS, **given}.items() if value is not None}
        return self.service.client.request(method, path, content=content, headers=sent)

    def lines(self, method: str, path: str, *headers: list[str]) -> Any:
        """Send no body, and of each header, a name and then values, as many lines as values."""
        sent = [(name, value) for name, *values in headers for value in values]
        return self.service.client.request(method, path, headers=sent)

    def post(self, content: Any = None, **headers: str | None) -> Any:
        return self.request("POST", "/uploads", content, **headers)

    def create(self, size: int, *, name: str = "photo.png", **pairs: str) -> str:
        """Return the address of a new upload."""
        answer = self.post(
            Upload_Length=str(size), Upload_Metadata=metadata(filename=name, **pairs)
        )
        assert answer.status_code == 201, answer.text
        return str(answer.headers["location"])

    def partial(self, content: bytes) -> str:
        """Return the address of a partial upload that has come whole."""
        answer = self.post(Upload_Length=str(len(content)), Upload_Concat="partial")
        assert answer.status_code == 201, answer.text
        path = str(answer.headers["location"])
        assert self.patch(path, content, at=0).status_code == 204
        return path

    def patch(self, path: str, content: Any, *, at: int | str, **headers: str | None) -> Any:
        given: dict[str, str | None] = {"Content_Type": PIECES, "Upload_Offset": str(at)}
        return self.request("PATCH", path, content, **{**given, **headers})

    def head(self, path: str, **headers: str | None) -> httpx.Response:
        answer: httpx.Response = self.request("HEAD", path, **headers)
        return answer

    def offset(self, path: str) -> int:
        return int(self.head(path).headers["upload-offset"])

    def delete(self, path: str, **headers: str | None) -> Any:
        return self.request("DELETE", path, **headers)

    @contextmanager
    def hanging(
        self, path: str, content: bytes, *, at: int, length: int | None
    ) -> Iterator[socket.socket]:
        """Begin a PATCH of `length` bytes (None: in chunks), send `content`, and fall silent."""
        url = httpx.URL(self.service.url)
        lines = [
            f"PATCH {path} HTTP/1.1",
            f"Host: {url.host}:{url.port}",
            "Tus-Resumable: 1.0.0",
            f"Content-Type: {PIECES}",
            f"Upload-Offset: {at}",
            f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked",
        ]
        with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)
            yield connection

    def row(self, path: str) -> Upload:
        with self.service.sessions() as session:
            return row_of(session, path)

    def file(self, path: str) -> Any:
        """Return the file of an upload that has not come whole."""
        return self.service.storage.incoming(id_of(path))


def id_of(path: str) -> UUID:
    return UUID(path.rpartition("/")[2])


def row_of(session: Session, path: str) -> Upload:
    found = session.get(Upload, id_of(path), populate_existing=True)
    assert found is not None
    return found


def answer_of(connection: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    answer = b""
    try:
        while piece := connection.recv(65536):
            answer += piece
    except ConnectionResetError:
        pass
    return answer


@pytest.fixture
def tus(service: Service) -> Tus:
    return Tus(service)


ServeTus = Callable[..., Tus]


@pytest.fixture
def serve_tus(serve: Serve) -> ServeTus:
    """Start a service with settings of the test's own."""
    return lambda **settings: Tus(serve(**settings))
