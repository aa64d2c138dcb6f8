"""A body that is the file itself, sent over a real connection."""

import contextlib
import hashlib
import os
from collections.abc import Callable

import pytest

from app.ingest.received import Glimpse
from app.ingest.refusals import (
    BadLength,
    BodyTooSlow,
    ClientGone,
    EmptyFile,
    EncodedBody,
    NoRoom,
    TooLarge,
)
from tests.app.ingest.lab import MIB, Lab, Unwanted, eventually, head, until_closed

StartLab = Callable[..., Lab]


@pytest.mark.parametrize("size", [1, 1000, MIB - 1, MIB, MIB + 1, 3 * MIB + 12345])
def test_a_body_arrives_whole_and_its_hash_is_true(lab: Lab, size: int) -> None:
    content = os.urandom(size)
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {size}", "Connection: close") + content)
        assert until_closed(client).startswith(b"HTTP/1.1 200")
    received = lab.received
    assert received.size == size
    assert received.name == "photo.png"
    assert received.sha256 == hashlib.sha256(content).hexdigest()
    assert received.part == lab.storage.incoming(received.upload_id)
    assert received.part.read_bytes() == content
    assert received.part.stat().st_mode & 0o777 == 0o600


def test_a_body_without_a_length_arrives_whole(lab: Lab) -> None:
    pieces = [os.urandom(length) for length in (1, 70_000, 2 * MIB, 13)]
    lab.post(pieces)
    assert lab.received.part.read_bytes() == b"".join(pieces)


def test_the_format_is_known_from_the_bytes_whatever_the_name_says(lab: Lab) -> None:
    lab.post([b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(2000) + b"\n%%EOF\n"])
    assert lab.received.format == "pdf"


def test_a_received_file_can_be_discarded(lab: Lab) -> None:
    lab.post([b"hello"])
    lab.received.discard()
    assert lab.leftovers() == []


def test_a_length_over_the_limit_is_refused_before_a_byte_is_sent(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    with lab.client() as client:
        client.sendall(head("Content-Length: 1001"))
        assert b"TooLarge" in client.recv(65536)
    assert isinstance(lab.outcome(), TooLarge)


def test_a_body_at_the_limit_is_taken(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    lab.post([bytes(1000)])
    assert lab.received.size == 1000


def test_a_body_without_a_length_is_cut_off_at_the_limit(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=2 * MIB)
    lab.post([bytes(65536)] * 2048)
    assert isinstance(lab.outcome(), TooLarge)
    assert lab.leftovers() == []


def test_a_disk_without_room_is_told_before_a_byte_is_sent(start_lab: StartLab) -> None:
    lab = start_lab(reserve=10**18)
    with lab.client() as client:
        client.sendall(head("Content-Length: 10"))
        assert b"NoRoom" in client.recv(65536)
    assert isinstance(lab.outcome(), NoRoom)


def test_a_body_without_a_length_does_not_touch_the_reserve(start_lab: StartLab) -> None:
    lab = start_lab(reserve=10**18)
    lab.post([bytes(100)])
    assert isinstance(lab.outcome(), NoRoom)
    assert lab.leftovers() == []


def test_a_client_that_asks_first_is_refused_without_sending(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=10)
    with lab.client() as client:
        client.sendall(head("Content-Length: 11", "Expect: 100-continue"))
        assert client.recv(65536).startswith(b"HTTP/1.1 400")


def test_a_client_that_asks_first_is_told_to_go_on(lab: Lab) -> None:
    with lab.client() as client:
        client.sendall(head("Content-Length: 5", "Expect: 100-continue", "Connection: close"))
        assert client.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"hello")
        assert until_closed(client).startswith(b"HTTP/1.1 200")


def test_an_encoded_body_is_refused(lab: Lab) -> None:
    lab.post([b"\x1f\x8b"], "Content-Encoding: gzip")
    assert isinstance(lab.outcome(), EncodedBody)


def test_the_encoding_identity_is_none(lab: Lab) -> None:
    lab.post([b"hello"], "Content-Encoding: Identity")
    assert lab.received.size == 5


@pytest.mark.parametrize("headers", [["Content-Length: 0"], []])
def test_zero_bytes_are_an_empty_file(lab: Lab, headers: list[str]) -> None:
    with lab.client() as client:
        client.sendall(head("Connection: close", *headers))
        assert b"EmptyFile" in until_closed(client)
    assert isinstance(lab.outcome(), EmptyFile)
    assert lab.leftovers() == []


def test_zero_bytes_in_chunks_are_an_empty_file(lab: Lab) -> None:
    lab.post([])
    assert isinstance(lab.outcome(), EmptyFile)
    assert lab.leftovers() == []


def test_a_silent_client_is_given_up_and_nothing_of_it_is_kept(start_lab: StartLab) -> None:
    lab = start_lab(idle_seconds=0.3)
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {8 * MIB}") + bytes(3 * MIB))
        assert b"BodyTooSlow" in client.recv(65536)
    assert isinstance(lab.outcome(), BodyTooSlow)
    assert lab.leftovers() == []


def test_a_client_that_drips_is_given_up_although_it_is_never_silent(start_lab: StartLab) -> None:
    lab = start_lab(idle_seconds=0.5)
    with lab.client() as client:
        client.sendall(head("Content-Length: 1000"))

        def drip() -> bool:
            client.sendall(b".")
            return bool(lab.outcomes)

        eventually(drip)
    assert isinstance(lab.outcome(), BodyTooSlow)
    assert lab.leftovers() == []


@pytest.mark.parametrize("sent", [0, 10, 3 * MIB])
def test_a_client_that_hangs_up_leaves_no_trace(lab: Lab, sent: int) -> None:
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {8 * MIB}") + bytes(sent))
    assert isinstance(lab.outcome(), ClientGone)
    assert lab.leftovers() == []


def test_a_gate_ends_a_large_upload_after_its_first_mebibyte(lab: Lab) -> None:
    seen: list[Glimpse] = []

    def only_images(glimpse: Glimpse) -> None:
        seen.append(glimpse)
        raise Unwanted

    lab.gate = only_images
    sent = 0
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {60 * MIB}") + b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while sent < 59 * MIB:
                sent += client.send(bytes(65536))
    assert sent < 30 * MIB
    assert isinstance(lab.outcome(), Unwanted)
    assert seen == [Glimpse(name="photo.png", format="pdf", fields={})]
    assert lab.leftovers() == []


def test_a_gate_is_asked_once_and_only_for_large_uploads(lab: Lab) -> None:
    seen: list[Glimpse] = []
    lab.gate = seen.append
    lab.post([bytes(MIB - 1)])
    assert seen == []
    lab.post([bytes(MIB)] * 4)
    assert len(seen) == 1


@pytest.mark.parametrize("length", ["ten", "-1", "+5", "\N{SUPERSCRIPT TWO}", "9" * 30])
def test_a_length_that_is_no_number_is_refused(length: str, lab: Lab) -> None:
    from app.ingest.headers import declared_size  # servers refuse most of these themselves
    from tests.app.ingest.direct import request

    asked = request([], headers={"content-length": length})
    with pytest.raises((BadLength, TooLarge)):
        declared_size(asked, limit=1000)
