"""Another job that is asked for again under its Idempotency-Key is made once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests import plain
from tests.app.api.conftest import Service
from tests.app.api.test_idempotency import key

__all__ = ["key"]


def ask(service: Service, key: str, path: str, **asked: Any) -> Any:
    asked = asked or {"json": {"to": "jpg", "options": {"quality": 50}}}
    return service.client.post(f"{path}/jobs", headers={"Idempotency-Key": key}, **asked)


@pytest.fixture
def path(service: Service) -> str:
    return str(service.upload()["links"]["self"])


def made(service: Service, path: str) -> list[str]:
    return [job["to"] for job in service.document(path)["jobs"]]


def test_the_same_again_makes_no_second_job(service: Service, key: str, path: str) -> None:
    first, second = ask(service, key, path), ask(service, key, path)
    assert first.status_code == second.status_code == 202
    assert first.json() == second.json()
    assert first.headers["location"] == second.headers["location"]
    assert "upload-manage" not in second.headers
    assert made(service, path) == ["webp", "jpg"]


@pytest.mark.parametrize(
    "asked", [{"json": {"to": "gif"}}, {"json": {"to": "jpg", "options": {"quality": 51}}}]
)
def test_another_wish_under_the_key_is_refused(
    service: Service, key: str, path: str, asked: Any
) -> None:
    assert ask(service, key, path).status_code == 202
    other = ask(service, key, path, **asked)
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    elsewhere = ask(service, key, service.upload()["links"]["self"])
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (422, "key_reused")
    assert made(service, path) == ["webp", "jpg"]


def test_many_at_once_make_one_job(service: Service, key: str, path: str) -> None:
    with ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(lambda _: ask(service, key, path), range(8)))
    assert 202 in {answer.status_code for answer in answers} <= {202, 409}
    assert made(service, path) == ["webp", "jpg"]


def test_a_refused_wish_leaves_the_key_free(service: Service, key: str, path: str) -> None:
    assert ask(service, key, path, json={"to": "mp3"}).status_code == 422
    assert ask(service, key, path).status_code == 202
    assert made(service, path) == ["webp", "jpg"]


def test_a_stranger_is_not_answered_under_a_key_that_is_known(service: Service, key: str) -> None:
    document = service.upload()
    own = document["links"]["self"]
    with plain.Client(base_url=service.url, timeout=30) as stranger:
        given = {"Idempotency-Key": key, "Upload-Manage": document["manage"]}
        assert stranger.post(f"{own}/jobs", json={"to": "jpg"}, headers=given).status_code == 202
        del given["Upload-Manage"]
        refused = stranger.post(f"{own}/jobs", json={"to": "jpg"}, headers=given)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_yours")
    assert made(service, own) == ["webp", "jpg"]
