"""Whatever ends a request early has one answer: its own code, with its own status."""

import socket

import httpx
import pytest

from app.api import database
from app.api.answers import problem_of
from app.ingest import refusals
from tests.app.api.conftest import Serve
from tests.app.api.resumable.conftest import Tus, answer_of, png
from tests.polling import poll

ANSWERS: list[tuple[Exception, int, str]] = [
    (refusals.BadLength(), 400, "bad_length"),
    (refusals.TooLarge(1000), 413, "too_large"),
    (refusals.NoRoom(), 507, "no_room"),
    (refusals.StorageAway(), 503, "storage_away"),
    (refusals.EncodedBody("gzip"), 415, "encoded_body"),
    (refusals.BodyTooSlow(60), 408, "body_too_slow"),
    (refusals.BadMultipart("it is malformed"), 400, "bad_form"),
    (refusals.NoFile(), 400, "no_file"),
    (refusals.EmptyFile(), 422, "empty_file"),
    (database.DatabaseAway(), 503, "database_away"),
    (database.DatabaseFull(), 503, "database_full"),
    (database.DatabaseReadOnly(), 503, "database_read_only"),
    (database.NotOpen(), 503, "not_open"),
    (ValueError(), 500, "internal"),
]


@pytest.mark.parametrize(("error", "status", "code"), ANSWERS, ids=[one[2] for one in ANSWERS])
def test_each_has_its_code_and_its_status(error: Exception, status: int, code: str) -> None:
    problem = problem_of(error)
    assert (problem.code, problem.status) == (code, status)


def test_no_refusal_of_a_body_is_left_out() -> None:
    nobody_reads_it = {refusals.ClientGone}
    assert {type(error) for error, _, _ in ANSWERS} | nobody_reads_it >= {
        one for one in refusals.Refusal.__subclasses__() if one.__module__ == refusals.__name__
    }


def test_a_form_is_told_what_is_wrong_with_it() -> None:
    detail = problem_of(refusals.BadMultipart("it is malformed")).document["detail"]
    assert detail == "The form cannot be read: it is malformed."


def test_a_broken_form_is_a_bad_form(serve: Serve) -> None:
    answer = serve().client.post(
        "/uploads",
        content=b"--b\r\nContent-Disposition: form-data; name=file; filename=a.png\r\n\r\nhalf of",
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_form")
    assert "ends before its closing boundary" in answer.json()["detail"]


def test_a_body_that_stops_coming_is_too_slow(serve: Serve) -> None:
    url = httpx.URL(serve(body_timeout_seconds=0.3).url)
    with socket.create_connection((url.host, url.port or 80), timeout=30) as client:
        client.sendall(b"PUT /uploads/a.png HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
        answer = answer_of(client)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"body_too_slow"' in answer


def test_a_resumable_upload_is_let_go_when_the_service_ends(serve: Serve) -> None:
    """And who comes then to go on is told the same."""
    tus = Tus(serve())

    @tus.service.app.get("/end")
    async def end() -> None:
        tus.service.app.state.parts.turns.close()

    path, content = tus.create(2000), png(2000)
    with tus.hanging(path, content[:500], at=0, length=2000) as sending:
        poll(lambda: tus.service.document(path)["received"] == 500)
        assert tus.service.client.get("/end").status_code == 200
        answer = answer_of(sending)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b'"ending"' in answer
    assert b"upload-offset: 500" in answer
    late = tus.patch(path, content[500:], at=500)
    assert (late.status_code, late.json()["code"]) == (503, "ending")
    assert late.headers["retry-after"] == "2"
