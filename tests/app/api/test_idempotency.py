"""Idempotency-Key: whatever is sent again under it, there is one upload."""

import secrets
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select, text

from app.api import idempotency
from app.api.errors import Problem
from app.api.owners import COOKIE
from app.models import IdempotencyKey, Upload
from tests import plain
from tests.app.api.conftest import PNG, Service
from tests.polling import poll

TUS = {"Tus-Resumable": "1.0.0"}
PIECES = "application/offset+octet-stream"


@pytest.fixture
def key() -> str:
    return str(uuid.uuid4())


def uploads(service: Service) -> int:
    with service.sessions() as session:
        return session.scalar(select(func.count()).select_from(Upload)) or 0


def send(service: Service, way: str, key: str, content: bytes = PNG, **headers: str) -> Any:
    given = {"Idempotency-Key": key, **headers}
    match way:
        case "raw":
            return service.client.post("/uploads?name=a.png", content=content, headers=given)
        case "form":
            files = {"file": ("a.png", content)}
            return service.client.post("/uploads", files=files, data={"to": "webp"}, headers=given)
        case "put":
            return service.client.put("/uploads/a.png?to=webp", content=content, headers=given)
        case "tus":
            given |= {**TUS, "Upload-Length": str(len(content))}
            return service.client.post("/uploads", headers=given)
        case _:
            given |= {**TUS, "Upload-Length": str(len(content)), "Content-Type": PIECES}
            return service.client.post("/uploads", content=content, headers=given)


WAYS = ["raw", "form", "put", "tus", "tus with bytes"]


@pytest.mark.parametrize("way", WAYS)
def test_the_same_again_is_answered_as_before_and_makes_nothing(
    service: Service, key: str, way: str
) -> None:
    first, second = send(service, way, key), send(service, way, key)
    assert first.status_code == second.status_code
    assert first.status_code in {201, 202}
    assert first.headers["location"] == second.headers["location"]
    assert first.headers.get("upload-offset") == second.headers.get("upload-offset")
    assert first.content == second.content
    assert uploads(service) == 1


@pytest.mark.parametrize("way", WAYS)
def test_another_request_under_the_key_is_refused(service: Service, key: str, way: str) -> None:
    send(service, way, key)
    other = send(service, way, key, content=PNG + b"more")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert uploads(service) == 1


def test_options_make_another_request(service: Service, key: str) -> None:
    headers = {"Idempotency-Key": key}
    service.client.put("/uploads/a.png?to=webp", content=PNG, headers=headers)
    for path in ("/uploads/a.png?to=jpg", "/uploads/b.png?to=webp", "/uploads/a.png"):
        answer = service.client.put(path, content=PNG, headers=headers)
        assert answer.json()["code"] == "key_reused"


def test_two_at_once_make_one_upload(service: Service, key: str) -> None:
    with ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(lambda _: send(service, "raw", key), range(8)))
    statuses = {answer.status_code for answer in answers}
    assert 202 in statuses <= {202, 409}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} <= {
        "key_in_use"
    }
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 202}) == 1
    assert uploads(service) == 1


def test_while_the_first_is_under_way_the_second_is_told_to_wait(
    service: Service, key: str
) -> None:
    go_on = threading.Event()

    def slow() -> Any:
        yield PNG[:10]
        go_on.wait(30)
        yield PNG[10:]

    def run() -> Any:
        headers = {"Idempotency-Key": key}
        return service.client.post("/uploads?name=a.png", content=slow(), headers=headers)

    with ThreadPoolExecutor(1) as clients:
        first = clients.submit(run)
        poll(lambda: _held(service))
        second = service.client.post(
            "/uploads?name=a.png", content=iter([PNG]), headers={"Idempotency-Key": key}
        )
        assert (second.status_code, second.json()["code"]) == (409, "key_in_use")
        assert second.headers["retry-after"] == "1"
        go_on.set()
        assert first.result().status_code == 202


def test_a_refused_request_leaves_the_key_free(service: Service, key: str) -> None:
    nothing = b"\x01\x02\x03nothing\x00\xff".ljust(len(PNG), b"\x00")
    assert send(service, "raw", key, content=nothing).status_code == 415
    assert send(service, "raw", key).status_code == 202


def test_a_key_that_nobody_holds_any_more_can_be_taken_over_and_not_be_bound_by_the_first(
    service: Service, key: str
) -> None:
    """A process was killed, or frozen, while it held the key."""

    def hold() -> Any:
        maker = service.sessions
        mine = idempotency._reservation(key, "somebody", cookie="")
        return idempotency._reserve(maker, mine)

    frozen = hold()
    with pytest.raises(Problem, match="still running"):
        hold()
    with service.sessions.begin() as session:
        session.execute(text("UPDATE idempotency_keys SET held_until = now() - interval '1 s'"))
    successor = hold()
    with service.sessions() as session, pytest.raises(Problem):
        frozen.settle(session, uuid.uuid4())
    path = service.upload()["id"]
    with service.sessions.begin() as session:
        successor.settle(session, uuid.UUID(path))
    assert hold().upload_id == uuid.UUID(path)


