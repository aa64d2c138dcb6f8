"""The file that a converter left: looked at before anybody believes in it."""

import hashlib
import os
import zlib
from pathlib import Path
from typing import Any

from app.formats.catalogue import PLAIN_TEXT, media_type_of
from app.formats.known import KNOWN
from app.formats.recognise import recognise
from app.settings import Settings
from worker.cell.result import BadResult, check_result

BLOCK_BYTES = 1024**2
TAIL_BYTES = 64 * 1024
_ANYTHING = frozenset({"csv", "tsv"})  # a cell may hold whatever looks like something else
_RECOGNISABLE = frozenset(known.name for known in KNOWN)  # not those of third parties


def name(target: str) -> str:
    """Return what a result is called inside the scratch folder."""
    return f"output.{target}"


def limit(settings: Settings) -> int:
    """Return how large a result may be, in bytes; `too_large` says so to people."""
    return 4 * settings.max_upload_bytes


def checked(place: Path, target: str, made: str, *, limit_bytes: int) -> dict[str, Any]:
    """Return size, sums, format and media type of a result; raise BadResult for a false one.

    `made` is the format it should have: the target's, or zip.
    """
    return _described(check_result(place, name(target), limit_bytes=limit_bytes), made)


def described(published: Path, made: str) -> dict[str, Any]:
    """Return the same of a file that was published before; raise OSError if it cannot be read."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return _described(os.open(published, flags), made)


def _described(descriptor: int, made: str) -> dict[str, Any]:
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        head = file.read(BLOCK_BYTES)
        digest, crc = hashlib.sha256(head), zlib.crc32(head)
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
            crc = zlib.crc32(block, crc)
        file.seek(max(0, size - TAIL_BYTES))
        _refuse_other_format(made, head, file.read(), size)
    return {
        "size": size,
        "sha256": digest.hexdigest(),
        "crc32": crc,  # stands before the bytes in a zip, which may then begin at once
        "format": made,
        "media_type": media_type_of(made),
    }


def _refuse_other_format(made: str, head: bytes, tail: bytes, size: int) -> None:
    # Some programs end well and leave something else: an empty page, a film of one picture.
    if made in _ANYTHING:
        return
    found = recognise(head, tail, size=size)
    if made in _RECOGNISABLE and found != made and not (made in PLAIN_TEXT and found in PLAIN_TEXT):
        raise BadResult("output_empty", f"the converter made {found or 'nothing known'}")
