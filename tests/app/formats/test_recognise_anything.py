"""Whatever the bytes are, recognising them neither raises nor takes long nor invents a format."""

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.formats.known import KNOWN
from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise
from app.formats.recognise.signatures import _SIGNATURES
from tests.app.formats.test_recognise_binary import SAMPLES as BINARY
from tests.app.formats.test_recognise_text import SAMPLES as TEXT
from tests.app.formats.test_recognise_zips import EXCEL, archive, compound, of

NAMES = {known.name for known in KNOWN}
SEEDS = [
    *(data for many in BINARY.values() for data in many),
    *(text.encode() for many in TEXT.values() for text in many),
    archive(of(EXCEL)),
    compound("Workbook", inside=("WordDocument",)),
]
MANY = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(
    head=st.binary(max_size=3000) | st.sampled_from(SEEDS),
    tail=st.binary(max_size=300),
    size=st.none() | st.integers(min_value=0, max_value=2**64),
)
def test_any_bytes_get_a_known_name_or_none(head: bytes, tail: bytes, size: int | None) -> None:
    found = recognise(head, tail, size=size)
    assert found is None or found in NAMES


@MANY
@given(seed=st.sampled_from(SEEDS), data=st.data())
def test_damaged_bytes_raise_nothing(seed: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(min_value=0, max_value=len(seed)))
    cut = data.draw(st.integers(min_value=0, max_value=len(seed)))
    damage = data.draw(st.binary(max_size=8))
    damaged = (seed[:at] + damage + seed[at + len(damage) :])[:cut]
    found = recognise(damaged, damaged[-100:], size=data.draw(st.none() | st.just(len(damaged))))
    assert found is None or found in NAMES


def test_every_truncation_of_every_sample_raises_nothing() -> None:
    for seed in SEEDS:
        for length in {*range(min(len(seed), 120)), *range(0, len(seed), 97)}:
            found = recognise(seed[:length], seed[:length][-50:], size=len(seed))
            assert found is None or found in NAMES


def test_noise_is_recognised_as_nothing() -> None:
    """20,000 pieces, from a fixed seed; shorter ones can be letters by pure chance."""
    noise = random.Random(2024)
    pieces = (noise.randbytes(noise.choice((24, 32, 40, 64, 100, 200, 700))) for _ in range(20_000))
    assert {piece: found for piece in pieces if (found := recognise(piece, piece))} == {}


SLOW = {
    "brackets": b"[",
    "braces": b'{"',
    "links": b"[[](",
    "lines": b"\n",
    "spaces": b" ",
    "tabs": b"\t",
    "comments": b"<!---->",
    "declarations": b"<?",
    "subsets": b"<!DOCTYPE a [ ] ",
    "members": b"PK\3\4\x14\0" + bytes(20) + b"\1\0\0\0a",
    "lists": b"PK\3\4\x14\0" + bytes(20) + b"\1\0\0\0aPK\1\2PK\5\6",
    "frames": b"\xff\xfb\x90\x64",
    "sync": b"\xff",
    "quotes": b'"',
    "escapes": b'["\\"',
    "numbers": b"[1,",
    "rows": b"a,b,c\n",
    "quoted rows": b'"a,\n',
    "titles": b"===\n",
    "underlines": b"aaa\n~~~\n",
    "stars": b"**a ",
    "rules": b"|---",
    "roles": b":ref:",
    "directives": b".. a\n",
    "streams": b"c=\n",
    "elements": b"\x1a\x45\xdf\xa3\xff",
    "sectors": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "letters": "é".encode(),
    "older letters": b"\x96\xbc,\n",
    "wide": b"\xff\xfe<\0",
    "boxes": b"\0\0\0\x10ftypmif1",
}


@pytest.mark.parametrize("unit", SLOW.values(), ids=SLOW)
def test_a_hostile_mebibyte_is_read_in_a_fraction_of_a_second(unit: bytes) -> None:
    """Measured: at most 60 ms; the limit leaves room for a busy machine, not for a square."""
    data = (unit * (HEAD_BYTES // len(unit) + 1))[:HEAD_BYTES]
    started = time.process_time()
    recognise(data, data[-TAIL_BYTES:], size=len(data))
    recognise(data, data[-TAIL_BYTES:], size=2**33)
    assert time.process_time() - started < 1


def test_every_name_that_a_signature_gives_is_described() -> None:
    assert {name for name, _ in _SIGNATURES} <= NAMES


def test_every_described_format_that_bytes_can_show_has_a_sample() -> None:
    """A new row needs a sample, or its name here with the test file that has one."""
    elsewhere = {
        "docx xlsx xlsb pptx visio iwork epub odt ods odp odg zip": "zips",
        "doc xls ppt ole msg encrypted-office": "zips",
        "tga tar gz bz2 xz sqlite": "binary",
        "rough-text": "text",
    }
    sampled = {*BINARY, *TEXT, *(name for names in elsewhere for name in names.split())}
    assert sampled == NAMES
