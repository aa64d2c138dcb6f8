"""Small pictures made on the spot: every format, orientation, depth, animation and defect."""

import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import pillow_heif
from PIL import Image, ImageCms

Rgb = tuple[int, int, int]

RED: Rgb = (230, 20, 20)
GREEN: Rgb = (20, 200, 20)
BLUE: Rgb = (20, 20, 220)
YELLOW: Rgb = (230, 220, 20)
SIZE = (96, 64)

# What has to be done to an upright picture so that EXIF orientation n makes it upright again.
_LAID_DOWN = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
_PILLOW = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP", "avif": "AVIF", "tiff": "TIFF"}
_PILLOW |= {"gif": "GIF", "bmp": "BMP", "ico": "ICO"}
_PILLOW |= {"jp2": "JPEG2000", "tga": "TGA", "qoi": "QOI", "pnm": "PPM"}
_PHOTOSHOP = {"L": 1, "RGB": 3, "RGBA": 3, "CMYK": 4}

SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="{width}" height="{height}" viewBox="0 0 96 64">{inside}</svg>"""
FLAG = (
    '<rect width="48" height="32" fill="rgb(230,20,20)"/>'
    '<rect x="48" width="48" height="32" fill="rgb(20,200,20)"/>'
    '<rect y="32" width="48" height="32" fill="rgb(20,20,220)"/>'
    '<rect x="48" y="32" width="48" height="32" fill="rgb(230,220,20)"/>'
)


def flag(size: tuple[int, int] = SIZE, mode: str = "RGB") -> Image.Image:
    """Red, green, blue, yellow in the corners, as one reads: no turn of it looks like another."""
    width, height = size
    picture = Image.new("RGB", size, RED)
    picture.paste(GREEN, (width // 2, 0, width, height // 2))
    picture.paste(BLUE, (0, height // 2, width // 2, height))
    picture.paste(YELLOW, (width // 2, height // 2, width, height))
    return picture.convert(mode)


def encoded(picture: Image.Image, name: str, **options: Any) -> bytes:
    """Return the picture as a file of this format, written by Pillow or pillow-heif."""
    out = io.BytesIO()
    if name == "heic":  # from_pillow would turn the pixels as their EXIF says
        heif = pillow_heif.from_bytes(picture.mode, picture.size, picture.tobytes())
        heif.save(out, **{"quality": 95, **options})
    elif name == "psd":
        out.write(photoshop(picture, **options))
    else:
        picture.save(out, _PILLOW[name], **{**_best(name), **options})
    return out.getvalue()


def photoshop(picture: Image.Image, *, profile: bytes = b"", depth: int = 8) -> bytes:
    """Return the picture as a flat Photoshop file (Adobe Photoshop File Formats, 2019)."""
    width, height = picture.size
    planes = [channel.tobytes() for channel in picture.split()]
    if picture.mode == "CMYK":  # stored as how much ink is missing
        planes = [bytes(255 - ink for ink in plane) for plane in planes]
    head = struct.pack(
        ">4sH6xHIIHH", b"8BPS", 1, len(planes), height, width, depth, _PHOTOSHOP[picture.mode]
    )
    resource = b"8BIM" + struct.pack(">HHI", 1039, 0, len(profile)) + profile
    resources = resource + b"\0" * (len(profile) % 2) if profile else b""
    return (
        head + struct.pack(">II", 0, len(resources)) + resources + bytes(4 + 2) + b"".join(planes)
    )


def sample(name: str) -> bytes:
    """Return the flag in this format."""
    return svg() if name == "svg" else encoded(flag(), name)


def svg(inside: str = FLAG, *, width: object = SIZE[0], height: object = SIZE[1]) -> bytes:
    return SVG.format(inside=inside, width=width, height=height).encode()


def laid_down(orientation: int, name: str) -> bytes:
    """Return the flag stored so that only its orientation makes it upright.

    For HEIC, pillow-heif writes that as the rotation property of the format and as the tag.
    """
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(_lie_down(flag(), orientation), name, exif=exif.tobytes())


def see_through(name: str, colour: Rgb = RED) -> bytes:
    """Return a picture whose left half cannot be seen (and is black) and whose right half can."""
    picture = Image.new("RGBA", SIZE, (0, 0, 0, 0))
    picture.paste((*colour, 255), (SIZE[0] // 2, 0, *SIZE))
    if name == "svg":
        return svg('<rect x="48" width="48" height="64" fill="rgb(230,20,20)"/>')
    return encoded(picture, name)


def animated(
    name: str,
    *,
    colours: Sequence[Rgb] = (RED, GREEN, BLUE),
    delays: Sequence[int] = (70, 130, 400),
    plays: int = 0,
    size: tuple[int, int] = SIZE,
) -> bytes:
    """Return one frame for each colour; `plays` is how often it runs, 0 for ever."""
    frames = [Image.new("RGB", size, colour) for colour in colours]
    options: dict[str, Any] = {"loop": plays}
    if name == "gif":  # its number counts the repeats after the first run; none is no number
        options = {"loop": 0} if plays == 0 else {"loop": plays - 1} if plays > 1 else {}
    if name == "avif":
        options = {}
    return encoded(
        frames[0], name, save_all=True, append_images=frames[1:], duration=list(delays), **options
    )


def wide_gamut_profile() -> bytes:
    """Return a colour profile in which the same numbers are other colours: red and blue swapped."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    at = profile.index(b"rXYZ", 128)
    other = profile.index(b"bXYZ", 128)
    profile[at : at + 4], profile[other : other + 4] = b"bXYZ", b"rXYZ"
    return bytes(profile)


