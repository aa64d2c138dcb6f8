"""A form sent over a real connection."""

import hashlib
import os
import random
from collections.abc import Callable

import pytest

from app.ingest.received import Glimpse
from app.ingest.refusals import BadMultipart, ClientGone, EmptyFile, NoFile, TooLarge
from tests.app.ingest.lab import (
    BOUNDARY,
    MIB,
    Lab,
    Unwanted,
    field,
    file_part,
    form,
    form_type,
    head,
    until_closed,
)

StartLab = Callable[..., Lab]
SLICES = [1, 17, 1000, 65_536, 255_001, 10**9]


def slices(body: bytes, length: int) -> list[bytes]:
    return [body[i : i + length] for i in range(0, len(body), length)]


def test_a_form_arrives_whole_with_its_fields(lab: Lab) -> None:
    content = os.urandom(3 * MIB + 777)
    body = form(field("to", b"webp"), file_part(content), field("quality", b"80"))
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {len(body)}", "Connection: close", form_type()))
        client.sendall(body)
        assert until_closed(client).startswith(b"HTTP/1.1 200")
    received = lab.received
    assert received.name == "a.png"
    assert received.fields == {"to": ["webp"], "quality": ["80"]}
    assert received.size == len(content)
    assert received.sha256 == hashlib.sha256(content).hexdigest()
    assert received.part.read_bytes() == content


@pytest.mark.parametrize("length", SLICES)
def test_a_form_in_slices_of_any_length_is_the_same_form(lab: Lab, length: int) -> None:
    content = (b"\r\n--" + BOUNDARY[:-1].encode() + b"\r" + os.urandom(50)) * 20
    body = form(field("to", b"webp"), file_part(content), field("quality", b"80"))
    lab.post(slices(body, length), form_type())
    assert lab.received.part.read_bytes() == content
    assert lab.received.fields == {"to": ["webp"], "quality": ["80"]}


@pytest.mark.parametrize("shift", range(-45, 5, 3))
def test_the_closing_boundary_may_lie_across_two_messages(lab: Lab, shift: int) -> None:
    """A server passes on at most 64 KiB and one read more: long bodies are cut where it likes."""
    content = os.urandom(MIB)
    body = form(file_part(content))
    cut = body.rindex(b"\r\n--") + 45 + shift
    lab.post([body[:cut], body[cut:]], form_type())
    assert lab.received.part.read_bytes() == content


def test_random_sizes_in_random_slices_arrive_whole(lab: Lab) -> None:
    chance = random.Random(11)
    for _ in range(12):
        content = chance.randbytes(chance.randrange(1, 2 * MIB))
        lab.post(slices(form(file_part(content)), chance.randrange(500, 400_000)), form_type())
        assert lab.received.sha256 == hashlib.sha256(content).hexdigest()
        assert lab.received.part.read_bytes() == content


def test_a_form_over_the_limit_is_refused_before_a_byte_is_sent(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {2 * MIB}", form_type()))
        assert b"TooLarge" in client.recv(65536)
    refusal = lab.outcome()
    assert isinstance(refusal, TooLarge)
    assert refusal.limit == 1000


def test_a_file_at_the_limit_is_taken_whatever_its_form_adds(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    body = form(field("note", b"x" * 5000), file_part(bytes(1000)))
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {len(body)}", "Connection: close", form_type()))
        client.sendall(body)
        assert until_closed(client).startswith(b"HTTP/1.1 200")


def test_a_file_one_byte_over_the_limit_is_cut_off(start_lab: StartLab) -> None:
    lab = start_lab(max_bytes=1000)
    lab.post([form(file_part(bytes(1001)))], form_type())
    assert isinstance(lab.outcome(), TooLarge)
    assert lab.leftovers() == []


def test_a_form_without_a_file_is_refused(lab: Lab) -> None:
    lab.post([form(field("to", b"webp"))], form_type())
    assert isinstance(lab.outcome(), NoFile)


def test_a_file_without_bytes_is_an_empty_file(lab: Lab) -> None:
    lab.post([form(file_part(b""))], form_type())
    assert isinstance(lab.outcome(), EmptyFile)
    assert lab.leftovers() == []


def test_a_second_file_takes_the_first_one_with_it(lab: Lab) -> None:
    lab.post([form(file_part(bytes(3 * MIB)), file_part(b"2"))], form_type())
    assert isinstance(lab.outcome(), BadMultipart)
    assert lab.leftovers() == []


def test_a_form_that_ends_too_early_leaves_no_trace(lab: Lab) -> None:
    lab.post([form(file_part(bytes(3 * MIB)))[:-20]], form_type())
    assert isinstance(lab.outcome(), BadMultipart)
    assert lab.leftovers() == []


def test_a_client_that_hangs_up_in_its_file_leaves_no_trace(lab: Lab) -> None:
    body = form(file_part(bytes(3 * MIB)))
    with lab.client() as client:
        client.sendall(head(f"Content-Length: {len(body)}", form_type()) + body[:-100])
    assert isinstance(lab.outcome(), ClientGone)
    assert lab.leftovers() == []


def test_a_gate_sees_the_fields_before_the_file(lab: Lab) -> None:
    seen: list[Glimpse] = []

    def refuse(glimpse: Glimpse) -> None:
        seen.append(glimpse)
        raise Unwanted

    lab.gate = refuse
    content = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(5 * MIB)
    lab.post(slices(form(field("to", b"webp"), file_part(content)), 65536), form_type())
    assert isinstance(lab.outcome(), Unwanted)
    assert seen == [Glimpse(name="a.png", format="pdf", fields={"to": ["webp"]})]
    assert lab.leftovers() == []


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary=""',
        "multipart/form-data; boundary=" + "x" * 257,
        "multipart/form-data; boundary=\xe9",
        "multipart/form-data; boundary=x; " + "a=b; " * 1000,
        "multipart/form-data; boundary" + ";" * 1000,
    ],
)
def test_a_form_without_a_usable_boundary_is_refused(lab: Lab, content_type: str) -> None:
    with lab.client() as client:
        client.sendall(head("Content-Length: 100", f"Content-Type: {content_type}"))
        assert b"BadMultipart" in client.recv(65536)


def test_a_quoted_boundary_in_another_case_is_understood(lab: Lab) -> None:
    body = form(file_part(b"x")).replace(BOUNDARY.encode(), b"it's (a) boundary")
    lab.post([body], """Content-Type: Multipart/Form-Data; Boundary="it's (a) boundary\"""")
    assert lab.received.size == 1
