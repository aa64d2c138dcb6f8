"""A film written by hand, whose only picture lies in the film itself or in another file.

QuickTime File Format Specification, "Data Reference Atoms"; the other file is named by a Macintosh
alias record, of which ffmpeg reads the absolute path.
"""

import struct
from pathlib import Path

_MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
_SECOND = 600  # in its units of time


def film(picture: bytes, *, side: int, elsewhere: Path | None = None) -> bytes:
    """Return a film of one second that shows this PNG; `elsewhere` is where it lies instead."""
    head = _atom(b"ftyp", b"qt  " + bytes(4) + b"qt  ")
    inside = b"" if elsewhere else picture
    start = 0 if elsewhere else len(head) + 8
    reference = _alias(elsewhere) if elsewhere else _atom(b"url ", struct.pack(">I", 1))
    table = [
        _atom(b"stsd", struct.pack(">II", 0, 1) + _described(side)),
        _atom(b"stts", struct.pack(">4I", 0, 1, 1, _SECOND)),
        _atom(b"stsc", struct.pack(">5I", 0, 1, 1, 1, 1)),
        _atom(b"stsz", struct.pack(">3I", 0, len(picture), 1)),
        _atom(b"stco", struct.pack(">3I", 0, 1, start)),
    ]
    media = [
        _atom(b"mdhd", struct.pack(">5IHH", 0, 0, 0, _SECOND, _SECOND, 0, 0)),
        _atom(b"hdlr", bytes(4) + b"mhlrvide" + bytes(13)),
        _atom(
            b"minf",
            _atom(b"vmhd", struct.pack(">I4H", 1, 0, 0, 0, 0)),
            _atom(b"dinf", _atom(b"dref", struct.pack(">II", 0, 1), reference)),
            _atom(b"stbl", *table),
        ),
    ]
    size = struct.pack(">II", side << 16, side << 16)
    track = struct.pack(">6I", 15, 0, 0, 1, 0, _SECOND) + bytes(16) + _MATRIX + size
    movie = struct.pack(">6I", 0, 0, 0, _SECOND, _SECOND, 0x10000) + bytes(12) + _MATRIX
    whole = [
        _atom(b"mvhd", movie + bytes(24) + struct.pack(">I", 2)),
        _atom(b"trak", _atom(b"tkhd", track), _atom(b"mdia", *media)),
    ]
    return head + _atom(b"mdat", inside) + _atom(b"moov", *whole)


def _described(side: int) -> bytes:
    entry = bytes(6) + struct.pack(">H", 1) + bytes(16) + struct.pack(">HH", side, side)
    entry += struct.pack(">IIIH", 72 << 16, 72 << 16, 0, 1) + bytes(32)
    return _atom(b"png ", entry + struct.pack(">Hh", 24, -1))


def _alias(path: Path) -> bytes:
    """Return a record without a volume: what stands behind it is the path, with colons."""
    named = str(path).encode().replace(b"/", b":")
    named += bytes(len(named) % 2)
    levels = struct.pack(">HH", 0xFFFF, 0xFFFF)
    fixed = bytes(10) + bytes(28) + bytes(12) + bytes(64) + bytes(16) + levels + bytes(16)
    return _atom(
        b"alis", bytes(4) + fixed + struct.pack(">HH", 2, len(named)) + named + b"\xff\xff\0\0"
    )


def _atom(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", len(content) + 8) + kind + content
