"""Names of files: whatever a stranger gives comes out harmless, and a clean name stays as it is."""

import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats.known import KNOWN
from app.formats.names import LONGEST, clean_name, result_name
from tests.app.formats.hostile_names import LONG, NAMES

ANY_TEXT = st.text(st.characters(), max_size=400)  # lone surrogates too
NASTY = st.text(
    st.sampled_from('aé日😀.. -_/\\:*?"<>|\0\n\u202e\u200b\u0301\ud800CONUL1$'), max_size=300
)
MANY = settings(max_examples=500, deadline=None)


def test_the_table_has_two_hundred_names() -> None:
    assert len({raw for raw, _ in NAMES}) == len(NAMES) >= 200


@pytest.mark.parametrize(("raw", "clean"), NAMES, ids=ascii)
def test_a_hostile_name_becomes_a_harmless_one(raw: str, clean: str) -> None:
    assert clean_name(raw) == clean
    _assert_harmless(clean_name(raw))
    _assert_harmless(result_name(raw, "webp"))


@pytest.mark.parametrize("raw", LONG, ids=lambda raw: ascii(raw)[:12])
def test_a_long_name_is_cut_between_characters_and_keeps_its_extension(raw: str) -> None:
    name = clean_name(raw)
    _assert_harmless(name)
    assert name.endswith(".png") == raw.endswith((".png", ". png"))
    assert result_name(raw, "webp").endswith(".webp")
    _assert_harmless(result_name(raw, "webp"))


def test_a_cut_name_uses_all_the_room_there_is() -> None:
    assert clean_name("a" * 300 + ".png") == "a" * 251 + ".png"
    assert clean_name("\u00e9" * 300 + ".png") == "\u00e9" * 125 + ".png"
    assert clean_name("\U0001f600" * 300) == "\U0001f600" * 63


def test_a_name_made_to_be_slow_takes_no_time() -> None:
    started = time.process_time()
    assert clean_name("\u0316\u0301" * 30_000 + ".png").endswith(".png")
    assert time.process_time() - started < 0.5


def test_an_accent_is_not_cut_off_its_letter() -> None:
    name = clean_name("a" * 250 + "z\u0335.png")
    assert name == "a" * 250 + ".png"


@MANY
@given(raw=ANY_TEXT | NASTY)
@example(raw="CON." + " " * 300 + "a")
@example(raw="\u115f" * 10 + ".")
def test_any_name_comes_out_harmless(raw: str) -> None:
    _assert_harmless(clean_name(raw))


@MANY
@given(raw=ANY_TEXT | NASTY)
def test_cleaning_twice_changes_nothing_more(raw: str) -> None:
    assert clean_name(clean_name(raw)) == clean_name(raw)


@MANY
@given(raw=ANY_TEXT | NASTY, extension=st.sampled_from(sorted(known.name for known in KNOWN)))
def test_any_result_has_a_harmless_name_with_its_extension(raw: str, extension: str) -> None:
    name = result_name(raw, extension)
    _assert_harmless(name)
    assert name.endswith(f".{extension}")
    assert clean_name(name) == name
    assert result_name(name, extension) == name or extension not in _EXTENSIONS


@pytest.mark.parametrize(
    ("name", "extension", "expected"),
    [
        ("photo.heic", "webp", "photo.webp"),
        ("PHOTO.HEIC", "jpg", "PHOTO.jpg"),
        ("photo", "jpg", "photo.jpg"),
        ("photo.png", "png", "photo.png"),
        ("archive.tar.gz", "pdf", "archive.tar.pdf"),
        ("v1.2", "pdf", "v1.2.pdf"),
        ("Invoice 2024.05", "pdf", "Invoice 2024.05.pdf"),
        ("a .heic", "png", "a.png"),
        (".heic", "png", "heic.png"),
        ("CON.heic", "png", "_CON.png"),
        ("", "png", "file.png"),
        ("../\n", "png", "file.png"),
        ("日本.heic", "webp", "日本.webp"),
        ("a" * 300 + ".heic", "webp", "a" * 250 + ".webp"),
        ("é" * 200 + ".heic", "avif", "é" * 125 + ".avif"),
    ],
)
def test_a_result_is_named_after_its_source(name: str, extension: str, expected: str) -> None:
    assert result_name(name, extension) == expected


_EXTENSIONS = {extension for known in KNOWN for extension in known.extensions}
_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{port}{n}" for port in ("COM", "LPT") for n in range(1, 10)),
}


def _assert_harmless(name: str) -> None:
    assert name
    assert len(name.encode("utf-8")) <= LONGEST
    assert unicodedata.is_normalized("NFC", name)
    assert not set(name) & set('/\\:*?"<>|')
    assert not {unicodedata.category(character) for character in name} & {
        "Cc",
        "Cf",
        "Cs",
        "Zl",
        "Zp",
    }
    assert name == " ".join(name.split())
    assert name[0] not in ".-"
    assert name[-1] != "."
    assert name.partition(".")[0].strip().upper() not in _DEVICES
