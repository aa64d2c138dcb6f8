"""What every sample document says and shows."""

import struct
import zlib

HEADING = "Chapter One"
WORDS = "Grüße 漢字 αβγ"
CELLS = ("left-cell", "right-cell")
NOTE = "a note below"


def png(width: int = 12, height: int = 8, *, rows: bytes | None = None) -> bytes:
    """Return a red picture; with `rows` its header may promise what is not there."""
    pixels = (b"\0" + b"\xe6\x14\x14" * width) * height if rows is None else rows
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b""))
    )
