"""Text: certain marks first, cautious guesses after them, and playlists by their own name."""

import json

import pytest

from app.formats.catalogue import settled_format
from app.formats.known import NEVER
from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise
from tests.app.formats.test_recognise_binary import MP3_FRAME, id3

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><text>é</text></svg>'
SAMPLES = {
    "svg": [
        SVG,
        "\ufeff" + SVG,
        f"<?xml version='1.0' encoding='UTF-8'?>\n{SVG}",
        f"<?xml version='1.0'?>\n<!-- made > by --><!-- hand -->\n{SVG}",
        f'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://a/b.dtd">{SVG}',
        f'<?xml version="1.0"?><!DOCTYPE svg [ <!ENTITY a "<b>"> <!ENTITY c "]"> ]>{SVG}',
        '<!DOCTYPE drawing [ <!ENTITY a "<b>"> ]><svg/>',
        '<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>',
        "\n\n   <svg/>",
        "<svg\nwidth='1'",
    ],
    "html": [
        "<!doctype html><p>Hello",
        "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><title>a</title>",
        "<html><body>a</body></html>",
        "<!-- saved -->\n<HTML>",
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><svg/></html>",
        "<head><title>a</title></head>",
    ],
    "xml": ["<?xml version='1.0'?><note/>", "<note xmlns='urn:a'/>"],
    "fb2": ["<?xml version='1.0'?><FictionBook/>"],
    "json": [
        '{"a": 1}',
        "[]",
        "[1, 2.5, null]",
        '\ufeff{"a": [true]}',
        json.dumps([{"a": 1}, {"b": 2}], indent=2),
    ],
    "ndjson": ['{"a": 1}\n{"a": 2}\n', "[1]\n[2]\n[3]", '{"a": "é"}\r\n\r\n{"a": 2}'],
    "ipynb": ['{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'],
    "csv": [
        "id,name,price\n1,a,2\n",
        "a;b;c\n1;2;3\n4;5;6\n",
        "a|b|c\n1|2|3\n",
        'a,b,c\n1,"two, and\nthree",4\n',
        "name,age\nAnn,3\nBob,4\n",
        "sep=;\na;b\n",
        "Zürich,3,4\nMünchen,5,6\n",
        "+491701234567,00123,1E5\n1,2,3\n",
    ],
    "tsv": ["a\tb\n1\t2\n", 'a\tb\tc\n1\t"2\t3\n', "a, b\tc, d\n1, 2\t3, 4\n"],
    "tex": ["\\documentclass{article}\n", "% a paper\n\\documentclass[a4paper]{book}"],
    "org": ["#+TITLE: Notes\n* First\n", "* TODO a\n#+begin_src python\n1\n#+end_src\n"],
    "rst": [
        "=====\nTitle\n=====\n\nText.\n",
        ".. note:: a\n\n.. image:: b.png\n",
        "Words\n~~~~~\n\nMore words\n~~~~~~~~~~\n",
    ],
    "md": [
        "# Title\n\nSee [this](https://example.org/).\n",
        "# Title\n\n```\ncode\n```\n",
        "Title\n=====\n\n- [x] done\n",
        "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "# Usage\n\n```\nimport this\n```\n",
        "> quoted\n\nand **bold** text\n",
    ],
    "txt": [
        "a",
        "Hello, world\nGoodbye, world\nSo long, all\n",
        "Dear Ann,\n\nthank you, really, for all.\n",
        "#!/bin/sh\n# heading\n```\n",
        "# a comment\nx = 1\n# another\n",
        "# a comment\nimport this\nx[0](a.b)\n**\n.. note::\n.. note:: b\n",
        "/* a\n***\nb\n***\n*/\n#include <a.h>\n",
        "int a;\nint b;\nint c;\n",
        "one column\nonly\n",
        "\tgo();\n\tstop();\n\twait();\n",
        "[not json\n",
        '{"broken": \n',
        "<p>a fragment</p>",
        "A PDF begins with %PDF-1.4, they say.",
        "- one\n- two\n- three\n",
        "日本語",
        "\x1b[31mred\x1b[0m\n",
        "x < y > z",
    ],
    "m3u8": ["#EXTM3U\n#EXT-X-VERSION:3\nhttp://a/b.ts\n", "\ufeff  #EXTM3U\n"],
    "ffconcat": ["ffconcat version 1.0\nfile '/etc/passwd'\n", "\n FFCONCAT VERSION 1.0\n"],
    "sdp": [
        "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n",
        "s=a\nc=IN IP4 127.0.0.1\nm=video 1 RTP/AVP 96\n",
    ],
    "mpd": ["<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011'/>"],
    "pls": ["[playlist]\nFile1=http://a/\n", "<asx version='3.0'>", "<smil><body/></smil>"],
}
CASES = [(name, sample) for name, many in SAMPLES.items() for sample in many]


