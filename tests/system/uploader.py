"""A small tus client that goes on whatever happens, as the real ones do."""

import hashlib
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx

from app.api.owners import COOKIE
from tests import plain
from tests.system.house import VISITOR

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89"
TUS = {"Tus-Resumable": "1.0.0"}
PIECES = "application/offset+octet-stream"


def picture(size: int, seed: float) -> bytes:
    """Return bytes that are taken for a PNG, and that are like no others."""
    return PNG + random.Random(seed).randbytes(size - len(PNG))


@dataclass
class Uploader:
    """Sends one file; `offsets` are what the server said, each time that it was asked."""

    url: str
    content: bytes
    chunk: int = 2**62
    timeout: float = 1.0
    patience: float = 120.0
    pause: float = 0.0  # between two steps of 64 KiB, so that a transfer takes a while
    path: str = ""
    query: dict[str, str] = field(default_factory=dict)
    offsets: list[int] = field(default_factory=list)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    def create(self) -> str:
        """Make the upload, with a key: an answer may be lost."""
        key = hashlib.sha256(self.content).hexdigest()
        headers = {**TUS, "Upload-Length": str(len(self.content)), "Idempotency-Key": key}
        where = f"/uploads?{urlencode(self.query)}" if self.query else "/uploads"
        self.path = self._insist(lambda: self._ask("POST", where, headers), "location")
        return self.path

    def offset(self) -> int:
        """Ask where to go on; it never falls."""
        offset = int(self._insist(lambda: self._ask("HEAD", self.path, TUS), "upload-offset"))
        assert offset >= max(self.offsets, default=0), f"{offset} after {self.offsets}"
        self.offsets.append(offset)
        return offset

    def send(self, offset: int) -> int | None:
        """Send a piece; return where the upload stands then, None if that is not known."""
        headers = {**TUS, "Content-Type": PIECES, "Upload-Offset": str(offset)}
        piece = self.content[offset : offset + self.chunk]
        answer = self._ask("PATCH", self.path, headers, self._paced(piece))
        if answer is None or answer.status_code != 204:
            return None
        return int(answer.headers["upload-offset"])

    def _paced(self, piece: bytes) -> bytes | Iterator[bytes]:
        return _drops(piece, self.pause) if self.pause else piece

    def finish(self) -> None:
        """Go on until the server has it all."""
        ends = time.monotonic() + self.patience
        offset: int | None = self.offset()
        while offset != len(self.content):
            assert time.monotonic() < ends, f"{offset} of {len(self.content)}: {self.offsets[-5:]}"
            offset = self.send(offset) if offset is not None else self.offset()

    def _insist(self, ask: Any, header: str) -> str:
        ends = time.monotonic() + self.patience
        while True:
            answer = ask()
            if answer is not None and answer.status_code < 400:
                return str(answer.headers[header])
            final = answer is not None and answer.status_code < 500
            assert not final or answer.status_code in {409, 423}, answer.text
            assert time.monotonic() < ends, "the server does not come back"
            time.sleep(0.05)

    def _ask(
        self, method: str, path: str, headers: dict[str, str], content: Any = None
    ) -> httpx.Response | None:
        try:
            with plain.Client(
                base_url=self.url, timeout=self.timeout, cookies={COOKIE: VISITOR}
            ) as client:
                return client.request(method, path, headers=headers, content=content)
        except httpx.TransportError:
            return None


def _drops(piece: bytes, pause: float) -> Iterator[bytes]:
    for start in range(0, len(piece), 65536):
        yield piece[start : start + 65536]
        time.sleep(pause)
