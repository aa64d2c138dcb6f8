"""Pictures whose signature is too short to trust alone: the header behind it must make sense."""

import re

from app.formats.recognise.window import Window, big, little

_BITMAP_HEADERS = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
_PNM = re.compile(rb"P[1-6]\s+(?:#[^\n]{0,200}\n\s*){0,8}\d{1,9}\s+\d{1,9}\s")
_PAM = re.compile(rb"P7\n(?:#[^\n]{0,200}\n){0,8}(?:WIDTH|HEIGHT|DEPTH) \d")
_DNG_VERSION, _KIND, _SUB_IMAGES = 0xC612, 0x00FE, 0x014A  # TIFF 6.0, TIFF/EP, DNG 1.4


def picture(window: Window) -> str | None:
    """Return tiff (or the kind of camera file in TIFF's clothes), bmp, ico, cur, pnm or tga."""
    head = window.head
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return _tiff(window)
    if _is_bitmap(head):
        return "bmp"
    if head[:2] == b"\0\0" and head[2:4] in (b"\x01\0", b"\x02\0") and _holds_icons(window):
        return "ico" if head[2] == 1 else "cur"
    if _PNM.match(head) or _PAM.match(head):
        return "pnm"
    return "tga" if window.tail.endswith(b"TRUEVISION-XFILE.\0") else None


def _tiff(window: Window) -> str:
    """Tell a camera's file from a TIFF: read as a TIFF it would yield only its thumbnail."""
    if window.head[8:10] == b"CR":
        return "raw"
    tags = _first_directory(window)
    if _DNG_VERSION in tags:
        return "dng"
    reduced = tags.get(_KIND) == 1
    return "raw" if reduced and _SUB_IMAGES in tags else "tiff"


def _first_directory(window: Window) -> dict[int, int]:
    read = little if window.head[:2] == b"II" else big
    start = read(window.at(4, 4))
    count = min(read(window.at(start, 2)), 200)
    entries = window.at(start + 2, 12 * count)
    return {
        read(entries[at : at + 2]): read(entries[at + 8 : at + 12])
        for at in range(0, len(entries) - 11, 12)
    }


def _is_bitmap(head: bytes) -> bool:
    if head[:2] != b"BM" or len(head) < 26:
        return False
    pixels, header = little(head[10:14]), little(head[14:18])
    return header in _BITMAP_HEADERS and 14 + header <= pixels < 2**24


def _holds_icons(window: Window) -> bool:
    """Whether the first entry of the list is possible and leads to a PNG or a bitmap header."""
    head = window.head
    count, length, offset = little(head[4:6]), little(head[14:18]), little(head[18:22])
    if len(head) < 22 or not 0 < count <= 1000 or head[9] or not length:
        return False
    if offset < 6 + 16 * count:
        return False
    image = window.at(offset, 4)
    return image in (b"\x89PNG", b"\x28\0\0\0") or (not image and offset < 2**20)
