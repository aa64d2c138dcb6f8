"""An early refusal reaches the client, and costs the server no more than a little reading."""

import asyncio
import contextlib
import http.client
import json
from collections.abc import Callable

import pytest
from starlette.types import Message

from app.ingest.farewell import Farewell
from tests.app.ingest.lab import MIB, Lab, file_part, form, form_type, head

StartLab = Callable[..., Lab]


@pytest.fixture
def slow_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it take far longer than any client here waits for its answer."""
    monkeypatch.setattr(Farewell, "seconds", 300.0)


@pytest.fixture
def short_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Farewell, "seconds", 0.5)


@pytest.mark.usefixtures("slow_drain")
def test_a_client_that_sends_all_before_it_reads_sees_the_answer(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    for _ in range(20):
        connection = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=60)
        connection.request("POST", "/photo.png", body=bytes(900_000))
        answer = connection.getresponse()
        assert answer.status == 400
        assert answer.headers["connection"] == "close"
        assert json.load(answer)["refused"] == "TooLarge"
        connection.close()


@pytest.mark.usefixtures("slow_drain")
def test_a_client_that_reads_while_it_sends_is_answered_at_once(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {100 * MIB}") + bytes(65536))
        assert b"TooLarge" in client.recv(65536)


@pytest.mark.usefixtures("short_drain")
def test_a_client_that_never_stops_is_cut_off(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    sent = 0
    with lab.client() as client, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        client.sendall(head(f"Content-Length: {2**40}"))
        while sent < 2**30:
            sent += client.send(bytes(65536))
    assert sent < 32 * MIB  # what the two sockets hold by themselves


@pytest.mark.usefixtures("short_drain")
def test_a_client_that_says_nothing_more_is_cut_off_in_time(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {MIB}"))
        while client.recv(65536):
            pass


def test_the_drain_reads_no_more_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Farewell, "seconds", 0.2)
    read = 0
    sent: list[Message] = []

    async def receive() -> Message:
        nonlocal read
        read += 65536
        return {"type": "http.request", "body": bytes(65536), "more_body": True}

    async def send(message: Message) -> None:
        sent.append({**message, "read before": read})

    scope = {"type": "http", "method": "POST", "headers": []}
    asyncio.run(Farewell("no", status_code=400)(scope, receive, send))
    assert read == Farewell.most_bytes
    assert [message.get("more_body") for message in sent] == [None, True, False]
    assert [message["read before"] for message in sent] == [0, 0, Farewell.most_bytes]


@pytest.mark.usefixtures("slow_drain")
def test_a_body_that_was_read_to_its_end_keeps_its_connection(lab: Lab) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=60)
    body = form(file_part(b""))
    kind, value = form_type().split(": ")
    for _ in range(3):
        connection.request("POST", "/photo.png", body=body, headers={kind: value})
        answer = connection.getresponse()
        assert json.load(answer)["refused"] == "EmptyFile"
        assert answer.headers["connection"] is None
    connection.close()
