"""Leaves out of a copy of an OpenDocument file the tables of its forms that show a database.

To draw such a grid LibreOffice needs a library that comes with Base and its windows, which servers
lack: it would end without a word. Other controls do no harm, bound to a database or not.
"""

import shutil
import zipfile
from pathlib import Path
from xml.parsers import expat

from worker.converters.office import libreoffice
from worker.converters.office.hearing import is_grid
from worker.converters.office.seen import Seen
from worker.converters.refusal import Refusal

NOTE = (
    "A table in a form of the document shows records of a database. It is not in the PDF, because "
    "this service lacks LibreOffice's Base. The operator can install it (on Debian: "
    "libreoffice-base, whose -nogui cannot draw)."
)
_DRAWS = "libdbulo.so"
_PART = "content.xml"  # of the document, and of documents in it


def get_lost(seen: Seen, target_format: str) -> bool:
    """Whether a document in which this was seen has grids that cannot be drawn."""
    place = libreoffice.place()
    return seen.grids and target_format == "pdf" and not (place and (place / _DRAWS).exists())


def cannot_be_left_out() -> Refusal:
    """Return the refusal of a document that lay under a password until LibreOffice read it."""
    return Refusal(
        "unsupported_content",
        "A table in a form of the document shows records of a database, which this service cannot "
        "draw; upload a copy without a password, of which the rest can be converted.",
    )


def leave_out(source: Path, copy: Path) -> None:
    """Write a copy of a document that has been looked at, without any grid."""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(copy, "w") as made:
        for name in dict.fromkeys(archive.namelist()):
            member = zipfile.ZipInfo(name)
            member.compress_type = archive.getinfo(name).compress_type
            member.file_size = archive.getinfo(name).file_size  # what is large needs more room
            with archive.open(name) as content, made.open(member, "w") as out:
                if name.rpartition("/")[2] == _PART:
                    out.write(without_grids(content.read()))
                else:
                    shutil.copyfileobj(content, out)


def without_grids(content: bytes) -> bytes:
    """Return a part in whatever encoding it has, without its grids and all that is in them."""
    left, at = bytearray(), 0
    try:
        found = _Finder().find(content)
    except expat.ExpatError:  # of a document within the document, which nobody has looked at
        return content
    for begin, end in found:
        left += content[at:begin]
        at = end
    return bytes(left + content[at:])


class _Finder:
    """Finds from which byte to which grids reach: up to whatever comes next in the part."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.DefaultHandler = lambda _text: self._close()
        self._found: list[tuple[int, int]] = []
        self._begin = self._depth = 0
        self._is_behind = False

    def find(self, content: bytes) -> list[tuple[int, int]]:
        self._parser.Parse(content, True)
        return self._found

    def _start(self, full: str, attributes: dict[str, str]) -> None:
        self._close()
        local = {_local(name): value for name, value in attributes.items()}
        if self._depth:
            self._depth += 1
        elif is_grid(_local(full), local):
            self._begin, self._depth = self._parser.CurrentByteIndex, 1

    def _end(self, _full: str) -> None:
        self._close()
        if self._depth:
            self._depth -= 1
            self._is_behind = self._depth == 0

    def _close(self) -> None:
        if self._is_behind:
            self._found.append((self._begin, self._parser.CurrentByteIndex))
            self._is_behind = False


def _local(full: str) -> str:
    return full.rpartition(" ")[2]
