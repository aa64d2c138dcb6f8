"""What a converter made, read by programs that it was not made with."""

import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageSequence
from PIL.PdfParser import PdfParser

from tests.worker.converters.made import Made
from worker.outcome import Converted

NAMES = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP", "avif": "AVIF", "tiff": "TIFF"}
NAMES |= {"gif": "GIF", "bmp": "BMP", "ico": "ICO"}


@dataclass(frozen=True)
class Result(Made):
    target_format: str

    @property
    def image(self) -> Image.Image:
        """The picture, read by Pillow and by nothing else than the target's reader."""
        assert isinstance(self.outcome, Converted), self.outcome
        if self.target_format == "pdf":
            return picture_in_pdf(self.path)
        with Image.open(self.path, formats=(NAMES[self.target_format],)) as opened:
            opened.load()
            return opened

    @property
    def frames(self) -> list[Image.Image]:
        with Image.open(self.path, formats=(NAMES[self.target_format],)) as opened:
            return [frame.convert("RGBA") for frame in ImageSequence.Iterator(opened)]

    @property
    def delays(self) -> list[int]:
        with Image.open(self.path) as opened:
            return [_delay(frame) for frame in ImageSequence.Iterator(opened)]


def _delay(frame: Image.Image) -> int:
    frame.load()  # WebP and AVIF know the time of a frame only then
    milliseconds: float = frame.info["duration"]
    return round(milliseconds)


def pixel(image: Image.Image, across: float, down: float) -> tuple[int, ...]:
    """Return the red, green, blue and alpha at a place given as parts of width and height."""
    at = (int(image.width * across), int(image.height * down))
    value = image.convert("RGBA").getpixel(at)
    assert isinstance(value, tuple)
    return tuple(int(part) for part in value)


def corners(image: Image.Image) -> list[tuple[int, ...]]:
    """Return the colours a quarter in from each corner, as one reads."""
    places = ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75))
    return [pixel(image, *place)[:3] for place in places]


def near(one: Any, other: Any, *, within: int = 24) -> bool:
    """Whether two colours, or lists of them, are the same to the eye."""
    if isinstance(one[0], int):
        return all(abs(a - b) <= within for a, b in zip(one, other, strict=True))
    return all(near(a, b, within=within) for a, b in zip(one, other, strict=True))


def picture_in_pdf(path: Path) -> Image.Image:
    """Return the only picture of a PDF's only page, found by Pillow's own PDF parser."""
    with PdfParser(str(path)) as parser:
        assert len(parser.pages) == 1
        page = parser.read_indirect(parser.pages[0])
        picture = parser.read_indirect(page[b"Resources"][b"XObject"][b"Picture"])
        entries, content = picture.dictionary, bytes(picture.buf)
    if entries[b"Filter"].name == b"DCTDecode":
        return Image.open(io.BytesIO(content))
    return _undo_predictor(content, entries)


def _undo_predictor(content: bytes, entries: Any) -> Image.Image:
    """Rows packed as in a PNG: let a PNG reader read them."""
    size = (entries[b"Width"], entries[b"Height"])
    colours = entries[b"DecodeParms"][b"Colors"]
    rows = zlib.decompress(content)
    assert len(rows) == size[1] * (size[0] * colours + 1)
    kind = {1: 0, 3: 2}[colours]
    header = b"".join(n.to_bytes(4, "big") for n in size) + bytes((8, kind, 0, 0, 0))
    chunks = ((b"IHDR", header), (b"IDAT", content), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")
        for name, body in chunks
    )
    return Image.open(io.BytesIO(png))


def page_size(path: Path) -> tuple[float, ...]:
    """Return the width and height of a PDF's page in points."""
    found = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", path.read_bytes())
    assert found is not None
    return float(found[1]), float(found[2])
