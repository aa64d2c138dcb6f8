r"""Letters of Rich Text are read by the code page that holds for them.

What is expected is what LibreOffice reads, and where it errs what the specification says.
"""

import codecs
import contextlib
import random
import re
import tracemalloc
from pathlib import Path

import pytest

from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.reader import pictures_in, text_of
from tests.worker.converters.document.richtext import font, hexed, rich
from tests.worker.converters.document.test_mutations import mutated
from tests.worker.converters.document.words import png
from worker.converters.document import codepages
from worker.converters.document.richtext import NoRichText, Seen, recode

LATIN, CYRILLIC, GREEK, CZECH, HEBREW = "é", "Привет", "Καλημέρα", "Příliš žluťoučký", "שלום"
JAPANESE = "表ソ吾輩"  # two with a backslash for their second byte

IN_CODE_PAGES = {
    "page": (CYRILLIC, rich(hexed(CYRILLIC, "cp1251"), head=r"\ansi\ansicpg1251")),
    "central page": (CZECH, rich(hexed(CZECH, "cp1250"), head=r"\ansi\ansicpg1250")),
    "font": (CYRILLIC, rich(r"\f0 " + hexed(CYRILLIC, "cp1251"), fonts=font(0, 204))),
    "greek font": (GREEK, rich(r"\f7 " + hexed(GREEK, "cp1253"), fonts=font(7, 161))),
    "usual font": (
        CYRILLIC,
        rich(hexed(CYRILLIC, "cp1251"), head=r"\ansi\deff3", fonts=font(3, 204)),
    ),
    "font of any page": (
        CYRILLIC,
        rich(r"\f0 " + hexed(CYRILLIC, "cp1251"), head=r"\ansi\ansicpg1251", fonts=font(0, 1)),
    ),
    "western font": (
        LATIN,
        rich(r"\f0 " + hexed(LATIN, "cp1252"), head=r"\ansi\ansicpg1251", fonts=font(0, 0)),
    ),
    "western font that nobody names": (
        CYRILLIC,
        rich(hexed(CYRILLIC, "cp1251"), head=r"\ansi\ansicpg1251\deff0", fonts=font(0, 0)),
    ),
    "page of a font": (
        CYRILLIC,
        rich(r"\f0 " + hexed(CYRILLIC, "cp1251"), fonts=font(0, 0, r"\cpg1251")),
    ),
    "fonts in one group": (
        CYRILLIC,
        rich(r"\f1 " + hexed(CYRILLIC, "cp1251"), fonts=r"\f0\fcharset0 A;\f1\fcharset204 B;"),
    ),
    "fonts in groups": (
        LATIN + CYRILLIC + LATIN,
        rich(
            rf"\f0 {hexed(LATIN, 'cp1252')}{{\f1 {hexed(CYRILLIC, 'cp1251')}}}"
            rf"{hexed(LATIN, 'cp1252')}",
            fonts=font(0, 0) + font(1, 204),
        ),
    ),
    "plain": (
        CYRILLIC + LATIN,
        rich(
            rf"\f1 {hexed(CYRILLIC, 'cp1251')}\plain {hexed(LATIN, 'cp1252')}",
            fonts=font(0, 0) + font(1, 204),
        ),
    ),
    "east asian": (
        JAPANESE + LATIN,
        rich(
            rf"{{\loch\af0\hich\af0\dbch\f1 {hexed(JAPANESE, 'cp932')}}}"
            rf"{{\hich\af0\dbch\af1\loch\f0 {hexed(LATIN, 'cp1252')}}}",
            fonts=font(0, 0) + font(1, 128),
        ),
    ),
    "from right to left": (
        HEBREW + LATIN,
        rich(
            rf"{{\ltrch\fcs0 \f0 \rtlch\fcs1 \af1 {hexed(HEBREW, 'cp1255')}}}"
            rf"{{\rtlch\fcs1 \af1 \ltrch\fcs0 \f0 {hexed(LATIN, 'cp1252')}}}",
            fonts=font(0, 0) + font(1, 177),
        ),
    ),
    "second byte as a sign": (
        "ソア表",
        rich("\\'83\\\\\\'83A\\'95\r\n\\'5c", head=r"\ansi\ansicpg932"),
    ),
    "mac": ("ä", rich(r"\'8a", head=r"\mac")),
    "dos": ("ü", rich(r"\'81", head=r"\pc")),
    "dos of western europe": ("é", rich(hexed("é", "cp850"), head=r"\pca")),
    "bytes": (
        CYRILLIC,
        rich(CYRILLIC.encode("cp1251").decode("latin-1"), head=r"\ansi\ansicpg1251"),
    ),
    "japanese bytes": (
        JAPANESE,
        rich(JAPANESE.encode("cp932").decode("latin-1"), head=r"\ansi\ansicpg932"),
    ),
    "bytes in utf-8": (
        f"{GREEK}{CYRILLIC}",
        rich(f"{GREEK}{CYRILLIC}".encode().decode("latin-1"), head=r"\ansi\ansicpg1251"),
    ),
    "unicode": ("ПxДyЖzИw", rich(r"\uc2\u1055\'8f\'84x\uc0\u1044 y{\uc1\u1046?z}\u1048 w")),
    "unicode after a paragraph": ("Пxy", rich(r"\uc0\pard\plain \u1055xy")),
    "unicode in halves": ("a😀b", rich(r"a\u-10179 ?\u-8704 ?b")),
    "unicode beyond its numbers": ("😀", rich(r"\u128512?")),
    "signs that stand for something": (r"a{b}\c", rich(r"a\'7bb\}\'5c" + "c")),
}


