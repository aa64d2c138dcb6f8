r"""Writes Rich Text anew with every letter as itself, in UTF-8.

Pandoc takes each \'hh for Windows-1252, whichever code page holds, makes two broken characters of
one beyond the first 65,536, and swallows the sign behind a control word. What is done instead
follows the Rich Text Format Specification 1.9.1: "Character Set", "Font Table", "Unicode RTF".
"""

import codecs
import mmap
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from worker.converters import encoding
from worker.converters.document.codepages import CodePages
from worker.converters.document.letters import Letters, has_letters

_TOKEN = re.compile(
    rb"\\'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|\\(?P<word>[A-Za-z]+)(?P<number>-?\d+)? ?"
    rb"|\\(?P<symbol>[\t\r\n -~]?)"
    rb"|(?P<brace>[{}])"
    rb"|(?P<text>[^\\{}]{1,65536})"
)
_MARKS = (b"\\", b"{", b"}")
_BLANK = codecs.BOM_UTF8 + b" \t\r\n"
_BORNE = b"\x0b\x7f"  # controls that stand for nothing; others are no text
_STEP = 64 * 1024
_GENERAL = {"mac": 10000, "pc": 437, "pca": 850}
_ASSOCIATING = ("rtlch", "dbch")  # what follows is in the font that is told next
_PLAIN = ("ltrch", "loch", "hich")
_TABLE, _PICTURE, _COMMAND = "fonttbl", "pict", "fldinst"
_MARGINS = frozenset(f"{place}{pages}" for place in ("header", "footer") for pages in ("", *"lrf"))
_COUNTED = frozenset({"annotation", "revised", "deleted"})


class NoRichText(Exception):
    """There are bytes in it that no Rich Text has."""


@dataclass(frozen=True)
class Seen:
    """What a person may want to know of a text: how it is written, and how often it says a word.

    `codecs` are those of letters beyond ASCII, `unknown` the numbers of code pages that nobody
    here can read, `words` how often some control words are switched on, and `margins` whether
    there are letters in a header or footer.
    """

    codecs: set[str]
    unknown: set[int]
    words: Counter[str]
    margins: bool


@dataclass(frozen=True)
class _Group:
    r"""What holds in a group and the groups within; so many bytes say again what a \u has said."""

    repeated: int = 1
    font: int | None = None
    associated: int | None = None
    is_associating: bool = False
    place: str = ""


def recode(source: Path, target: Path, *, named: str | None = None) -> Seen:
    r"""Write the text at `source` anew, in constant memory; raise NoRichText if it is none.

    `named` is the codec of all letters in bytes, whatever the text says of itself. Without it,
    bytes that are no \'hh are UTF-8 if all of them are.
    """
    plain = named or _utf8_if_it_is(source)
    with source.open("rb") as file, target.open("wb") as out:
        if not file.read(1024).lstrip(_BLANK).startswith(b"{\\rtf"):
            raise NoRichText
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            writer = _Writer(out, named, plain)
            writer.walk(data)
    return Seen(writer.letters.codecs, writer.pages.unknown, writer.words, writer.margins)


