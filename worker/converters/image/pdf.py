"""PDF of a single page that is exactly the picture (ISO 32000-1, 7.5 and 8.9.5)."""

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


def write(picture: Picture, request: Request) -> None:
    """Write an opaque picture as JPEG, or row by row as in a PNG when it must be lossless."""
    image = picture.image
    with request.meter.watch(image, until=PIXELS_DONE, stage="encoding"):
        if request.wish.lossless:
            packed = _idat(image.pngsave_buffer(keep="none"))
            filters = f"/FlateDecode /DecodeParms {_predictor(image)}"
        else:
            packed = image.jpegsave_buffer(Q=request.wish.quality or QUALITY, keep="none")
            filters = "/DCTDecode"
    with request.target.open("wb") as file:
        _write_file(file, _objects(image, packed, filters))


def _objects(image: pyvips.Image, packed: bytes, filters: str) -> list[list[bytes]]:
    """Return the objects from 1 on, each in pieces so that the pixels are not copied again."""
    width, height = _page_size(image)
    drawing = f"{width:.3f} 0 0 {height:.3f} 0 0 cm /Picture Do".encode()
    profile = bytes(image.get(PROFILE)) if image.get_typeof(PROFILE) else b""
    device = "/DeviceGray" if image.bands == 1 else "/DeviceRGB"
    picture = (
        f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height} "
        f"/ColorSpace {'[/ICCBased 6 0 R]' if profile else device} "
        f"/BitsPerComponent 8 /Filter {filters} "
    )
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] "
        "/Resources << /XObject << /Picture 5 0 R >> >> /Contents 4 0 R >>"
    )
    return [
        [b"<< /Type /Catalog /Pages 2 0 R >>"],
        [b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
        [page.encode()],
        _stream("", drawing),
        _stream(picture, packed),
        *([_stream(f"/N {image.bands} /Alternate {device} ", profile)] if profile else []),
    ]


def _page_size(image: pyvips.Image) -> tuple[float, float]:
    """Return points: as large as the picture says it is, if that is believable."""
    dots = image.xres * _INCH
    dots = dots if image.get_typeof("resolution-unit") and 36 <= dots <= 4800 else SCREEN_DPI
    points = 72 / max(dots, 72 * max(image.width, image.height) / LONGEST_PAGE)
    return image.width * points, image.height * points


def _write_file(file: BinaryIO, objects: list[list[bytes]]) -> None:
    file.write(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")  # four high bytes: this is not a text
    places = []
    for number, pieces in enumerate(objects, start=1):
        places.append(file.tell())
        file.writelines([b"%d 0 obj\n" % number, *pieces, b"\nendobj\n"])
    table = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1))
    file.writelines(b"%010d 00000 n \n" % place for place in places)
    file.write(b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(places) + 1))
    file.write(b"startxref\n%d\n%%%%EOF\n" % table)


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
