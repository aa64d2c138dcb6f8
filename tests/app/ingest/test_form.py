"""The push parser alone: every cut, every field, every way to be broken."""

import gc
import random
import time
from collections.abc import Callable, Iterable, Iterator

import pytest

from app.ingest.form import Form
from app.ingest.limits import Limits
from app.ingest.refusals import BadMultipart, NoFile
from tests.app.ingest.lab import BOUNDARY, field, file_part, form, part

Parsed = tuple[str, bytes, dict[str, list[str]]]

CRLF_TORTURE = (
    b"\r\n\r\r\n\n--\r\n-\r\n--" + BOUNDARY[:-1].encode() + b"\r\n--" + BOUNDARY.encode() + b"X"
    b"\r\n--" + BOUNDARY.encode() + b"-\r\r\n--" + BOUNDARY.encode() + b"\r\r\n\r"
)


@pytest.fixture(autouse=True)
def _no_collections() -> Iterator[None]:
    """To look through the objects of thousands of tests takes longer than the parser may."""
    gc.disable()
    yield
    gc.enable()


def parse(pieces: Iterable[bytes], **limits: int) -> Parsed:
    """Return the file's name, its bytes and the fields."""
    content = bytearray()
    parser = Form(
        BOUNDARY.encode(), limits=Limits(**{"max_bytes": 2**40, **limits}), keep=content.extend
    )
    for piece in pieces:
        parser.feed(piece)
    return parser.finish(), bytes(content), parser.fields


TORTURED = form(field("to", b"webp"), file_part(CRLF_TORTURE), field("quality", b"8\r\n-0"))
EXPECTED: Parsed = ("a.png", CRLF_TORTURE, {"to": ["webp"], "quality": ["8\r\n-0"]})


def test_fields_may_stand_before_and_after_the_file() -> None:
    assert parse([TORTURED]) == EXPECTED


def test_a_form_cut_anywhere_is_the_same_form() -> None:
    for cut in range(len(TORTURED) + 1):
        assert parse([TORTURED[:cut], TORTURED[cut:]]) == EXPECTED, cut


def test_a_form_that_comes_byte_by_byte_is_the_same_form() -> None:
    assert parse(TORTURED[i : i + 1] for i in range(len(TORTURED))) == EXPECTED


def test_a_form_cut_at_random_is_the_same_form() -> None:
    chance = random.Random(7)
    for _ in range(300):
        cuts = sorted(chance.choices(range(len(TORTURED)), k=chance.randrange(2, 12)))
        ends = [*cuts, len(TORTURED)]
        assert parse(TORTURED[a:b] for a, b in zip([0, *cuts], ends, strict=True)) == EXPECTED


def test_a_repeated_field_keeps_all_its_values_in_order() -> None:
    body = form(field("to", b"webp"), file_part(b"x"), field("to", b"avif"), field("to", b""))
    assert parse([body])[2] == {"to": ["webp", "avif", ""]}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('filename="plain.png"', "plain.png"),
        ("filename=token.png", "token.png"),
        ('filename="with;semicolon.png"', "with;semicolon.png"),
        (r'filename="quote\"d.png"', 'quote"d.png'),
        ('filename="quote%22d.png"', 'quote"d.png'),
        ('filename="two%0D%0Alines.png"', "two\r\nlines.png"),
        ('filename="100%25.png"', "100%25.png"),
        ('filename="тест 日本語 🙂.heic"', "тест 日本語 🙂.heic"),
        ('filename="../../etc/passwd"', "../../etc/passwd"),
        ('filename="a\x00b.png"', "a\x00b.png"),
        ('filename="\u202egnp.exe"', "\u202egnp.exe"),
        ("filename=\"plain.png\"; filename*=UTF-8''other.png", "plain.png"),
        ('filename="plain.png"; filename*0="o"; filename*1="ther"', "plain.png"),
        ('filename="' + "x" * 3000 + '"', "x" * 3000),
    ],
)
def test_the_name_is_passed_on_as_it_was_meant(written: str, name: str) -> None:
    assert parse([form(file_part(b"x", filename=written))])[0] == name


def test_a_name_in_an_old_encoding_is_read_as_latin_1() -> None:
    body = form(file_part(b"x", filename='filename="é.png"')).replace("é".encode(), b"\xe9")
    assert parse([body])[0] == "é.png"


def test_a_file_input_that_was_left_empty_is_no_file() -> None:
    empty = file_part(b"", name="second", filename='filename=""')
    assert parse([form(empty, file_part(b"x"), empty)])[1] == b"x"
    with pytest.raises(NoFile):
        parse([form(empty)])


def test_bytes_without_a_name_are_a_file_all_the_same() -> None:
    assert parse([form(file_part(b"x", filename='filename=""'))])[:2] == ("", b"x")


def test_a_form_without_a_file_is_told_apart() -> None:
    for body in (form(), form(field("to", b"webp")), form(field("file", b"no filename"))):
        with pytest.raises(NoFile):
            parse([body])


def test_an_epilogue_within_bounds_is_ignored() -> None:
    assert parse([TORTURED, b"\r\nepilogue\r\n"]) == EXPECTED


def long_header(length: int) -> bytes:
    return part(f'Content-Disposition: form-data; name="a"\r\nX: {"x" * length}', b"")


