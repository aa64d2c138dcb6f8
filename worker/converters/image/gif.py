"""Whether a GIF is all there: libvips would silently leave out the frames that are missing.

The blocks are those of the GIF89a specification, sections 17 to 27.
"""

import os
from pathlib import Path
from typing import BinaryIO

_IMAGE, _EXTENSION = b",", b"!"
_HEADER = 13
_DESCRIPTOR = 9


def ends_early(path: Path) -> bool:
    """Tell whether the file ends inside a block; a missing last byte alone is forgiven."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
        _skip(file, _table(header[10:11]))
        while (kind := file.read(1)) in {_IMAGE, _EXTENSION}:
            if kind == _IMAGE:
                descriptor = file.read(_DESCRIPTOR)
                _skip(file, _table(descriptor[8:9]))
            file.read(1)  # the size of a code, or the label of an extension
            if not _skip_blocks(file):
                return True
        return file.tell() > os.fstat(file.fileno()).st_size


def _table(flags: bytes) -> int:
    """Return the bytes of the colour table that these flags announce."""
    return 3 * 2 ** ((flags[0] & 7) + 1) if flags and flags[0] & 0x80 else 0


def _skip_blocks(file: BinaryIO) -> bool:
    """Skip blocks up to the empty one that ends them; False when the file ended before it."""
    while length := file.read(1):
        if length == b"\0":
            return True
        _skip(file, length[0])
    return False


def _skip(file: BinaryIO, length: int) -> None:
    file.seek(length, os.SEEK_CUR)
