"""The row of an Idempotency-Key: whose it is for now, and what stands for its request."""

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select, text

from app.api import idempotency
from app.models import IdempotencyKey
from tests.app.api.conftest import PNG, Service
from tests.app.api.test_idempotency import key, send
from tests.polling import poll

__all__ = ["key"]

FIXED = "0b9d0c43-4e5d-4c0a-9d2e-3a0f6f9f6c11"
FORM = (
    "8d96ecd27bc983c51f1cb214e9e34b52663c9687561938ea5860cd740464275e"
    ".519cdd18f9d29c6646e0065a721d438e1f5a1a1336dea860929d549da0db4d15"
)


@pytest.mark.parametrize(
    ("way", "fingerprint"),
    [
        ("raw", "5b87cab783061c0ff32cbe1a4186b7fee9d1908f2f335ef1519bb90aca41b70e"),
        ("put", "a6dacae6be6bad9d38a71bbf540e52c8d72d580fe6e97e6ba619d5ac48f2f95b"),
        ("form", FORM),
        ("tus", "1908e920554210a2fd6691b29f88823c36c2a08be5b651b19390ef98d02089e1"),
    ],
)
def test_what_stands_for_a_request_is_the_same_in_every_release(
    service: Service, way: str, fingerprint: str
) -> None:
    """Whoever asks again after the service was replaced is refused if it is not."""
    send(service, way, FIXED)
    with service.sessions() as session:
        assert session.scalars(select(IdempotencyKey.fingerprint)).one() == fingerprint


def test_what_an_object_calls_itself_is_no_fact(key: str) -> None:
    mine = idempotency._reservation(key, "somebody", cookie="")
    with pytest.raises(TypeError):
        mine.sealed([uuid.uuid4()])


def test_two_keys_are_none(service: Service, key: str) -> None:
    lines = [("Idempotency-Key", key), ("Idempotency-Key", str(uuid.uuid4()))]
    answer = service.client.post("/uploads", content=PNG, headers=lines)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_key")


def test_a_key_is_held_as_long_as_its_request_takes(
    service: Service, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "RENEW_SECONDS", 0.1)
    go_on = threading.Event()

    def slow() -> Iterator[bytes]:
        yield PNG[:10]
        go_on.wait(30)
        yield PNG[10:]

    def send_slowly() -> int:
        given = {"Idempotency-Key": key}
        answer = service.client.post("/uploads?name=a.png", content=slow(), headers=given)
        return answer.status_code

    with ThreadPoolExecutor(1) as clients:
        first = clients.submit(send_slowly)
        poll(lambda: is_held(service))
        with service.sessions.begin() as session:
            session.execute(text("UPDATE idempotency_keys SET held_until = now() - interval '1 s'"))
        poll(lambda: is_held(service))
        go_on.set()
        assert first.result() == 202


def is_held(service: Service) -> bool:
    held = select(func.count()).where(IdempotencyKey.held_until > func.now())
    with service.sessions() as session:
        return bool(session.scalar(held))
