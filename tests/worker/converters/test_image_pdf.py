"""A PDF of one page that is exactly the picture."""

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import page_size


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_lossless_keeps_every_pixel(converting: Converting, mode: str) -> None:
    noise = samples.noise((61, 37)).convert(mode)

    image = converting(samples.encoded(noise, "png"), "png", "pdf", lossless=True).image

    assert image.mode == mode
    assert image.tobytes() == noise.tobytes()


def test_quality_decides_about_the_size(converting: Converting) -> None:
    content = samples.encoded(samples.noise((200, 200)), "png")

    low = converting(content, "png", "pdf", quality=10).path.stat().st_size
    high = converting(content, "png", "pdf", quality=100).path.stat().st_size

    assert low * 4 < high


def test_the_page_is_as_large_as_the_picture_says(converting: Converting) -> None:
    content = samples.encoded(Image.new("RGB", (600, 300)), "jpg", dpi=(300, 300))

    assert page_size(converting(content, "jpg", "pdf").path) == pytest.approx((144, 72), abs=0.1)


@pytest.mark.parametrize("dpi", [{}, {"dpi": (1, 1)}])
def test_without_a_believable_size_it_is_that_of_a_screen(
    converting: Converting, dpi: dict[str, tuple[int, int]]
) -> None:
    content = samples.encoded(Image.new("RGB", (960, 480)), "jpg", **dpi)

    assert page_size(converting(content, "jpg", "pdf").path) == pytest.approx((720, 360), abs=0.1)


def test_no_page_is_longer_than_readers_can_show(converting: Converting) -> None:
    content = samples.encoded(Image.new("RGB", (40_000, 2)), "png")

    width, height = page_size(converting(content, "png", "pdf").path)

    assert width == pytest.approx(14_400)
    assert height == pytest.approx(14_400 / 20_000)


def test_every_offset_in_the_table_is_where_the_object_is(converting: Converting) -> None:
    made = converting(samples.sample("png"), "png", "pdf").path.read_bytes()
    table = made.index(b"xref")

    assert int(made[made.index(b"startxref") + 9 :].split()[0]) == table
    for number, line in enumerate(made[table:].splitlines()[3:8], start=1):
        assert made[int(line[:10]) :].startswith(b"%d 0 obj" % number)
