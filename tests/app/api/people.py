"""People at the service: each has a client and a cookie of their own, or none."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.api.owners import COOKIE
from app.models import Upload
from tests import plain
from tests.app.api.conftest import PNG, Service, serve, service

__all__ = ["Visit", "serve", "service", "visit"]

Visit = Callable[..., httpx.Client]
HERE = {"Sec-Fetch-Site": "same-origin"}
ELSEWHERE = {"Sec-Fetch-Site": "cross-site", "Origin": "https://app.example"}
PAGE = {"Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Mode": "navigate"}


@pytest.fixture
def visit(service: Service) -> Iterator[Visit]:
    """Return clients: with a cookie, `cookie=None` for one that has none; headers as given."""
    with ExitStack() as stack:

        def come(
            cookie: str | None = "", *, url: str = service.url, **headers: str
        ) -> httpx.Client:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            cookies = {} if cookie is None else {COOKIE: cookie or secrets.token_urlsafe(32)}
            client = plain.Client(base_url=url, timeout=30, headers=given, cookies=cookies)
            return stack.enter_context(client)

        yield come


def sent(client: httpx.Client, name: str = "photo.png", **params: Any) -> Any:
    """Send a file; return the document that answers."""
    answer = client.post("/uploads", content=PNG, params={"name": name, **params})
    assert answer.status_code == 202, answer.text
    return answer.json()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def row(service: Service, document: Any) -> Upload:
    with service.sessions() as session:
        return session.scalars(select(Upload).where(Upload.id == document["id"])).one()
