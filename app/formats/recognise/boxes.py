"""Files made of ISO base media boxes (ISO/IEC 14496-12): HEIC, AVIF, MP4, MOV, M4A, 3GP."""

from app.formats.recognise.window import Window, big

_BRANDS = {
    **dict.fromkeys((b"avif", b"avis", b"avio"), "avif"),
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis"), "heic"),
    **dict.fromkeys((b"hevc", b"hevx", b"hevm", b"hevs"), "heic"),
    **dict.fromkeys((b"M4A ", b"M4B ", b"M4P "), "m4a"),
    b"qt  ": "mov",
    b"crx ": "raw",
    b"jp2 ": "jp2",
    b"jxl ": "jxl",
}
_PICTURES = (b"mif1", b"mif2", b"msf1", b"miaf", b"MiHE", b"MiHB", b"MiAB", b"MA1A", b"MA1B")
_OLD_MOVIE_BOXES = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot", b"udta"})


def boxes(window: Window) -> str | None:
    """Return the format that the brands name; an old QuickTime film has boxes but no brand."""
    if window.head[4:8] == b"ftyp":
        return _branded(window.head)
    return "mov" if _is_old_movie(window) else None


def _branded(head: bytes) -> str | None:
    major, *others = _brands(head)
    if major in _BRANDS:
        return _BRANDS[major]
    if major in _PICTURES:
        return _picture(head, others)
    if major.startswith((b"3gp", b"3g2", b"3ge", b"3gr", b"3gs")):
        return "3gp"
    return "mp4" if len(major) == 4 and major.isascii() and major[:1].isalnum() else None


def _brands(head: bytes) -> list[bytes]:
    """Return the major brand, then the compatible ones (a version number stands between)."""
    end = min(big(head[:4]), 1024)
    return [head[8:12], *(head[at : at + 4] for at in range(16, end - 3, 4))]


def _picture(head: bytes, others: list[bytes]) -> str:
    """Settle a general picture brand: by a compatible brand, or by the codec of its items."""
    for brand in others:
        if _BRANDS.get(brand) in ("avif", "heic"):
            return _BRANDS[brand]
    items = head[: 64 * 1024]
    if b"hvc1" in items:
        return "heic"
    return "avif" if b"av01" in items else "heif"


def _is_old_movie(window: Window) -> bool:
    kind, length = window.head[4:8], big(window.head[:4])
    if kind not in _OLD_MOVIE_BOXES:
        return False
    if kind == b"moov":
        return window.head[12:16] in (b"mvhd", b"cmov")
    if length == 1:
        length = big(window.head[8:16])
    following = window.at(length, 8)[4:8]
    return following in _OLD_MOVIE_BOXES or (kind == b"mdat" and b"mvhd" in window.tail)
