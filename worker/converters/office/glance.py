"""Tells from the bytes of a sheet or its texts that all of it fits, as nearly all does.

To hear of every cell would take longer than is worth it; only where something may lie beyond are
they gone through, for what reaches far is mostly empty and merely coloured.
"""

import re

from worker.converters.columns import name_of
from worker.converters.office.extent import Room

_LONGEST_TAG = 1024**2
_CELL, _TEXT = b"<c", b"<si"  # how a cell of a sheet and a text of those shared begin


class Glance:
    """Looks at a part of an OOXML workbook as it goes by."""

    def __init__(self, room: Room) -> None:
        self._beyond = _beyond(room)
        self._letters = room.letters
        self._rest = b""
        self._run = 0
        self.is_suspicious = False

    def take(self, root: str, piece: bytes) -> None:
        """Look at the next bytes of a part with this root; `is_suspicious` once one may not fit."""
        if self.is_suspicious or root not in ("worksheet", "sst"):
            return
        seen = self._rest + piece
        end = seen.rfind(b">") + 1  # a tag may be cut between two pieces
        self._rest = seen[end:]
        self.is_suspicious = (
            b"\0" in piece  # two bytes a letter, in which nothing would be found
            or b":%s" % root.encode() in piece  # nor in names with a prefix
            or len(self._rest) > _LONGEST_TAG
            or (root == "worksheet" and self._beyond.search(seen, 0, end) is not None)
            or self._has_a_long_text(piece, _CELL if root == "worksheet" else _TEXT)
        )

    def _has_a_long_text(self, piece: bytes, begin: bytes) -> bool:
        """Whether more bytes stand between two of these than a cell may have letters."""
        if self._letters is None:
            return False
        first, *others = piece.split(begin)
        runs = [self._run + len(first), *map(len, others)]
        self._run = runs[-1]
        return max(runs) > self._letters


def _beyond(room: Room) -> re.Pattern[bytes]:
    """Match a row or cell that may lie beyond, or that does not say where it lies."""
    digits = len(str(room.rows))
    last = name_of(room.columns)
    far = [b"[A-Z]{%d,}" % (len(last) + 1)]
    for at, letter in enumerate(last):
        if letter != "Z":
            rest = b"[A-Z]" * (len(last) - at - 1)
            far.append(last[:at].encode() + b"[%c-Z]" % (ord(letter) + 1) + rest)
    place = rb"(?>[^>]*?(?:\sr=[\"']|(?=>)))"  # up to where it says its place, or to its end
    return re.compile(
        rb"<(?:c|row)(?=[\s/>])%s(?:>|\d{%d,}[\"']|(?:%s)\d)" % (place, digits, b"|".join(far))
    )