@pytest.mark.parametrize("how", IN_CODE_PAGES)
def test_letters_are_read_by_the_code_page_that_holds(tmp_path: Path, how: str) -> None:
    words, content = IN_CODE_PAGES[how]

    assert _words(_recoded(tmp_path, content)[0]) == words


def test_a_document_of_many_code_pages_says_what_it_says(converting: Converting) -> None:
    body = rf"\f1 {hexed(CYRILLIC, 'cp1251')} \f2 {hexed(GREEK, 'cp1253')} \b(x\b0) \u-10179 ?"
    content = rich(rf"{body}\u-8704 ?", fonts=font(1, 204) + font(2, 161))

    result = converting(content, "rtf", "txt")

    assert text_of(result.content, "txt") == f"{CYRILLIC} {GREEK} (x) 😀"
    assert result.facts["notes"] == []


def test_the_one_code_page_of_a_document_is_told(converting: Converting) -> None:
    content = rich(hexed(CZECH, "cp1250"), head=r"\ansi\ansicpg1250")

    assert converting(content, "rtf", "txt").facts["encoding"] == "cp1250"


def test_a_named_encoding_counts_for_more_than_what_the_text_says(converting: Converting) -> None:
    content = rich(hexed(CYRILLIC, "koi8-r"), head=r"\ansi\ansicpg1252", fonts=font(0, 0))

    result = converting(content, "rtf", "txt", encoding="koi8-r")

    assert text_of(result.content, "txt") == CYRILLIC


def test_a_code_page_that_nobody_knows_is_told(converting: Converting) -> None:
    result = converting(rich(r"\'e9", head=r"\ansi\ansicpg57011"), "rtf", "txt")

    assert text_of(result.content, "txt") == "é"
    assert "code page 57011, which is not known here" in result.notes
    assert "option encoding" in result.notes


def test_a_code_page_in_which_nothing_is_written_is_not_told(tmp_path: Path) -> None:
    content = rich(r"a\'2db\{", head=r"\ansi\ansicpg57011")

    assert _recoded(tmp_path, content)[1].unknown == set()


def test_a_picture_in_bytes_is_shown(converting: Converting) -> None:
    picture = rf"{{\pict\pngblip\bin{len(png())} ".encode() + png() + b"}"
    content = rich("before @ after", head=r"\ansi").replace(b"@", picture)

    result = converting(content, "rtf", "docx")

    assert result.facts["pictures"] == 1
    assert pictures_in(result.content, "docx") == 1
    assert "before" in text_of(result.content, "docx")


def test_other_bytes_are_passed_over(tmp_path: Path) -> None:
    content = rich(r"a{\*\objdata \bin4 " + "}\0{\\" + "}b")

    assert _words(_recoded(tmp_path, content)[0]) == r"a\*b"


def test_what_follows_the_end_means_nothing(tmp_path: Path) -> None:
    assert _words(_recoded(tmp_path, rich("a") + b"\0\xff{")[0]) == "a"


@pytest.mark.parametrize("content", [b"", b"text", rich("a\0b"), b"PK\3\4" + rich("a")])
def test_what_is_no_rich_text_is_not_taken_for_it(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(NoRichText):
        _recoded(tmp_path, content)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (r"\'83", "�"),
        (r"\'83\par\'5c", r"�\\"),
        (r"\u-10179 ?x", "�x"),
        (r"\u-8704 ?x", "�x"),
        (r"\u-99999999999999999999 ?\u99999999999 ?", "��"),
        (r"a\'0", r"a\'0"),
        (r"a\bin99999 b", "a"),
        (r"a\bin-5 b", "ab"),
        ("a}}}}b", "a"),
    ],
)
def test_broken_letters_cost_themselves_and_no_more(tmp_path: Path, body: str, words: str) -> None:
    said = _recoded(tmp_path, rich(body, head=r"\ansi\ansicpg932"))[0]

    assert _words(said).replace(r"\\", "\\") == words.replace(r"\\", "\\")


def test_however_long_or_deep_a_text_is_little_memory_holds_it(tmp_path: Path) -> None:
    long = b"{\\rtf1 " + b"a" * 3_000_000 + b"{" * 100_000 + b"\\'e9" * 1000

    tracemalloc.start()
    try:
        said, _ = _recoded(tmp_path, long, keep=False)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert said == ""


def test_whatever_is_done_to_a_text_it_is_one_or_it_is_none(tmp_path: Path) -> None:
    dice = random.Random(5)
    for number in range(400):
        _, content = dice.choice([*IN_CODE_PAGES.values()])
        (tmp_path / "source").write_bytes(mutated(dice, content))
        with contextlib.suppress(NoRichText):
            recode(tmp_path / "source", tmp_path / "target")
            assert (tmp_path / "target").read_text(encoding="utf-8"), number


def test_every_code_page_has_its_codec() -> None:
    pages = {*codepages._CODECS.values()}
    assert {codec for codec in pages if not codecs.lookup(codec)._is_text_encoding} == set()
    assert {*codepages._PAGES.values()} <= {*codepages._CODECS}


def _recoded(place: Path, content: bytes, *, keep: bool = True) -> tuple[str, Seen]:
    source, target = place / "source", place / "target"
    source.write_bytes(content)
    seen = recode(source, target)
    return target.read_text(encoding="utf-8") if keep else "", seen


def _words(said: str) -> str:
    """Return what a text that has no letters in bytes says, as the specification has it."""
    body = said.partition(r"\pard ")[2]
    bare = re.sub(r"\\[a-z]+-?\d* |(?<!\\)[{}]", "", body)
    return re.sub(r"\\([\\{}])", r"\1", bare)
