"""Pages of any size end in a picture that fits, which is decided before anything is drawn."""

import pytest

from tests import samples
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting
from tests.worker.converters.reader import near, pixel
from worker.outcome import Broken


def test_an_enormous_page_is_drawn_with_fewer_dots_and_says_so(converting: Converting) -> None:
    """At the asked-for resolution its pixels alone would take 8 GB."""
    content = documents.document(b"1 0 0 rg 0 0 15000 30000 re f", box="0 0 30000 30000")
    assert len(content) < 700

    result = converting(content, "png", {"max_pixels": 4_000_000})

    assert result.image.size == (2000, 2000)
    assert near(pixel(result.image, 0.25, 0.5), (255, 0, 0, 255))
    assert near(pixel(result.image, 0.75, 0.5), (255, 255, 255, 255))
    assert result.notes == "Page 1 is too large for 150 dpi and was drawn with 4.8."
    assert result.facts["dpi"] == 4.8


def test_among_several_pages_the_large_ones_are_named(converting: Converting) -> None:
    content = documents.document(*"abc", box="0 0 300 300")

    result = converting(content, "jpg", {"max_pixels": 10_000}, pages="1,3")

    assert [image.size for image in result.images.values()] == [(100, 100)] * 2
    assert result.notes == (
        "Pages 1 and 3 are too large for 150 dpi and were drawn with as few as 24."
    )


@pytest.mark.parametrize(("target", "longest"), [("webp", 16_383), ("jpg", 65_500)])
def test_no_side_is_longer_than_the_format_can_hold(
    converting: Converting, target: str, longest: int
) -> None:
    image = converting(documents.document("a", box="0 0 20 14000"), target, dpi=400).image

    assert image.height == longest
    assert image.width == pytest.approx(longest * 20 / 14_000, abs=1)


@pytest.mark.parametrize("box", ["0 0 1000000000 1", "0 0 .001 .001", "0 0 1 99999999"])
def test_a_page_of_no_sense_still_becomes_a_picture(converting: Converting, box: str) -> None:
    image = converting(documents.document("a", box=box), "png").image

    assert min(image.size) >= 1
    assert max(image.size) <= 65_535


@pytest.mark.parametrize("box", ["0 0 0 0", "0 0", "0 0 (a) 3", "0 0 -100 -50", "1 2 3 4 5 6"])
def test_a_box_that_is_none_still_becomes_a_picture(converting: Converting, box: str) -> None:
    assert min(converting(documents.document("a", box=box), "png").image.size) > 1


def test_a_page_whose_crop_box_is_beside_it_is_refused(converting: Converting) -> None:
    refused = converting(documents.flag(b"/CropBox[500 500 600 600]"), "png").refused

    assert refused.code == "corrupt_input"
    assert "no visible area" in str(refused.detail)


def test_a_small_file_with_an_enormous_picture_takes_little_memory(
    converting: Converting,
) -> None:
    content = documents.grey_picture(15_000)
    assert len(content) < 300_000

    image = converting(content, "png", memory_bytes=600 * 1024**2).image

    assert near(pixel(image, 0.5, 0.5), (128, 128, 128, 255))


def test_groups_inside_groups_are_all_drawn_however_large_the_page(
    converting: Converting,
) -> None:
    """Each wants a picture of its own, and PDFium drops one without a word if it gets none."""
    small = converting(documents.groups(6), "png", dpi=72).image

    large = converting(documents.groups(6), "jpg", dpi=420, memory_bytes=700 * 1024**2).image

    assert large.width * large.height > 30_000_000
    assert near(pixel(large, 0.5, 0.5), pixel(small, 0.5, 0.5), within=6)
    assert not near(pixel(small, 0.5, 0.5), (255, 255, 255, 255))


@pytest.mark.parametrize("megabytes", [350, 380, 410, 440, 470])
def test_with_little_memory_nothing_is_left_out_either(
    converting: Converting, megabytes: int
) -> None:
    outcome = converting(documents.groups(9), "jpg", dpi=520, memory_bytes=megabytes * 1024**2)

    if isinstance(outcome.outcome, Broken):
        assert outcome.broken.code == "memory_limit"
    else:
        assert not near(pixel(outcome.image, 0.5, 0.5), (255, 255, 255, 255), within=60)


def test_too_little_memory_is_no_fault_of_the_document(converting: Converting) -> None:
    content = documents.document("a", box="0 0 1000 1000")

    broken = converting(content, "png", dpi=700, memory_bytes=450 * 1024**2).broken

    assert broken.code == "memory_limit"


@pytest.mark.parametrize("target", ["png", "jpg", "webp", "pdf"])
@pytest.mark.parametrize("pages", ["1", "1-2"])
def test_a_full_disk_is_no_fault_of_the_document(
    converting: Converting, target: str, pages: str
) -> None:
    noise = samples.noise((200, 100)).tobytes()
    page = documents.picture_page(noise, "/Width 200/Height 100/ColorSpace/DeviceRGB")
    content = documents.doubled(page)

    broken = converting(content, target, file_bytes=4000, quality=95, pages=pages).broken

    assert broken.code == "result_too_large"
