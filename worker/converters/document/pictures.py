"""Keeps the typesetter from pictures that would end it: unknown forms, damage, endless pixels."""

from collections.abc import Callable
from pathlib import Path

from app.formats.recognise import HEAD_BYTES, recognise
from worker.converters.document.request import Report

SHOWN = frozenset({"png", "jpg", "gif", "webp", "svg"})

_EMPTY = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64">'
    b'<path d="M1 1h94v62h-94zl94 62m0-62l-94 62" fill="none" stroke="#999"/></svg>'
)


def replace_unusable(folder: Path, *, max_pixels: int, report: Report) -> None:
    """Put a crossed box in place of each picture that is of no known form or too large."""
    for picture in _pictures(folder):
        with picture.open("rb") as file:
            head = file.read(HEAD_BYTES)
        kind = recognise(head, size=picture.stat().st_size)
        if kind not in SHOWN:
            _replace(picture, report, f"is of a form ({kind or 'unknown'}) that is not shown here")
        elif (pixels := _pixels(kind, head)) > max_pixels:
            _replace(
                picture,
                report,
                f"has {pixels:,} pixels, more than the {max_pixels:,} of ROWMILL_MAX_PIXELS",
            )


def replace_failing(folder: Path, report: Report, *, works: Callable[[Path], bool]) -> bool:
    """Put a crossed box in place of each picture that does not work; return whether any did not."""
    failing = [picture for picture in _pictures(folder) if not works(picture)]
    for picture in failing:
        _replace(picture, report, "is damaged")
    return bool(failing)


def _pictures(folder: Path) -> list[Path]:
    return sorted(place for place in folder.glob("**/*.picture") if place.is_file())


def _replace(picture: Path, report: Report, why: str) -> None:
    picture.write_bytes(_EMPTY)
    note = f"A picture {why}; a crossed box stands in its place."
    if note not in report.notes:
        report.notes.append(note)


def _pixels(kind: str, head: bytes) -> int:
    """Return width times height as the header says; 0 for drawings and what says nothing."""
    measure = _SIZES.get(kind)
    width, height = measure(head) if measure else (0, 0)
    return width * height


def _png(head: bytes) -> tuple[int, int]:
    return _number(head[16:20]), _number(head[20:24])


def _gif(head: bytes) -> tuple[int, int]:
    return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")


def _jpg(head: bytes) -> tuple[int, int]:
    """Walk the segments up to the frame header (ITU-T T.81, B.2.2)."""
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        marker, length = head[at + 1], _number(head[at + 2 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _number(head[at + 7 : at + 9]), _number(head[at + 5 : at + 7])
        at += 2 + length
    return 0, 0


def _webp(head: bytes) -> tuple[int, int]:
    """Read the first chunk: RFC 9649, 2.5 to 2.7."""
    little = int.from_bytes
    if head[12:16] == b"VP8X":
        return 1 + little(head[24:27], "little"), 1 + little(head[27:30], "little")
    if head[12:16] == b"VP8L":
        bits = little(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return little(head[26:28], "little") & 0x3FFF, little(head[28:30], "little") & 0x3FFF


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


_SIZES: dict[str, Callable[[bytes], tuple[int, int]]] = {
    "png": _png,
    "gif": _gif,
    "jpg": _jpg,
    "webp": _webp,
}
