"""Looks at a document of Office 97-2003: whole, of the right kind, and not under a password."""

from pathlib import Path

from worker.converters.compound import MAGIC, Broken, Compound
from worker.converters.office.refusal import damaged, foreign
from worker.converters.office.seen import Seen
from worker.converters.refusal import Refusal

_WORD_97, _WORD_6 = 0xA5EC, 0xA5DC
_ENCRYPTED = 0x0100
_SECOND_TABLE = 0x0200
_PLAIN, _CIPHERED = 0xE391C05F, 0xF3D1C4DF
_BOF = 0x0809
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
            locked = _LOOKS[source_format](compound)
            compound.check()
        except Broken as broken:
            raise damaged(source_format, str(broken)) from broken
    return Seen(locked=locked, macros=bool(_MACROS & compound.folders))


def is_locked(source: Path) -> bool:
    """Whether this compound file is an OOXML document under a password ([MS-OFFCRYPTO] 1.3.2)."""
    with source.open("rb") as file:
        try:
            return "EncryptedPackage" in Compound(file).streams
        except Broken:
            return False


def _look_at_text(compound: Compound) -> bool:
    """Read the beginning of the File Information Block ([MS-DOC] 2.5.2)."""
    _need(compound, "WordDocument", foreign("doc"))
    head = compound.read("WordDocument", 32)
    if _word(head, 0) not in (_WORD_97, _WORD_6):
        raise damaged("doc", "its header makes no sense")
    flags = _word(head, 10)
    if _word(head, 0) == _WORD_97:
        table = "1Table" if flags & _SECOND_TABLE else "0Table"
        _need(compound, table, damaged("doc", "a part of it is missing"))
    return bool(flags & _ENCRYPTED)


def _look_at_sheets(compound: Compound) -> bool:
    """Look at the first record of the workbook ([MS-XLS] 2.4.21)."""
    name = "Workbook" if "Workbook" in compound.streams else "Book"
    _need(compound, name, foreign("xls"))
    records = compound.read(name, 4096)
    if _word(records, 0) != _BOF:
        raise damaged("xls", "its header makes no sense")
    return False


def _look_at_slides(compound: Compound) -> bool:
    """Read the token of the CurrentUserAtom ([MS-PPT] 2.3.2)."""
    for name in ("PowerPoint Document", "Current User"):
        _need(compound, name, foreign("ppt"))
    token = int.from_bytes(compound.read("Current User", 16)[12:16], "little")
    if token not in (_PLAIN, _CIPHERED):
        raise damaged("ppt", "its header makes no sense")
    return token == _CIPHERED


def _look_at_package(compound: Compound) -> bool:
    """Look for the two streams of [MS-OFFCRYPTO] 1.3.2."""
    for name in ("EncryptedPackage", "EncryptionInfo"):
        _need(compound, name, foreign("encrypted-office"))
    return True


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
