"""Looks at a document of Office 97-2003: whole, of the right kind, and not under a password."""

import struct
from collections.abc import Iterator
from pathlib import Path

from worker.converters.compound import MAGIC, Broken, Compound
from worker.converters.office.refusal import damaged, foreign
from worker.converters.office.seen import Seen, Unprinted
from worker.converters.refusal import Refusal

_WORD_97, _WORD_6 = 0xA5EC, 0xA5DC
_LETTERS_OF_COMMENTS = {_WORD_97: 0x5C, _WORD_6: 0x44}  # where ccpAtn lies
_ENCRYPTED = 0x0100
_SECOND_TABLE = 0x0200
_PLAIN, _CIPHERED = 0xE391C05F, 0xF3D1C4DF
_BOF, _LOCKED, _SHEET, _COMMENT = 0x0809, 0x002F, 0x0085, 0x001C  # records of a workbook
_SEEN_SHEETS = (0, 2)  # of cells, of a chart; the others are programs
_MACROS = {"Macros", "_VBA_PROJECT_CUR"}


def look(source: Path, source_format: str) -> Seen:
    """Return what was seen of it; raise Refusal for what cannot be read.

    Workbooks may be encrypted with the password that every program knows, and then open for
    everybody: whether that is so, LibreOffice finds out.
    """
    with source.open("rb") as file:
        if file.read(8) != MAGIC:
            raise foreign(source_format)
        try:
            compound = Compound(file)
            seen = _LOOKS[source_format](compound)
            compound.check()
        except Broken as broken:
            raise damaged(source_format, str(broken)) from broken
    seen.macros = bool(_MACROS & compound.folders)
    return seen


def is_locked(source: Path) -> bool:
    """Whether this compound file is an OOXML document under a password ([MS-OFFCRYPTO] 1.3.2)."""
    with source.open("rb") as file:
        try:
            return "EncryptedPackage" in Compound(file).streams
        except Broken:
            return False


def _look_at_text(compound: Compound) -> Seen:
    """Read the beginning of the File Information Block ([MS-DOC] 2.5.1)."""
    _need(compound, "WordDocument", foreign("doc"))
    head = compound.read("WordDocument", 96)
    if _word(head, 0) not in (_WORD_97, _WORD_6):
        raise damaged("doc", "its header makes no sense")
    flags = _word(head, 10)
    if _word(head, 0) == _WORD_97:
        table = "1Table" if flags & _SECOND_TABLE else "0Table"
        _need(compound, table, damaged("doc", "a part of it is missing"))
    at = _LETTERS_OF_COMMENTS[_word(head, 0)]
    return Seen(locked=bool(flags & _ENCRYPTED), comments=any(head[at : at + 4]))


def _look_at_sheets(compound: Compound) -> Seen:
    """Go through the records of the workbook ([MS-XLS] 2.1.4); in a locked one nothing is seen."""
    name = "Workbook" if "Workbook" in compound.streams else "Book"
    _need(compound, name, foreign("xls"))
    stream = compound.read(name)
    if _word(stream, 0) != _BOF:
        raise damaged("xls", "its header makes no sense")
    seen = Seen()
    for kind, body in _records(stream):
        if kind == _LOCKED:
            return Seen()
        if kind == _SHEET and len(body) > 5 and body[4] & 3 and body[5] in _SEEN_SHEETS:
            seen.unprinted.add(Unprinted.SHEETS)
        seen.comments |= kind == _COMMENT
    return seen


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        if kind == length == 0:
            return  # what follows is padding
        yield kind, stream[at + 4 : at + 4 + length]
        at += 4 + length


def _look_at_slides(compound: Compound) -> Seen:
    """Read the token of the CurrentUserAtom ([MS-PPT] 2.3.2)."""
    for name in ("PowerPoint Document", "Current User"):
        _need(compound, name, foreign("ppt"))
    token = int.from_bytes(compound.read("Current User", 16)[12:16], "little")
    if token not in (_PLAIN, _CIPHERED):
        raise damaged("ppt", "its header makes no sense")
    return Seen(locked=token == _CIPHERED)


def _look_at_package(compound: Compound) -> Seen:
    """Look for the two streams of [MS-OFFCRYPTO] 1.3.2."""
    for name in ("EncryptedPackage", "EncryptionInfo"):
        _need(compound, name, foreign("encrypted-office"))
    return Seen(locked=True)


def _need(compound: Compound, name: str, otherwise: Refusal) -> None:
    if name not in compound.streams:
        raise otherwise


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


_LOOKS = {
    "doc": _look_at_text,
    "xls": _look_at_sheets,
    "ppt": _look_at_slides,
    "encrypted-office": _look_at_package,
}
