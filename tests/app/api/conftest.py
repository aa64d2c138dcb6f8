"""A real server on loopback for each test that asks, and a hand that plays the worker."""

import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
import uvicorn
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from app import queue
from app.api.owners import COOKIE
from app.db import Sessions
from app.failures import failure
from app.main import create_app
from app.queue import Claimed, Ending
from app.settings import Settings
from app.storage import DiskStorage, keys
from tests import plain
from tests.make import make_worker
from tests.polling import poll

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89"
    b"\0\0\0\rIDATx\x9cc\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82"
)
OFFERS = {
    "kinds": {"image": 4},
    "pairs": {"image": {"png": ["webp", "jpg", "gif"]}},
    "problems": [],
}


structlog.configure(  # short tracebacks, to wherever pytest collects output now
    processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()],
    cache_logger_on_first_use=False,
)


def _insist(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Ask again as a client does that is told to come later: a busy machine has no seat at once."""

    def answered() -> list[httpx.Response]:
        answer = ask()
        return [answer] if answer.status_code != 503 else []

    return poll(answered)[0]


@dataclass(frozen=True)
class Service:
    """A running API and everything a test may want to look at behind it."""

    url: str
    app: FastAPI
    settings: Settings
    sessions: Sessions
    client: httpx.Client

    @property
    def storage(self) -> DiskStorage:
        return DiskStorage(self.settings.data)

    def upload(self, content: bytes = PNG, *, name: str = "photo.png", **params: Any) -> Any:
        """Send a file raw; return the document."""
        params = {"name": name, **params}
        answer = _insist(lambda: self.client.post("/uploads", content=content, params=params))
        assert answer.status_code == 202, answer.text
        return answer.json()

    def document(self, path: str) -> Any:
        answer = _insist(lambda: self.client.get(path))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def hire(self, name: str = "w-1", **columns: Any) -> str:
        """Add a live worker that offers some image pairs."""
        with self.sessions.begin() as session:
            return make_worker(session, name, **{"offers": OFFERS, **columns})

    def claim(self, worker: str = "w-1") -> Claimed:
        with self.sessions.begin() as session:
            (claimed,) = queue.claim(
                session, worker=worker, rooms={"image": 1}, leases=[uuid.uuid4()]
            )
        return claimed

    def finish(self, claimed: Claimed, content: bytes = b"RIFF....WEBPresult") -> str:
        """Publish a result and record it, as a worker does; return its key."""
        key = keys.result_key(claimed.upload_id, claimed.number, claimed.lease_id)
        made = self.settings.data / f"made-{claimed.lease_id}"
        made.write_bytes(content)
        self.storage.publish(made, key)
        target = claimed.payload["to"]
        result = {
            "storage_key": key,
            "size": len(content),
            "format": target,
            "media_type": f"image/{target}",
            "sha256": "ab" * 32,
            "facts": {"width": 1},
        }
        with self.sessions.begin() as session:
            moved = queue.succeed(
                session, [Ending(claimed.job_id, claimed.lease_id, result=result)]
            )
        assert moved == {claimed.lease_id}
        return key

    def fail(self, claimed: Claimed, code: str = "corrupt_input") -> None:
        with self.sessions.begin() as session:
            queue.fail(session, [Ending(claimed.job_id, claimed.lease_id, error=failure(code))])

    def convert(self, content: bytes = b"RIFF....WEBPresult") -> str:
        return self.finish(self.claim(), content)


def settings_for(database_url: str, data: Path, **changes: Any) -> Settings:
    settings = Settings(database_url=database_url, data=data, scratch=data / "scratch")
    return replace(settings, **changes)


class Serving:
    """One uvicorn in a thread, as `rowmill api` runs it."""

    def __init__(self, app: FastAPI) -> None:
        config = uvicorn.Config(
            app, host="127.0.0.1", port=0, log_config=None, timeout_graceful_shutdown=5
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def start(self) -> str:
        """Return the URL once it listens."""
        self._thread.start()
        poll(lambda: self._server.started or not self._thread.is_alive(), seconds=20)
        assert self._server.started, "the server did not start"
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=20)
        assert not self._thread.is_alive()


Serve = Callable[..., Service]


@pytest.fixture
def serve(database_url: str, sessions: Sessions, tmp_path: Path) -> Iterator[Serve]:
    """Start a service with settings of the test's own."""
    running: list[tuple[Serving, Service]] = []

    def start(**changes: Any) -> Service:
        settings = settings_for(database_url, tmp_path / "data", **changes)
        app = create_app(settings)
        serving = Serving(app)
        url = serving.start()
        client = plain.Client(
            base_url=url,
            timeout=30,
            limits=httpx.Limits(max_connections=None),
            cookies={COOKIE: "a-visitor-of-these-tests-with-a-cookie-of-i"},
        )
        service = Service(url, app, settings, sessions, client)
        running.append((serving, service))
        return service

    yield start
    for serving, service in running:
        service.client.close()
        serving.stop()


@pytest.fixture
def service(serve: Serve) -> Service:
    return serve()


Numbers = dict[tuple[str, tuple[str, ...]], float]


def metrics(service: Service) -> Numbers:
    """Return what /metrics says now, by name and values of labels."""
    answer = service.client.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
