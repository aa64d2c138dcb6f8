"""A client that has begun more uploads than it may has to end some of them first."""

import secrets
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, update
from starlette.requests import Request

from app.api.errors import Problem
from app.api.owners import COOKIE
from app.api.resumable import crowd
from app.models import Upload
from tests import plain
from tests.app.api.conftest import PNG
from tests.app.api.resumable.conftest import PIECES, TUS, ServeTus, Tus, id_of, png


@pytest.fixture
def tus(serve_tus: ServeTus) -> Tus:
    return serve_tus(max_open_uploads=3)


def refused(answer: httpx.Response) -> bool:
    """Whether this is the refusal, in full."""
    if answer.status_code == 201:
        return False
    said = answer.json()
    assert (answer.status_code, said["code"], said["limit"]) == (429, "too_many_open", 3)
    assert answer.headers["retry-after"] == "60"
    assert said["hint"]
    return True


def rows(tus: Tus) -> int:
    with tus.service.sessions() as session:
        return session.scalar(select(func.count()).select_from(Upload)) or 0


def begin(client: httpx.Client, size: int = 100) -> httpx.Response:
    return client.post("/uploads", headers={**TUS, "Upload-Length": str(size)})


def test_one_too_many_is_429_and_leaves_nothing(tus: Tus) -> None:
    for _ in range(3):
        tus.create(100)
    assert refused(tus.post(Upload_Length="100"))
    assert refused(tus.post(Upload_Defer_Length="1"))
    assert refused(tus.post(PNG, Upload_Length=str(len(PNG)), Content_Type=PIECES))
    assert rows(tus) == 3
    assert len(list((tus.service.settings.data / "incoming").iterdir())) == 3


@pytest.mark.parametrize("way", ["finished", "deleted", "expired", "refused"])
def test_what_came_to_its_end_makes_room(tus: Tus, way: str) -> None:
    size = len(PNG) if way == "finished" else 2 * 1024**2
    paths = [tus.create(size) for _ in range(3)]
    assert refused(tus.post(Upload_Length="100"))
    match way:
        case "finished":
            tus.patch(paths[0], PNG, at=0)
        case "deleted":
            tus.delete(paths[0])
        case "expired":
            with tus.service.sessions.begin() as session:
                one = update(Upload).where(Upload.id == id_of(paths[0]))
                session.execute(one.values(expires_at=func.now()))
        case _:
            assert tus.patch(paths[0], b"\x7fELF\x02\x01\x01".ljust(size), at=0).is_error
    assert not refused(tus.post(Upload_Length="100"))
    assert refused(tus.post(Upload_Length="100"))


def test_parts_count_until_they_have_come_and_joining_them_is_never_refused(tus: Tus) -> None:
    content = png(900)
    for _ in range(3):
        tus.create(100)
    tus.service.client.cookies.set(COOKIE, secrets.token_urlsafe(32))
    parts = [tus.partial(content[at : at + 300]) for at in (0, 300, 600)]
    open_ones = [tus.create(100) for _ in range(3)]
    assert refused(tus.post(Upload_Length="100", Upload_Concat="partial"))
    assert tus.post(Upload_Concat=f"final;{' '.join(parts)}").status_code == 201
    assert tus.patch(open_ones[0], b"x", at=0).status_code == 204


def test_each_cookie_has_its_own_number(tus: Tus) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            cookies = {COOKIE: secrets.token_urlsafe(32)}
            client = stack.enter_context(plain.Client(base_url=tus.service.url, cookies=cookies))
            assert [refused(begin(client)) for _ in range(4)] == [False, False, False, True]


def test_without_a_cookie_an_address_has_a_number(tus: Tus) -> None:
    """Also of a browser that keeps no cookies, and is given a new one each time."""
    navigating = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    with plain.Client(base_url=tus.service.url) as client:
        first = begin(client)
        client.cookies.clear()
        assert client.post(
            "/uploads", headers={**TUS, **navigating, "Upload-Length": "5"}
        ).cookies.get(COOKIE)
        client.cookies.clear()
        assert not refused(begin(client))
        assert refused(begin(client))
        token = {"Authorization": f"Bearer {first.headers['upload-manage']}", **TUS}
        assert client.delete(first.headers["location"], headers=token).status_code == 204
        assert not refused(begin(client))
        assert refused(begin(client))
    (remembered,) = tus.service.app.state.parts.crowd._begun.values()
    assert len(remembered) == 3  # not what came to its end
    assert not refused(tus.post(Upload_Length="100"))  # whose cookie tells who it is


def test_the_same_key_is_answered_again_though_there_is_room_for_no_other(tus: Tus) -> None:
    key = secrets.token_urlsafe(32)
    first = tus.post(Upload_Length="100", Idempotency_Key=key)
    for _ in range(2):
        tus.create(100)
    again = tus.post(Upload_Length="100", Idempotency_Key=key)
    assert (again.status_code, again.headers["location"]) == (201, first.headers["location"])
    assert refused(tus.post(Upload_Length="100", Idempotency_Key=secrets.token_urlsafe(32)))


def test_a_file_in_one_go_is_not_counted(tus: Tus) -> None:
    for _ in range(3):
        tus.create(100)
    assert tus.service.upload()["status"] == "converting"


def test_addresses_are_forgotten_in_time(tus: Tus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd, "MOST_ADDRESSES", 1)
    counting = crowd.Crowd(1)
    upload_id = id_of(tus.create(100))
    first, second = crowd.Client(None, "192.0.2.1"), crowd.Client(None, "192.0.2.2")
    with tus.service.sessions() as session:
        counting.began(first, upload_id)
        with pytest.raises(Problem):
            counting.refuse_another(session, first)
        counting.began(second, upload_id)
        counting.refuse_another(session, first)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("a socket", "a socket"),
        (None, ""),
    ],
)
def test_an_address_is_what_one_client_has_alone(host: str | None, address: str) -> None:
    scope: dict[str, Any] = {"type": "http", "headers": [], "client": host and (host, 1)}
    assert crowd.client_of(Request(scope)) == crowd.Client(None, address)
