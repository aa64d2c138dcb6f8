"""Says whether a ZIP unpacks to more than allowed, before any reader of documents opens it."""

from pathlib import Path
from typing import BinaryIO

from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise
from worker.converters.archive import Archive, BadArchive
from worker.converters.limits import Limits
from worker.outcome import Refused

DENSE_BYTES = 32 * 1024**2  # up to here a file may be packed as densely as it likes

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def check(source: Path, *, limits: Limits) -> Refused | None:
    """Return why this ZIP (OOXML, OpenDocument, EPUB) must not be opened, or None if it may.

    Every member is unpacked and thrown away, in constant memory, until a limit is reached: what
    the file says of its own sizes is not believed. A file that Office locked with a password is
    no ZIP, and is told apart from a damaged one.
    """
    with source.open("rb") as file:
        try:
            return _stranger(file) or _excess(Archive(file), limits)
        except BadArchive as fault:
            return Refused(fault.code, str(fault))


def _stranger(file: BinaryIO) -> Refused | None:
    head = file.read(8)
    if head.startswith(b"PK"):
        return None
    if head != _OLE:
        return Refused(
            "corrupt_input", "The file is damaged, or it is not the kind of file its name says."
        )
    if _name(file) == "encrypted-office":
        return Refused(
            "password_required",
            "The document is locked with a password; save a copy without one and upload that.",
        )
    return Refused(
        "corrupt_input", "The file is an older Office file under a newer name; save it anew."
    )


def _name(file: BinaryIO) -> str | None:
    size = file.seek(0, 2)
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(max(0, size - TAIL_BYTES))
    return recognise(head, file.read(), size=size)


def _excess(archive: Archive, limits: Limits) -> Refused | None:
    unpacked = 0
    for number, member in enumerate(archive.members(), start=1):
        if number > limits.max_zip_entries:
            return _too_much(
                f"The file holds more than {limits.max_zip_entries:,} parts, "
                "the most that this service opens (ROWMILL_MAX_ZIP_ENTRIES)."
            )
        for length in archive.unpack(member):
            unpacked += length
            if excess := _more_than_allowed(unpacked, archive.size, limits):
                return excess
    return None


def _more_than_allowed(unpacked: int, size: int, limits: Limits) -> Refused | None:
    if unpacked > limits.max_inflated_bytes:
        return _too_much(
            f"The file of {size:,} bytes unpacks to more than {limits.max_inflated_bytes:,}, "
            "the most that this service unpacks (ROWMILL_MAX_INFLATED_BYTES)."
        )
    if unpacked > max(DENSE_BYTES, size * limits.max_zip_ratio):
        return _too_much(
            f"The file of {size:,} bytes unpacks to more than {limits.max_zip_ratio:,} times "
            "its size, the most that this service unpacks (ROWMILL_MAX_ZIP_RATIO)."
        )
    return None


def _too_much(detail: str) -> Refused:
    return Refused("inflates_too_much", detail)