def _utf8_if_it_is(source: Path) -> str | None:
    try:
        encoding.read_through(source, encoding="utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


@dataclass
class _Writer:
    """Writes one text; the bytes to come that say something again are `repeating`."""

    out: BinaryIO
    named: str | None
    plain: str | None
    pages: CodePages = field(default_factory=CodePages)
    words: Counter[str] = field(default_factory=Counter)
    group: _Group = field(default_factory=_Group)
    outer: list[_Group] = field(default_factory=list)
    described: int = 0  # the font whose line in the table of fonts this is
    usual: int | None = None
    repeating: int = 0
    margins: bool = False

    def __post_init__(self) -> None:
        self.letters = Letters(self.out)

    def walk(self, data: mmap.mmap) -> None:
        """Write all up to the end of the first group: what follows means nothing."""
        at = data.find(b"{")
        while found := _TOKEN.match(data, at):
            at = found.end()
            match found.lastgroup:
                case "hex":
                    self._take(bytes.fromhex(found["hex"].decode()))
                case "text":
                    at += self._text(found["text"], data[at : at + 1])
                case "symbol" if found["symbol"] in _MARKS:
                    self._take(found["symbol"])
                case "word" | "number":
                    at += self._word(found["word"], found["number"] or b"", data, at)
                case _:
                    self._mark(found)
            if not self.outer:
                break
        self.letters.finish()

    def _codec(self) -> str:
        """Return the codec that holds for bytes here."""
        if self.named and not self.named.startswith("utf-"):
            return self.named
        fonts = (self.group.associated, self.group.font)
        font = next((one for one in fonts if one is not None), None)
        return self.pages.codec(font) if font is not None else self.pages.usual_codec(self.usual)

    def _take(self, data: bytes, codec: str | None = None) -> None:
        again = min(self.repeating, len(data))
        self.repeating -= again
        if data := data[again:]:
            self.margins |= self.group.place in _MARGINS and has_letters(data)
            self.letters.take(data, codec or ("ascii" if data.isascii() else self._codec()))

    def _text(self, data: bytes, following: bytes) -> int:
        """Write bytes as they come; return how many of those that follow belong to a letter."""
        if encoding.has_controls(data, but=_BORNE):
            raise NoRichText
        self._take(data.translate(None, b"\r\n"), self.plain)
        if data.isascii() or not self.letters.is_amid or following not in _MARKS:
            return 0
        self._take(following)  # in Japanese and Chinese the second of two may be a mark
        return 1

    def _mark(self, found: re.Match[bytes]) -> None:
        self._end_of_letters()
        mark = found[0]
        if mark == b"{":
            self.outer.append(self.group)
        elif mark == b"}":
            self.group = self.outer.pop()
        elif mark == b"\\\r":
            mark = b"\\\n"  # pandoc overlooks the other
        if mark != b"\\":  # before what is no sign, it means nothing
            self.out.write(mark)

    def _end_of_letters(self) -> None:
        self.letters.finish()
        self.repeating = 0

    def _word(self, word: bytes, digits: bytes, data: mmap.mmap, at: int) -> int:
        """Take in a control word; return how many of the bytes that follow belong to it."""
        name, number = word.decode(), int(digits[:10] or b"0")
        if name == "u" and digits:
            self.letters.unit(number)
            self.repeating = self.group.repeated
            return 0
        self._end_of_letters()
        if name == "bin":
            return self._binary(data, at, number)
        if name in _COUNTED and digits != b"0":
            self.words[name] += 1
        self._heed(name, number)
        self.out.write(b"\\%b%b " % (word, digits))
        return 0

    def _binary(self, data: mmap.mmap, at: int, length: int) -> int:
        """Write a picture in the digits that others are written in, and nothing else."""
        end = min(len(data), at + max(0, length))
        if self.group.place == _PICTURE:
            for start in range(at, end, _STEP):
                self.out.write(data[start : min(end, start + _STEP)].hex().encode())
        return end - at

    def _heed(self, name: str, number: int) -> None:
        """Keep in mind what a control word says of the letters to come."""
        match name:
            case "f" | "af" | "fcharset" | "cpg" if self.group.place == _TABLE:
                self._describe(name, number)
            case "f":
                self._change(font=number)
                if self.group.is_associating:
                    self._change(associated=number)
            case "af" if self.group.is_associating:
                self._change(associated=number)
            case "plain":
                self._change(font=None, associated=None, is_associating=False)
            case "uc":
                self._change(repeated=max(0, number))
            case "deff":
                self.usual = number
            case "ansicpg":
                self.pages.own(number)
            case _:
                self._heed_alone(name)

    def _heed_alone(self, name: str) -> None:
        if name in _GENERAL:
            self.pages.own(_GENERAL[name])
        elif name in (_TABLE, _PICTURE, _COMMAND) or name in _MARGINS:
            self._change(place=name)
        elif name in _ASSOCIATING or name in _PLAIN:
            self._change(associated=None, is_associating=name in _ASSOCIATING)

    def _describe(self, name: str, number: int) -> None:
        if name == "f":
            self.described = number
        elif name == "fcharset":
            self.pages.font_of(self.described, charset=number)
        elif name == "cpg":
            self.pages.font(self.described, page=number)

    def _change(self, **changes: Any) -> None:
        self.group = replace(self.group, **changes)