@pytest.mark.parametrize(("name", "sample"), CASES)
def test_text_is_recognised(name: str, sample: str) -> None:
    data = sample.encode()
    assert recognise(data) == name
    assert recognise(data, data, size=len(data)) == name


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(("name", "sample"), [case for case in CASES if case[1] != "日本語"])
def test_wide_text_with_its_mark_is_recognised(name: str, sample: str, encoding: str) -> None:
    assert recognise(("\ufeff" + sample.removeprefix("\ufeff")).encode(encoding)) == name


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_xml_needs_no_mark(encoding: str) -> None:
    assert recognise(f"<?xml version='1.0'?>{SVG}".encode(encoding)) == "svg"


@pytest.mark.parametrize(
    ("sample", "encoding"),
    [
        ("Straße;Hausnummer;Ort\nMüllerweg;5;Köln\nÄußere Straße;7;Zürich\n", "cp1252"),
        ("名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪\n髙橋淳,35,名古屋\n", "cp932"),
        ("имя,возраст,город\nИван,30,Москва\nОльга,25,Казань\n" * 3, "cp1251"),  # noqa: RUF001 - Cyrillic is the point
    ],
)
def test_a_table_in_an_older_encoding_is_recognised(sample: str, encoding: str) -> None:
    assert recognise(sample.encode(encoding)) == "csv"


@pytest.mark.parametrize(
    "data", [b"text\0text", b"\xff\xfea\0\1\0", b"a\x01b", b"\x7f", b"\xff" * 500 + b"\n"]
)
def test_what_no_text_holds_makes_it_none(data: bytes) -> None:
    assert recognise(data) is None


ROUGH = {
    "nul": b"id,name\n1,A\0nn\n2,Bob\n",
    "nul at the end of a long one": b"id,name\n" * 200_000 + b"1,\0\n",
    "vertical tab": b"id,name\n1,A\x0bnn\n",
    "utf-16-le": "id,name\n1,Ann\n".encode("utf-16-le"),
    "utf-16-be": "id,name\n1,Ann\n".encode("utf-16-be"),
    "utf-16-le in Japanese": "名前,年齢\n佐藤太郎,30\n".encode("utf-16-le"),
    "utf-16 with its mark and a nul": "\ufeffid,name\n1,A\0nn\n".encode("utf-16-be"),
    "windows-1252": "Straße;Ort\nMüllerweg 5;Köln\n".encode("cp1252") * 9 + b"a;\0\n",
}


@pytest.mark.parametrize("data", ROUGH.values(), ids=ROUGH)
def test_a_table_in_rough_text_is_one_by_its_name(data: bytes) -> None:
    found = recognise(data[:HEAD_BYTES], data[-TAIL_BYTES:], size=len(data))
    assert found == "rough-text"
    assert settled_format(found, "table.csv") == "csv"
    assert settled_format(found, "table.tsv") == "tsv"
    assert settled_format(found, "table.json") == found


def test_binary_at_the_end_makes_it_no_text() -> None:
    assert recognise(b"#!/bin/sh\nexit\n" * 9, b"\0\1\2", size=10**7) is None


def test_a_character_cut_at_the_edge_of_the_head_is_no_fault() -> None:
    data = b"a" + "é".encode() * HEAD_BYTES
    assert recognise(data[:HEAD_BYTES], b"\xa9" + "é".encode(), size=len(data)) == "txt"


def test_a_table_longer_than_the_head_is_a_table() -> None:
    data = b"id,name,price\n" + b"1,some name,2.50\n" * 100_000
    assert recognise(data[:HEAD_BYTES], data[-1000:], size=len(data)) == "csv"


def test_a_few_ragged_rows_in_a_long_table_are_forgiven() -> None:
    rows = [b"1,2,3"] * 30
    rows[20] = b"1,2"
    assert recognise(b"\n".join(rows)) == "csv"
    assert recognise(b"\n".join(rows[18:24])) == "txt"


@pytest.mark.parametrize(
    ("name", "document"),
    [("json", {"rows": [[1, -2.5e3, None, 'a "quoted" \\ text']] * 100_000}), ("ndjson", None)],
)
def test_json_longer_than_the_head_is_json(name: str, document: object) -> None:
    data = json.dumps(document).encode() if document else b'{"a": 1}\n' * 200_000
    assert recognise(data[:HEAD_BYTES], data[-1000:], size=len(data)) == name


def test_a_notebook_longer_than_the_head_is_a_notebook() -> None:
    cells = [{"source": "x" * 1000}] * 2000
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()
    assert recognise(data[:HEAD_BYTES], data[-1000:], size=len(data)) == "ipynb"


def test_deep_and_long_json_is_no_trouble() -> None:
    assert recognise(b"[" * 500_000) == "txt"
    assert recognise(b"[" + b"1" * 500_000 + b"]") == "json"


@pytest.mark.parametrize("name", sorted(NEVER - {"mpd"}))
def test_a_playlist_behind_an_id3_tag_is_still_a_playlist(name: str) -> None:
    """Ffmpeg skips the tag before it decides, so the tag must not make it an MP3."""
    for sample in SAMPLES[name]:
        assert recognise(id3(sample.encode())) == name
        assert recognise(id3(sample.encode() + MP3_FRAME * 3)) == name


def test_every_kind_of_playlist_has_a_sample_here() -> None:
    assert set(SAMPLES) >= NEVER
