"""A picture with too many pixels is refused from its header, with the numbers."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.formats.image import IMAGE
from tests import samples
from tests.worker.converters.conftest import Converting
from worker.converters.limits import Limits

SMALL = Limits(max_pixels=96 * 64 - 1)


@pytest.mark.parametrize("source", IMAGE.sources)
def test_every_reader_looks_at_the_size_first(converting: Converting, source: str) -> None:
    content = samples.sample(source) if source != "ico" else samples.icon_of(samples.sample("png"))

    refused = converting(content, source, "png", SMALL).refused

    what = "The image has" if source != "svg" else "The result would have"
    assert refused.code == "too_many_pixels"
    assert f"{what} 6,144 pixels (96 × 64)" in str(refused.detail)  # noqa: RUF001
    assert "up to 6,143" in str(refused.detail)


@pytest.mark.parametrize(
    ("source", "bomb"),
    [
        ("png", lambda: samples.png_of(30_000, 30_000)),
        ("bmp", lambda: samples.bmp_of(30_000, 30_000)),
        ("ico", lambda: samples.icon_of(samples.png_of(30_000, 30_000))),
        ("ico", lambda: samples.icon_of(samples.bmp_of(30_000, 60_000)[14:])),
    ],
)
def test_a_bomb_is_refused_before_a_pixel_is_read(
    converting: Converting, source: str, bomb: Callable[[], bytes]
) -> None:
    """None of these has any pixels: who tried to read them would call them damaged."""
    refused = converting(bomb(), source, "webp").refused

    assert refused.code == "too_many_pixels"
    assert refused.detail == (
        "The image has 900,000,000 pixels (30000 × 30000); "  # noqa: RUF001
        "this service converts up to 100,000,000."
    )


@pytest.mark.corpus
def test_a_real_avif_bomb_is_refused(converting: Converting, corpus: Path) -> None:
    refused = converting(corpus / "bomb-17000x17000.avif", "avif", "jpg").refused

    assert refused.code == "too_many_pixels"
    assert "289,000,000 pixels (17000 × 17000)" in str(refused.detail)  # noqa: RUF001


@pytest.mark.parametrize("source", ["gif", "webp", "png", "avif"])
def test_the_pixels_of_every_frame_count(converting: Converting, source: str) -> None:
    content = samples.animated(source)
    limits = Limits(max_pixels=96 * 64 * 2)

    refused = converting(content, source, "webp", limits).refused

    assert refused.code == "too_many_pixels"
    assert "The animation has 18,432 pixels (96 × 64 in 3 frames)" in str(refused.detail)  # noqa: RUF001
    assert converting(content, source, "webp", limits, first_frame=True).image.size == samples.SIZE


def test_an_icon_with_a_header_that_hides_its_size_is_refused(converting: Converting) -> None:
    """The header of twelve bytes keeps its sides elsewhere, where the limit would not look."""
    hidden = b"\x0c\0\0\0" + b"\x10\0\x20\0" + b"\x01\0\x18\0" + b"\0" * 2000

    assert converting(samples.icon_of(hidden), "ico", "png").refused.code == "corrupt_input"


def test_an_endless_drawing_is_refused_unless_a_size_is_given(converting: Converting) -> None:
    endless = samples.svg(width=100_000, height=100_000)

    refused = converting(endless, "svg", "png").refused
    bounded = converting(endless, "svg", "png", width=64)

    assert refused.code == "too_many_pixels"
    assert "10,000,000,000" in str(refused.detail)
    assert bounded.image.size == (64, 64)