def linear_grey_profile() -> bytes:
    """Return a colour profile for grey whose numbers are amounts of light (ICC.1:2010, 8.4)."""
    tags = {
        b"desc": b"desc\0\0\0\0\0\0\0\x05grey\0" + bytes(78),
        b"cprt": b"text\0\0\0\0none\0\0\0\0",
        b"wtpt": b"XYZ \0\0\0\0" + struct.pack(">III", 0xF6D6, 0x10000, 0xD32D),
        b"kTRC": b"curv" + bytes(8),  # no points: the identity
    }
    at = 128 + 4 + 12 * len(tags)
    table, bodies = struct.pack(">I", len(tags)), b""
    for name, body in tags.items():
        table += struct.pack(">4sII", name, at + len(bodies), len(body))
        bodies += body + bytes(-len(body) % 4)
    head = struct.pack(
        ">I4sI4s4s4s", at + len(bodies), b"none", 0x02100000, b"mntr", b"GRAY", b"XYZ "
    )
    head += bytes(12) + b"acsp" + bytes(28) + struct.pack(">III", 0xF6D6, 0x10000, 0xD32D)
    return head.ljust(128, b"\0") + table + bodies


def tiff_of(*channels: int) -> bytes:
    """Return a TIFF of two by two pixels with these values in each, the first three RGB."""
    extra = len(channels) - 3
    tags = {
        256: (3, (2,)),
        257: (3, (2,)),
        258: (3, (8,) * len(channels)),
        262: (3, (2,)),
        273: (4, (8,)),
        277: (3, (len(channels),)),
        278: (3, (2,)),
        279: (4, (4 * len(channels),)),
        338: (3, (0,) * extra),
    }
    pixels = bytes(channels) * 4
    start = 8 + len(pixels)
    beside = start + 2 + 12 * len(tags) + 4
    table, tail = struct.pack("<H", len(tags)), b""
    for tag, (kind, values) in tags.items():
        body = struct.pack(f"<{len(values)}{'H' if kind == 3 else 'I'}", *values)
        if len(body) > 4:
            body, tail = struct.pack("<I", beside + len(tail)), tail + body
        table += struct.pack("<HHI", tag, kind, len(values)) + body.ljust(4, b"\0")
    return struct.pack("<2sHI", b"II", 42, start) + pixels + table + bytes(4) + tail


def png_of(width: int, height: int, *, depth: int = 8, rows: bytes = b"") -> bytes:
    """Return a PNG whose header states this size, whatever its few rows say."""
    header = struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def bmp_of(width: int, height: int) -> bytes:
    """Return a BMP whose header states this size and that has no rows at all."""
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return struct.pack("<2sIHHI", b"BM", 54, 0, 0, 54) + info


def icon_of(*images: bytes) -> bytes:
    """Return an icon of these PNGs or device-independent bitmaps; its directory says 16 by 16."""
    offset = 6 + 16 * len(images)
    directory = struct.pack("<HHH", 0, 1, len(images))
    for image in images:
        directory += struct.pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, len(image), offset)
        offset += len(image)
    return directory + b"".join(images)


def noise(size: tuple[int, int]) -> Image.Image:
    """Return a picture that takes an encoder some time."""
    return Image.effect_noise(size, 80).convert("RGB")


def _lie_down(picture: Image.Image, orientation: int) -> Image.Image:
    return picture.transpose(_LAID_DOWN[orientation]) if orientation > 1 else picture


def _best(name: str) -> dict[str, Any]:
    best: dict[str, dict[str, Any]] = {
        "jpg": {"quality": 95, "subsampling": 0},
        "webp": {"lossless": True},
        "avif": {"quality": 95, "subsampling": "4:4:4"},
    }
    return best.get(name, {})
