"""Whether an MP4 or QuickTime film has a beginning that nobody sees, as cuts on a phone leave it.

The pictures are all there, and a list (ISO/IEC 14496-12, 8.6.6) says at which the film begins.
Copied into a container that has no such list, they would all be seen.
"""

import io
import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

_FORMATS = ("mp4", "mov", "m4a", "3gp")
_SHORTEST_CUT = 0.25  # seconds; encoders let a sound begin some milliseconds before it is heard
_MOST_BOXES = 1_000  # side by side: real files have some dozens
_MOST_EDITS = 100

_Place = tuple[int, int]  # where the content of a box begins and ends


def hides_its_beginning(source: Path, source_format: str) -> bool:
    """Tell it of a film or sound; False where the file makes no sense, which ffmpeg will say."""
    if source_format not in _FORMATS:
        return False
    with source.open("rb") as file, suppress(struct.error, OverflowError):
        movie = _inside(file, (0, file.seek(0, io.SEEK_END)), b"moov")
        if movie is None or _inside(file, movie, b"mvex"):  # in fragments nobody cuts
            return False
        return any(_is_cut(file, place) for kind, place in _boxes(file, movie) if kind == b"trak")
    return False


def _is_cut(file: BinaryIO, track: _Place) -> bool:
    edits = _inside(file, track, b"edts", b"elst")
    head = _inside(file, track, b"mdia", b"mdhd")
    if edits is None or head is None:
        return False
    parts = [start for start in _starts(file, edits) if start >= 0]  # -1 is a pause
    begin = (parts[0] - _delay(file, track)) / max(1, _ticks(file, head)) if parts else 0.0
    return begin > _SHORTEST_CUT or len(parts) > 1


def _starts(file: BinaryIO, edits: _Place) -> list[int]:
    """Return at which tick of the track each part begins that is shown."""
    version, count = _read(file, edits[0], ">B3xI")
    entry = struct.Struct(">8xq4x" if version else ">4xi4x")
    file.seek(edits[0] + 8)
    data = file.read(entry.size * min(count, _MOST_EDITS))
    return [start for (start,) in entry.iter_unpack(data)]


def _ticks(file: BinaryIO, head: _Place) -> int:
    """Return how many ticks of the track are a second."""
    (version,) = _read(file, head[0], ">B")
    (ticks,) = _read(file, head[0] + (20 if version else 12), ">I")
    return int(ticks)


def _delay(file: BinaryIO, track: _Place) -> int:
    """Return how many ticks the first picture waits for those that are decoded after it."""
    delays = _inside(file, track, b"mdia", b"minf", b"stbl", b"ctts")
    return int(_read(file, delays[0] + 12, ">i")[0]) if delays else 0


def _inside(file: BinaryIO, place: _Place, *kinds: bytes) -> _Place | None:
    """Return the first box of this kind in the first of that kind, and so on."""
    found: _Place | None = place
    for wanted in kinds:
        if found is None:
            return None
        found = next((inner for kind, inner in _boxes(file, found) if kind == wanted), None)
    return found


def _boxes(file: BinaryIO, place: _Place) -> Iterator[tuple[bytes, _Place]]:
    return islice(_all_boxes(file, place), _MOST_BOXES)


def _all_boxes(file: BinaryIO, place: _Place) -> Iterator[tuple[bytes, _Place]]:
    at, end = place
    while at + 8 <= end:
        size, kind = _read(file, at, ">I4s")
        head = 8
        if size == 1:
            (size,), head = _read(file, at + 8, ">Q"), 16
        size = size or end - at
        yield kind, (at + head, min(at + size, end))
        at += size


def _read(file: BinaryIO, at: int, layout: str) -> tuple[Any, ...]:
    file.seek(at)
    return struct.unpack(layout, file.read(struct.calcsize(layout)))
