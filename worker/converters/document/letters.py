"""Writes the letters of Rich Text, which come in bytes of many code pages, as themselves."""

import codecs
import re
from typing import BinaryIO

_DROPPED: dict[int | str, str | None] = {
    code: None for code in range(128) if not chr(code).isprintable() and chr(code) != "\t"
}
_ESCAPES = str.maketrans({**_DROPPED, "\\": r"\\", "{": r"\{", "}": r"\}"})
_LOST = "\ufffd"
_LETTER = re.compile(rb"[A-Za-z\x80-\xff]")


def has_letters(data: bytes) -> bool:
    """Tell whether there is more than digits and signs, in whatever code page."""
    return _LETTER.search(data) is not None


class Letters:
    r"""The letters of a text, each in the bytes of some codec, or as units of UTF-16 (\u).

    `codecs` are those in which it had letters beyond ASCII; `is_amid` says that the last one
    lacks some of its bytes.
    """

    def __init__(self, out: BinaryIO) -> None:
        self.codecs: set[str] = set()
        self.is_amid = False
        self._out = out
        self._codec = ""
        self._decoder = codecs.getincrementaldecoder("latin-1")()
        self._high: int | None = None

    def take(self, data: bytes, codec: str) -> None:
        """Write what these bytes stand for; what stands for nothing becomes U+FFFD."""
        if data.isascii() and not self.is_amid:
            self.finish()
            self._say(data.decode())
            return
        if self.is_amid and data.isascii():
            codec = self._codec  # the rest of a letter may be written as a sign
        if codec != self._codec or self._high is not None:
            self.finish()
            self._codec = codec
            self._decoder = codecs.getincrementaldecoder(codec)("replace")
        self._say(self._decoder.decode(data))
        self.is_amid = bool(self._decoder.getstate()[0])
        if not data.isascii():
            self.codecs.add(codec)

    def unit(self, number: int) -> None:
        """Write a character by its number; one beyond the first 65,536 may come in two halves.

        Numbers from 32,768 on may be given less 65,536.
        """
        number += 0x10000 if number < 0 else 0
        if 0xDC00 <= number < 0xE000 and self._high is not None:
            number = 0x10000 + ((self._high - 0xD800) << 10) + number - 0xDC00
            self._high = None
        self.finish()
        if 0xD800 <= number < 0xDC00:
            self._high = number
        elif 0 <= number <= 0x10FFFF and not 0xDC00 <= number < 0xE000:
            self._say(chr(number))
        else:
            self._say(_LOST)

    def finish(self) -> None:
        """Write what there is of a character whose end does not come."""
        if self._high is not None:
            self._high = None
            self._say(_LOST)
        if self.is_amid:
            self.is_amid = False
            self._say(self._decoder.decode(b"", final=True))

    def _say(self, text: str) -> None:
        self._out.write(text.translate(_ESCAPES).encode())
