"""ICO: the largest image of an icon is read; several sizes are written, as programs expect."""

import io
import struct
from dataclasses import dataclass

import PIL.IcoImagePlugin
import pyvips

from worker.converters.image import budget, loaders
from worker.converters.image.picture import Picture, Request
from worker.converters.image.progress import PIXELS_DONE
from worker.converters.image.refusal import blamed_on, damaged, foreign
from worker.converters.image.through_pillow import from_pillow
from worker.converters.image.upright import READ

SIZES = (16, 32, 48, 256)

_HEADER = struct.Struct("<HHH")
_ENTRY = struct.Struct("<BBBBHHII")
_PNG = b"\x89PNG\r\n\x1a\n"
_MOST_ENTRIES = 256
_IN_MEMORY = 0.5
_WHOLE_HEADER = 40  # the shorter one of OS/2 has its sides elsewhere, and no place in an icon


@dataclass(frozen=True)
class _Entry:
    width: int
    height: int
    depth: int
    content: bytes


def read(request: Request) -> Picture:
    """Return the largest image in the icon; of equal ones that with the most colours."""
    content = request.source.read_bytes()
    with blamed_on(foreign("ico")):
        largest = max(_entries(content), key=lambda one: (one.width * one.height, one.depth))
    budget.check(largest.width, largest.height, limits=request.limits)
    image = _decoded(largest)
    request.meter.reach(READ, "reading")
    return Picture(image, (image.width, image.height))


def write(picture: Picture, request: Request) -> None:
    """Write the picture, and beside it the usual smaller sizes unless one size was asked for."""
    image = picture.image
    with request.meter.watch(image, until=_IN_MEMORY, stage="encoding"):
        image = image.copy_memory()
    sides = [side for side in SIZES if side < max(image.width, image.height)]
    if request.wish.width or request.wish.height:
        sides = []
    images = [image.thumbnail_image(side, height=side, size="down") for side in sides]
    entries = []
    for at, one in enumerate([*images, image], start=1):
        entries.append(_Entry(one.width, one.height, 32, bytes(one.pngsave_buffer(keep="none"))))
        part = at / (len(images) + 1)
        request.meter.reach(_IN_MEMORY + (PIXELS_DONE - _IN_MEMORY) * part, "encoding")
    request.target.write_bytes(_icon(entries))


def _entries(content: bytes) -> list[_Entry]:
    reserved, kind, count = _HEADER.unpack_from(content)
    if (reserved, kind) != (0, 1) or not 0 < count <= _MOST_ENTRIES:
        raise foreign("ico")
    return [_entry(content, at) for at in range(count)]


def _entry(content: bytes, at: int) -> _Entry:
    """Return what the image itself says: the directory may lie, and has one byte for a side."""
    depth, length, offset = _ENTRY.unpack_from(content, _HEADER.size + at * _ENTRY.size)[5:]
    own = content[offset : offset + length]
    if own.startswith(_PNG):
        width, height = struct.unpack_from(">II", own, 16)
        return _Entry(width, height, depth, own)
    header, width, height = struct.unpack_from("<Iii", own)
    if header < _WHOLE_HEADER:
        raise foreign("ico")
    return _Entry(abs(width), abs(height) // 2, depth, own)  # half of it is the mask


def _decoded(entry: _Entry) -> pyvips.Image:
    if entry.content.startswith(_PNG):
        return _decoded_png(entry.content)
    alone = _HEADER.pack(0, 1, 1) + _directory_entry(entry, _HEADER.size + _ENTRY.size)
    with blamed_on(damaged("ico")):
        return from_pillow(PIL.IcoImagePlugin.IcoFile(io.BytesIO(alone + entry.content)).frame(0))


def _decoded_png(content: bytes) -> pyvips.Image:
    loaders.allow("png")
    try:
        return pyvips.Image.pngload_buffer(content, fail_on="error").copy_memory()
    except pyvips.Error as error:
        raise damaged("ico") from error


def _icon(entries: list[_Entry]) -> bytes:
    offset = _HEADER.size + _ENTRY.size * len(entries)
    directory = _HEADER.pack(0, 1, len(entries))
    for entry in entries:
        directory += _directory_entry(entry, offset)
        offset += len(entry.content)
    return directory + b"".join(entry.content for entry in entries)


def _directory_entry(entry: _Entry, offset: int) -> bytes:
    sides = (entry.width % 256, entry.height % 256)  # 0 means 256
    return _ENTRY.pack(*sides, 0, 0, 1, entry.depth, len(entry.content), offset)
