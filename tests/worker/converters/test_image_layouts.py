"""A TIFF may lay its channels out in dozens of ways: what libvips reads becomes the same colour."""

import io
import struct
import zipfile
from dataclasses import dataclass

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import near, pixel

ORIENTATION = 274
GREY, RGB, CMYK, LAB = 1, 2, 5, 8  # PhotometricInterpretation
UNSIGNED, SIGNED, FLOAT = 1, 2, 3  # SampleFormat
_CODES = {(8, UNSIGNED): "B", (16, UNSIGNED): "H", (32, UNSIGNED): "I", (32, FLOAT): "f"}
_CODES |= {(8, SIGNED): "b", (16, SIGNED): "h"}

ORANGE = (200, 80, 40)
ORANGE_16 = tuple(value * 257 for value in ORANGE)
ORANGE_LINEAR = (0.5776, 0.0802, 0.0212)  # what is left of it without the curve of sRGB
ORANGE_LAB = (49.7, 45.8, 46.3)
BLUE = (30, 120, 170)
BLUE_LAB = (47.8, -7.6, -33.9)
INKS = (0, 160, 255, 20)
PRINTED = (224, 105, 39)


@dataclass(frozen=True)
class Layout:
    """A pixel's numbers, how they are stored, and which of them stand behind the colours."""

    photometric: int
    bits: int
    pixel: tuple[float, ...]
    extra: tuple[int, ...] = ()  # ExtraSamples: 0 is anything, 2 is transparency
    numbers: int = UNSIGNED

    def tiff(self, order: str, *, side: int = 2, at: int = 8) -> bytes:
        """Return a file that states `side` by `side` such pixels at `at`, and has two by two."""
        channels = len(self.pixel)
        row = struct.pack(f"{order}{channels}{_CODES[self.bits, self.numbers]}", *self.pixel) * 2
        shorts = {
            256: (side,),
            257: (side,),
            258: (self.bits,) * channels,
            259: (1,),
            262: (self.photometric,),
            273: (at,),
            277: (channels,),
            278: (side,),
            279: (len(row) * 2,),
            **({338: self.extra} if self.extra else {}),
            339: (self.numbers,) * channels,
        }
        start = 8 + len(row) * 2
        beside = start + 2 + 12 * len(shorts) + 4
        table, tail = struct.pack(f"{order}H", len(shorts)), b""
        for tag, values in shorts.items():
            body = struct.pack(f"{order}{len(values)}H", *values)
            if len(body) > 4:
                body, tail = struct.pack(f"{order}I", beside + len(tail)), tail + body
            table += struct.pack(f"{order}HHI", tag, 3, len(values)) + body.ljust(4, b"\0")
        head = b"II*\0" if order == "<" else b"MM\0*"
        return head + struct.pack(f"{order}I", start) + row * 2 + table + bytes(4) + tail


def _lab(bits: int, lightness: float, a: float, b: float) -> Layout:
    full, step = 2**bits - 1, 2 ** (bits - 8)
    opponents = (round(value * step) % 2**bits for value in (a, b))  # they may be negative
    return Layout(LAB, bits, (round(lightness / 100 * full), *opponents))


LAYOUTS = {
    "grey with alpha, 16 bits": (Layout(GREY, 16, (0x8080, 0xFFFF), (2,)), (128, 128, 128)),
    "grey and two more": (Layout(GREY, 8, (128, 7, 99), (0, 0)), (128, 128, 128)),
    "grey, 32 bits": (Layout(GREY, 32, (0x80808080,)), (128, 128, 128)),
    "RGB": (Layout(RGB, 8, ORANGE), ORANGE),
    "RGB with alpha, 16 bits": (Layout(RGB, 16, (*ORANGE_16, 0xFFFF), (2,)), ORANGE),
    "RGB, 32 bits": (Layout(RGB, 32, tuple(v * 0x01010101 for v in ORANGE)), ORANGE),
    "RGB, floating": (Layout(RGB, 32, ORANGE_LINEAR, numbers=FLOAT), ORANGE),
    "RGB with alpha, floating": (Layout(RGB, 32, (*ORANGE_LINEAR, 1.0), (2,), FLOAT), ORANGE),
    "RGB and two more": (Layout(RGB, 8, (*ORANGE, 7, 99), (0, 0)), ORANGE),
    "RGB and three more, 16 bits": (Layout(RGB, 16, (*ORANGE_16, 7, 9, 8), (0, 0, 0)), ORANGE),
    "CMYK": (Layout(CMYK, 8, INKS), PRINTED),
    "CMYK, 16 bits": (Layout(CMYK, 16, tuple(v * 257 for v in INKS)), PRINTED),
    "CMYK, 32 bits": (Layout(CMYK, 32, tuple(v * 0x01010101 for v in INKS)), PRINTED),
    "CMYK and one more": (Layout(CMYK, 8, (*INKS, 255), (0,)), PRINTED),
    "CMYK with alpha": (Layout(CMYK, 8, (*INKS, 255), (2,)), PRINTED),
    "CMYK and two more": (Layout(CMYK, 8, (*INKS, 77, 99), (0, 0)), PRINTED),
    "Lab": (_lab(8, *ORANGE_LAB), ORANGE),
    "Lab of a cold colour": (_lab(8, *BLUE_LAB), BLUE),
    "Lab, 16 bits": (_lab(16, *ORANGE_LAB), ORANGE),
    "Lab of a cold colour, 16 bits": (_lab(16, *BLUE_LAB), BLUE),
    "Lab, floating": (Layout(LAB, 32, ORANGE_LAB, numbers=FLOAT), ORANGE),
}


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("layout", "colour"), LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_becomes_its_colour(
    converting: Converting, layout: Layout, colour: tuple[int, ...], order: str
) -> None:
    for target in ("png", "webp"):
        image = converting(layout.tiff(order), "tiff", target).image

        assert image.size == (2, 2)
        if image.mode == "I;16":
            image = image.point(lambda value: value / 257, "L")
        assert near(pixel(image, 0.5, 0.5), (*colour, 255), within=8)


@pytest.mark.parametrize("layout", [layout for layout, _ in LAYOUTS.values()], ids=LAYOUTS)
def test_every_layout_whose_pixels_are_missing_is_refused(
    converting: Converting, layout: Layout
) -> None:
    """Its header is whole, and what it points to lies behind the end of the file."""
    assert converting(layout.tiff("<", at=60_000), "tiff", "png").refused.code == "corrupt_input"


@pytest.mark.parametrize("layout", [layout for layout, _ in LAYOUTS.values()], ids=LAYOUTS)
def test_every_layout_of_too_many_pixels_is_refused(converting: Converting, layout: Layout) -> None:
    """None of them has any: who tried to read them would call them damaged."""
    bomb = layout.tiff("<", side=60_000, at=60_000)

    assert converting(bomb, "tiff", "png").refused.code == "too_many_pixels"


def test_the_page_and_the_orientation_of_lab_are_kept_in_mind(converting: Converting) -> None:
    pages = [Image.new("LAB", (4, 6), (127, 128, 128)), Image.new("LAB", (8, 6), (255, 128, 128))]
    tags = {ORIENTATION: 6}
    content = samples.encoded(
        pages[0], "tiff", save_all=True, append_images=pages[1:], tiffinfo=tags
    )

    with zipfile.ZipFile(converting(content, "tiff", "png").path) as archive:
        made = [Image.open(io.BytesIO(archive.read(name))) for name in archive.namelist()]

    assert [image.size for image in made] == [(6, 4), (6, 8)]
    assert [pixel(image, 0.5, 0.5)[0] for image in made] == [119, 255]