def test_after_a_day_a_key_is_new_again(service: Service, key: str) -> None:
    send(service, "raw", key)
    with service.sessions.begin() as session:
        session.execute(text("UPDATE idempotency_keys SET expires_at = now()"))
    assert send(service, "put", key).status_code == 202
    assert uploads(service) == 2


def test_old_keys_are_forgotten_when_new_ones_come(service: Service, key: str) -> None:
    send(service, "raw", key)
    with service.sessions.begin() as session:
        session.execute(text("UPDATE idempotency_keys SET expires_at = now()"))
    send(service, "raw", str(uuid.uuid4()))
    with service.sessions() as session:
        assert session.scalar(select(func.count()).select_from(IdempotencyKey)) == 1


def test_what_was_deleted_does_not_come_back_under_its_key(service: Service, key: str) -> None:
    path = send(service, "raw", key).headers["location"]
    service.client.delete(path)
    answer = send(service, "raw", key)
    assert (answer.status_code, answer.json()["code"]) == (410, "deleted")


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "short",
        "abcdefghijklmnopqrstu",
        "a" * 60,
        "abcdefgh" * 32,
        "twenty two chars, spaces",
    ],
)
def test_a_key_that_can_be_guessed_is_refused(service: Service, bad: str) -> None:
    with plain.Client(base_url=service.url, timeout=30) as client:
        anonymous = replace(service, client=client)
        for way in WAYS:
            answer = send(anonymous, way, bad)
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_key"), way
            assert "22" in answer.json()["hint"]
    assert uploads(service) == 0


@pytest.mark.parametrize("own", ["a", "order-4711-a", "a" * 60])
def test_a_browser_may_have_keys_that_others_can_guess(
    service: Service, key: str, own: str
) -> None:
    made = []
    for cookie in (secrets.token_urlsafe(32), secrets.token_urlsafe(32)):
        given = {COOKIE: cookie}
        with plain.Client(base_url=service.url, timeout=30, cookies=given) as client:
            one = replace(service, client=client)
            first, second = send(one, "raw", own), send(one, "raw", own)
        assert first.status_code == second.status_code == 202
        assert first.json() == second.json()
        made.append(first.json())
    assert made[0]["id"] != made[1]["id"]
    assert made[0]["manage"] != made[1]["manage"]


def test_the_token_of_a_key_that_can_be_guessed_takes_the_cookie_too(
    service: Service,
) -> None:
    """Whoever reads the rows can try out short keys, and finds no token by it."""
    document = send(service, "raw", "order-1").json()
    with service.sessions() as session:
        row = session.scalars(select(IdempotencyKey)).one()
    assert idempotency._token("order-1", row.holder) != document["manage"]


@pytest.mark.parametrize("bad", ["", "a" * 256, "two words", "ünïcode"])
def test_even_a_browsers_key_is_a_printable_word(service: Service, bad: str) -> None:
    given = {b"Idempotency-Key": bad.encode()}
    answer = service.client.post("/uploads", content=PNG, headers=given)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_key")


def test_what_is_kept_of_a_request_cannot_be_guessed_without_its_key(service: Service) -> None:
    """Its options may hold a password, which is to be gone when the job has ended."""
    for _ in range(2):
        assert send(service, "put", str(uuid.uuid4())).status_code == 202
    with service.sessions() as session:
        one, other = session.scalars(select(IdempotencyKey.fingerprint))
    assert one != other


def test_quotes_around_a_key_do_not_count(service: Service, key: str) -> None:
    send(service, "raw", f'"{key}"')
    assert send(service, "raw", key).status_code == 202
    assert uploads(service) == 1


def test_the_key_itself_is_not_kept(service: Service, key: str) -> None:
    send(service, "raw", key)
    with service.sessions() as session:
        row = session.scalars(select(IdempotencyKey)).one()
    assert key not in {row.digest, row.fingerprint}


def test_a_repeated_upload_is_answered_before_its_body_is_read(service: Service, key: str) -> None:
    sent = 0

    def body(most: int) -> Any:
        nonlocal sent
        for _ in range(most):
            sent += 1024**2
            yield PNG.ljust(1024**2, b"\0")

    headers = {"Idempotency-Key": key}
    first = service.client.post("/uploads", content=body(1), headers=headers)
    second = service.client.post("/uploads", content=body(100), headers=headers)
    assert second.json()["id"] == first.json()["id"]
    assert sent < 40 * 1024**2  # what lies in the buffers of both sides


def _held(service: Service) -> bool:
    with service.sessions() as session:
        return bool(session.scalar(select(func.count()).select_from(IdempotencyKey)))
