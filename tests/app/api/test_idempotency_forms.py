"""A form that is sent again under its Idempotency-Key: its fields count, wherever they stand."""

from typing import Any

import pytest
from sqlalchemy import text

from tests.app.api.conftest import PNG, Service
from tests.app.api.test_idempotency import key, uploads

__all__ = ["key"]

FORMS: dict[str, dict[str, Any]] = {
    "another format": {"data": {"to": "gif"}},
    "another option": {"data": {"to": "jpg", "quality": "99"}},
    "one option less": {"data": {"to": "jpg"}},
    "another name": {"name": "b.png"},
}


def send_form(
    service: Service,
    key: str,
    *,
    name: str = "a.png",
    data: dict[str, str] | None = None,
    late: bool = False,
    content: bytes = PNG,
) -> Any:
    """Send a form, its fields before or after its file, that is as long as the others here."""
    given = {"to": "jpg", "quality": "11"} if data is None else data
    fields = [(field, (None, value.encode())) for field, value in given.items()]
    file = ("file", (name, content))
    shape: list[Any] = [file, *fields] if late else [*fields, file]
    request = service.client.build_request("POST", "/uploads", files=shape)
    body = request.read().ljust(len(content) + 1000)  # what stands after a form is let be
    headers = {"Idempotency-Key": key, "Content-Type": request.headers["content-type"]}
    return service.client.post("/uploads", content=body, headers=headers)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("other", FORMS)
def test_another_form_of_the_same_length_is_another_request(
    service: Service, key: str, other: str, late: bool
) -> None:
    first = send_form(service, key, late=late)
    assert first.status_code == 202, first.text
    second = send_form(service, key, late=late, **FORMS[other])
    assert (second.status_code, second.json()["code"]) == (422, "key_reused")
    assert send_form(service, key, late=late).json()["id"] == first.json()["id"]
    assert uploads(service) == 1


def test_the_file_itself_is_not_the_form_that_was_sent(service: Service, key: str) -> None:
    assert send_form(service, key).status_code == 202
    raw = service.client.post(
        "/uploads", content=PNG.ljust(len(PNG) + 1000), headers={"Idempotency-Key": key}
    )
    assert (raw.status_code, raw.json()["code"]) == (422, "key_reused")


def test_a_form_of_a_release_that_kept_no_imprint_is_answered_as_before(
    service: Service, key: str
) -> None:
    first = send_form(service, key)
    with service.sessions.begin() as session:
        session.execute(
            text("UPDATE idempotency_keys SET fingerprint = split_part(fingerprint, '.', 1)")
        )
    assert send_form(service, key).json()["id"] == first.json()["id"]


@pytest.mark.parametrize("late", [False, True])
def test_nothing_of_a_repeated_form_is_kept(service: Service, key: str, late: bool) -> None:
    large = PNG.ljust(40 * 1024**2, b"\0")
    first = send_form(service, key, content=large, late=late)
    assert first.status_code == 202, first.text
    before = set((service.settings.data / "incoming").iterdir())
    assert send_form(service, key, content=large, late=late).json()["id"] == first.json()["id"]
    assert set((service.settings.data / "incoming").iterdir()) == before


def test_a_repeated_form_is_read_as_far_as_its_file(service: Service, key: str) -> None:
    sent = 0
    boundary = b"--edge\r\nContent-Disposition: form-data; name="
    start = boundary + b'"to"\r\n\r\nwebp\r\n' + boundary
    start += b'"file"; filename="a.png"\r\n\r\n' + PNG

    def body(most: int) -> Any:
        nonlocal sent
        yield start
        for _ in range(most):
            sent += 1024**2
            yield bytes(1024**2)
        yield b"\r\n--edge--\r\n"

    headers = {"Idempotency-Key": key, "Content-Type": "multipart/form-data; boundary=edge"}
    first = service.client.post("/uploads", content=body(1), headers=headers)
    second = service.client.post("/uploads", content=body(100), headers=headers)
    assert second.json()["id"] == first.json()["id"]
    assert sent < 40 * 1024**2  # what lies in the buffers of both sides
