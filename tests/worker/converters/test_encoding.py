"""The encoding of a text is told rightly or not at all, and the text written anew as UTF-8."""

import codecs
import random
import tracemalloc
from pathlib import Path

import pytest

from worker.converters import encoding
from worker.converters.encoding import detect, detect_in, transcode

UNICODE = ["plain", "Grüße an alle, überall", "漢字とかな", "Привет, мир", "a 😀 b", "שלום"]
WESTERN = [
    "Größe;Stück;Preis €\n1;2;3\n",
    "“Hello”, it’s a — test…",  # noqa: RUF001
    "don’t",  # noqa: RUF001
    "café",
    "Müller",
    "l’été à Orléans, où Noël",  # noqa: RUF001
    "São João não está",
    "El niño comió piñas en Cádiz; año 2024",
    "Ångström och Åsa från Östersund",
    "Ærø og Øst",
    "«Bonjour», dit-il",
    "25 °C, ½ cup, £5, §3",
    "Þórður á Íslandi fæðir",
    "col·lecció",
    "Œuvre complète d'Émile",
]
JAPANESE = [
    "郵便番号,氏名,住所\n1,山田,東京\n",
    "これは日本語のテキストです。",
    "名前",
    "商品コード,価格\nA1,100\n",
    "ﾔﾏﾀﾞ,山田太郎,東京都千代田区",
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
]
OTHERS = [
    ("cp1251", "Привет, мир! Это русский текст."),
    ("cp1251", "да;1;100;2020-01-01\nнет;2;200;2020-01-02\n"),  # noqa: RUF001
    ("koi8-r", "Привет, мир! Это русский текст."),
    ("cp1253", "Καλημέρα κόσμε, τι κάνεις"),
    ("gb18030", "这是一个中文文本,测试编码。"),
    ("big5", "這是一個中文文本"),
    ("euc-jp", "これは日本語のテキストです。"),
    ("euc-kr", "안녕하세요 세계"),
    ("cp1250", "Zażółć gęślą jaźń, łódź i książka"),
    ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
    ("iso8859-2", "Zażółć gęślą jaźń, łódź i książka"),
    ("cp850", "Größe und Länge, Müller"),
    ("mac_roman", "Größe, Länge, café, Müller"),
    ("cp1255", "שלום עולם"),
    ("cp1256", "مرحبا بالعالم"),
    ("cp874", "สวัสดีชาวโลก"),
]


@pytest.mark.parametrize("text", UNICODE)
def test_unicode_is_told_whatever_it_says(text: str) -> None:
    assert detect(text.encode()) == "utf-8"
    assert detect(codecs.BOM_UTF8 + text.encode()) == "utf-8"
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        mark = "\ufeff".encode(name)
        assert detect(mark + text.encode(name)) == name


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["plain", "Grüße, 漢字, 😀 und mehr", "名前,age\n田中,31\n"])
def test_utf_16_shows_without_a_mark(name: str, text: str) -> None:
    assert detect(text.encode(name)) == name


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_is_told(text: str) -> None:
    assert detect(text.encode("cp1252")) == "cp1252"


@pytest.mark.parametrize("text", JAPANESE)
def test_japanese_text_is_told(text: str) -> None:
    assert detect(text.encode("cp932")) == "cp932"


@pytest.mark.parametrize(("name", "text"), OTHERS)
def test_what_cannot_be_told_is_not_guessed(name: str, text: str) -> None:
    assert detect(text.encode(name)) is None


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xff\xd8\xff\xe0\0\x10JFIF",
        bytes(range(256)),
        b"text with \x01 in it",
        b"\xff\xfe\x00\xd8a\0",  # half a surrogate pair
        b"one\0two three",
        bytes(64),
    ],
)
def test_what_is_no_text_is_none(content: bytes) -> None:
    assert detect(content) is None


def test_noise_is_never_taken_for_text() -> None:
    noise = random.Random(4)

    assert {detect(noise.randbytes(200)) for _ in range(500)} == {None}


@pytest.mark.parametrize(
    ("name", "text"), [("utf-8", "ab 漢字 漢"), ("cp932", "漢字です。漢"), ("utf-16-le", "ab ü漢")]
)
def test_a_character_cut_at_the_end_of_the_head_does_no_harm(name: str, text: str) -> None:
    assert detect(text.encode(name)[:-1]) == name


def test_nothing_is_utf_8() -> None:
    assert detect(b"") == "utf-8"


@pytest.mark.parametrize("ahead", [0, 100, encoding.HEAD_BYTES, 2 * encoding.HEAD_BYTES - 1])
@pytest.mark.parametrize(
    ("name", "text"),
    [("utf-8", "Grüße, 漢字"), ("cp1252", "Grüße, Größe"), ("cp932", "東京都千代田区")],
)
def test_a_long_text_is_told_by_the_first_part_that_shows_it(
    tmp_path: Path, ahead: int, name: str, text: str
) -> None:
    source = tmp_path / "input.txt"
    source.write_bytes(b"x" * ahead + text.encode(name))

    assert detect_in(source) == name


def test_a_nul_far_into_a_text_is_seen(tmp_path: Path) -> None:
    source = tmp_path / "input.txt"
    source.write_bytes(b"x" * encoding.HEAD_BYTES * 3 + b"\0\1\2\3")

    assert detect_in(source) is None


@pytest.mark.parametrize(
    ("name", "mark"),
    [("utf-8", True), ("utf-8", False), ("utf-16-le", True), ("cp932", False), ("utf-32-be", True)],
)
def test_a_text_is_written_anew_without_its_mark(tmp_path: Path, name: str, mark: bool) -> None:
    source, target = tmp_path / "input.txt", tmp_path / "output.txt"
    text = "名前\r\n田中\rかな\n" * 99
    source.write_bytes((("\ufeff" if mark else "") + text).encode(name))

    transcode(source, target, encoding=name)

    assert target.read_bytes() == text.encode()


def test_characters_across_the_edges_of_parts_stay_whole(tmp_path: Path) -> None:
    source, target = tmp_path / "input.txt", tmp_path / "output.txt"
    text = "x" + "漢" * 800_000
    source.write_bytes(text.encode("utf-8"))

    transcode(source, target, encoding="utf-8")

    assert target.read_text("utf-8") == text


@pytest.mark.parametrize("content", [b"abc\xff", b"x" * 2_000_000 + b"\xe6\xbc"])
def test_bytes_that_do_not_fit_raise(tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "input.txt"
    source.write_bytes(content)

    with pytest.raises(UnicodeDecodeError):
        transcode(source, tmp_path / "output.txt", encoding="utf-8")


def test_a_large_text_takes_constant_memory(tmp_path: Path) -> None:
    source = tmp_path / "input.txt"
    source.write_bytes("Größe\n".encode("cp1252") * 4_000_000)
    tracemalloc.start()

    transcode(source, tmp_path / "output.txt", encoding="cp1252")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 16 * 1024**2
