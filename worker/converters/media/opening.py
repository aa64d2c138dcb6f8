"""Looks at the two ends of a file before ffmpeg sees it: is it what it is called, and all of it."""

import os
from dataclasses import dataclass
from pathlib import Path

from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise
from worker.converters.media.refusal import TITLES, foreign
from worker.converters.refusal import Refusal

_UNKNOWN = (0, 0xFFFFFFFF)  # what recorders write that never came to the end, or past 4 GiB
_ENOUGH = 0.95


@dataclass(frozen=True)
class Ends:
    """The first and the last bytes of a file, and how many it has."""

    head: bytes
    tail: bytes
    size: int


def ends(source: Path) -> Ends:
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(HEAD_BYTES)
        file.seek(max(0, size - TAIL_BYTES))
        return Ends(head, file.read(TAIL_BYTES), size)


def check(seen: Ends, source_format: str) -> None:
    """Raise Refusal for a file of another format, or one whose own header says that it is cut.

    ffmpeg would take a photo that is called a film for a film of one picture, and half a WAV or
    AVI for a whole one.
    """
    if recognise(seen.head, seen.tail, size=seen.size) != source_format:
        raise foreign(source_format)
    if source_format in ("wav", "avi"):
        _check_riff(seen, source_format)


def _check_riff(seen: Ends, source_format: str) -> None:
    said = int.from_bytes(seen.head[4:8], "little")
    if said not in _UNKNOWN and seen.size < (said + 8) * _ENOUGH:
        raise Refusal(
            "corrupt_input",
            f"The {TITLES[source_format]} is incomplete: it should have {said + 8:,} bytes and "
            f"has {seen.size:,}.",
        )
