"""Looks at a Rich Text file: that it begins as one and that its last group is closed."""

import mmap
import re
from pathlib import Path

from worker.converters.office.refusal import damaged, foreign
from worker.converters.office.seen import Seen

_TOKEN = re.compile(rb"\\bin(\d{1,9}) ?|\\[^a-z]|[{}]", re.DOTALL)

_INCLUDED = re.compile(rb"INCLUDE(?:PICTURE|TEXT)\b")
_FORMULA = re.compile(rb"\\moMath\b")
_COMMENT = re.compile(rb"\\annotation\b")


def look(source: Path) -> Seen:
    """Raise Refusal for what is no RTF, or for one that ends before it is complete."""
    with source.open("rb") as file:
        if not file.read(5).startswith(b"{\\rtf"):
            raise foreign("rtf")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if not _is_closed(data):
                raise damaged("rtf", "it ends early")
            return Seen(
                elsewhere=len(_INCLUDED.findall(data)),
                formulas=_FORMULA.search(data) is not None,
                comments=_COMMENT.search(data) is not None,
            )


def _is_closed(data: mmap.mmap) -> bool:
    r"""Whether the brace that it begins with is closed; \bin announces bytes as they are."""
    depth, at = 0, 0
    while found := _TOKEN.search(data, at):
        at = found.end() + int(found[1] or 0)
        if found[0] in b"{}":
            depth += 1 if found[0] == b"{" else -1
        if depth == 0:
            return True
    return False