BROKEN: dict[str, tuple[bytes, str]] = {
    "two files": (form(file_part(b"1"), file_part(b"2")), "more than one file"),
    "two files, one unnamed": (
        form(file_part(b"1"), file_part(b"2", filename='filename=""')),
        "more than one file",
    ),
    "no closing boundary": (form(file_part(b"1"))[:-4], "closing boundary"),
    "cut in the file": (form(file_part(b"x" * 100))[:-80], "closing boundary"),
    "nothing": (b"", "closing boundary"),
    "not a form": (b"hello", "malformed"),
    "another boundary": (b"--other\r\n\r\n\r\n--other--\r\n", "malformed"),
    "bare line feeds": (TORTURED.replace(b"\r\n", b"\n"), "malformed"),
    "no disposition": (form(part("X: y", b"1")), "Content-Disposition"),
    "no headers": (form(f"--{BOUNDARY}\r\n\r\n1\r\n".encode()), "Content-Disposition"),
    "no name": (form(part('Content-Disposition: form-data; filename="x"', b"1")), "name"),
    "attachment": (form(part('Content-Disposition: attachment; name="x"', b"1")), "form-data"),
    "same header twice": (
        form(part('Content-Disposition: form-data; name="a"\r\nX: 1\r\nx: 2', b"1")),
        "twice",
    ),
    "base64": (
        form(
            part(
                'Content-Disposition: form-data; name="f"; filename="f"\r\n'
                "Content-Transfer-Encoding: base64",
                b"aGVsbG8=",
            )
        ),
        "Content-Transfer-Encoding",
    ),
    "field not UTF-8": (form(field("to", b"\xff")), "UTF-8"),
    "fields too long": (form(field("a", b"x" * 40_000), field("b", b"x" * 40_000)), "65536 bytes"),
    "too many parts": (form(*[field("a", b"1")] * 65), "64 parts"),
    "header too long": (form(long_header(5000)), "malformed"),
    "too many headers": (form(part("\r\n".join(f"X{i}: y" for i in range(9)), b"")), "malformed"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("size", [1, 7, 2**20])
def test_a_broken_form_is_refused_with_the_reason(name: str, size: int) -> None:
    body, reason = BROKEN[name]
    with pytest.raises(BadMultipart, match=reason):
        parse(body[i : i + size] for i in range(0, len(body), size))


def endless(piece: bytes) -> Callable[[], Iterable[bytes]]:
    """A quarter of a gigabyte of the same."""
    message = (piece * (65536 // len(piece) + 1))[:65536]
    return lambda: (message for _ in range(4096))


def after(start: bytes, piece: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: iter([start, *endless(piece)()])


IN_THE_FILE = form(file_part(b"x"))[: -len(BOUNDARY) - 8]
DELIMITER = b"\r\n--" + BOUNDARY.encode()

MALICIOUS: dict[str, Callable[[], Iterable[bytes]]] = {
    "preamble of line ends": endless(b"\r\n"),
    "preamble of hyphens": after(b"\r\n", b"\r\n"),
    "epilogue": after(form(file_part(b"x")), b"\r\n"),
    "boundaries that almost match": after(IN_THE_FILE, DELIMITER + b"X"),
    "last boundaries that almost match": after(IN_THE_FILE, DELIMITER + b"-X"),
    "padding after a boundary": after(IN_THE_FILE + DELIMITER, b" \t"),
    "a header name without end": after(f"--{BOUNDARY}\r\n".encode(), b"x"),
    "a header value without end": after(f"--{BOUNDARY}\r\nX:".encode(), b" "),
    "headers without end": after(f"--{BOUNDARY}\r\n".encode(), b"X: y\r\n"),
    "parts without end": endless(field("a", b"")),
    "a field without end": after(form(field("a", b"x"))[: -len(BOUNDARY) - 8], b"x"),
    "semicolons in a disposition": lambda: [
        form(part(f"Content-Disposition: {';' * 4000}", b"")) * 1000
    ],
    "quotes in a disposition": lambda: [
        form(part("Content-Disposition: form-data; " + 'a="\\";' * 600, b"")) * 1000
    ],
}


@pytest.mark.parametrize("name", MALICIOUS)
def test_a_malicious_form_is_refused_before_it_has_cost_five_seconds(name: str) -> None:
    began = time.thread_time()
    with pytest.raises(BadMultipart):
        parse(MALICIOUS[name]())
    assert time.thread_time() - began < 5


@pytest.mark.parametrize("filler", [b"\r", b"\r\n", b"\r\n--", DELIMITER[:-1]])
def test_an_honest_file_full_of_line_ends_is_taken_and_costs_little(filler: bytes) -> None:
    taken = 0

    def count(piece: memoryview) -> None:
        nonlocal taken
        taken += len(piece)

    parser = Form(BOUNDARY.encode(), limits=Limits(max_bytes=2**40), keep=count)
    body = list(after(IN_THE_FILE, filler)())
    began = time.thread_time()
    for piece in body:
        parser.feed(piece)
    assert time.thread_time() - began < 2
    parser.feed(DELIMITER + b"--\r\n")
    parser.finish()
    assert taken > 250_000_000
