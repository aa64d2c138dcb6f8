"""PDF whose pages are exactly the pictures (ISO 32000-1, 7.5 and 8.9.5)."""

import struct
from typing import BinaryIO

import pyvips

from worker.converters.image.colour import PROFILE
from worker.converters.image.picture import Picture, Request
from worker.converters.image.progress import PIXELS_DONE

QUALITY = 90
SCREEN_DPI = 96  # for pictures that do not say how large they are
LONGEST_PAGE = 14_400  # points; readers stop there

_INCH = 25.4
_PNG_SIGNATURE = 8
_CATALOGUE, _PAGES = 1, 2  # the numbers of the two objects that are written last


def write(picture: Picture, request: Request) -> None:
    """Write an opaque picture as the only page."""
    with request.target.open("wb") as file:
        document = Document(file)
        document.add(picture, request)
        document.end()


class Document:
    """A file that gets its pages one after the other, and keeps none of them in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._places = {0: 0}
        self._pages: list[int] = []
        self._next = _PAGES + 1
        self._file.write(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")  # four high bytes: this is not a text

    def add(self, picture: Picture, request: Request) -> None:
        """Write a picture as JPEG, or row by row as in a PNG when it must be lossless."""
        image = picture.image
        with request.meter.watch(image, until=PIXELS_DONE, stage="encoding"):
            if request.wish.lossless:
                packed = _idat(image.pngsave_buffer(keep="none"))
                filters = f"/FlateDecode /DecodeParms {_predictor(image)}"
            else:
                packed = image.jpegsave_buffer(Q=request.wish.quality or QUALITY, keep="none")
                filters = "/DCTDecode"
        self._write_page(image, packed, filters)

    def end(self) -> None:
        kids = b" ".join(b"%d 0 R" % page for page in self._pages)
        self._write(b"<< /Type /Catalog /Pages 2 0 R >>", number=_CATALOGUE)
        pages = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(self._pages))
        self._write(pages, number=_PAGES)
        table = self._file.tell()
        self._file.write(b"xref\n0 %d\n0000000000 65535 f \n" % self._next)
        places = (self._places[number] for number in range(1, self._next))
        self._file.writelines(b"%010d 00000 n \n" % place for place in places)
        self._file.write(b"trailer\n<< /Size %d /Root 1 0 R >>\n" % self._next)
        self._file.write(b"startxref\n%d\n%%%%EOF\n" % table)

    def _write_page(self, image: pyvips.Image, packed: bytes, filters: str) -> None:
        width, height = _page_size(image)
        device = "/DeviceGray" if image.bands == 1 else "/DeviceRGB"
        space = device
        if image.get_typeof(PROFILE):
            profile = bytes(image.get(PROFILE))
            kind = f"/N {image.bands} /Alternate {device} "
            space = f"[/ICCBased {self._write(*_stream(kind, profile))} 0 R]"
        entries = (
            f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height} "
            f"/ColorSpace {space} /BitsPerComponent 8 /Filter {filters} "
        )
        shown = self._write(*_stream(entries, packed))
        drawing = f"{width:.3f} 0 0 {height:.3f} 0 0 cm /Picture Do".encode()
        page = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] "
            f"/Resources << /XObject << /Picture {shown} 0 R >> >> "
            f"/Contents {self._write(*_stream('', drawing))} 0 R >>"
        )
        self._pages.append(self._write(page.encode()))

    def _write(self, *pieces: bytes, number: int | None = None) -> int:
        """Write an object, in pieces so that pixels are not copied again; return its number."""
        if number is None:
            number, self._next = self._next, self._next + 1
        self._places[number] = self._file.tell()
        self._file.writelines([b"%d 0 obj\n" % number, *pieces, b"\nendobj\n"])
        return number


def _page_size(image: pyvips.Image) -> tuple[float, float]:
    """Return points: as large as the picture says it is, if that is believable."""
    dots = image.xres * _INCH
    dots = dots if image.get_typeof("resolution-unit") and 36 <= dots <= 4800 else SCREEN_DPI
    points = 72 / max(dots, 72 * max(image.width, image.height) / LONGEST_PAGE)
    return image.width * points, image.height * points


def _stream(entries: str, content: bytes) -> list[bytes]:
    head = f"<< {entries}/Length {len(content)} >>\nstream\n".encode()
    return [head, content, b"\nendstream"]


def _idat(png: bytes) -> bytes:
    """Return the compressed rows of a PNG; PDF knows the same filters as predictor 15."""
    rows, at = [], _PNG_SIGNATURE
    while at < len(png):
        length, name = struct.unpack_from(">I4s", png, at)
        if name == b"IDAT":
            rows.append(png[at + 8 : at + 8 + length])
        at += 12 + length
    return b"".join(rows)


def _predictor(image: pyvips.Image) -> str:
    return f"<< /Predictor 15 /Colors {image.bands} /BitsPerComponent 8 /Columns {image.width} >>"
