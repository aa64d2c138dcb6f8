"""An animation stays one where the target can move; elsewhere its first frame is taken."""

from pathlib import Path

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import near, pixel

MOVING = ("gif", "webp", "png", "avif")
COLOURS = [samples.RED, samples.GREEN, samples.BLUE]


def _plays(path: Path) -> int:
    """Return how often an animation runs, 0 for ever; a GIF counts the repeats after that."""
    with Image.open(path) as opened:
        loop = opened.info.get("loop")
        if opened.format == "GIF":
            return 1 if loop is None else loop + 1 if loop else 0
        assert isinstance(loop, int)
        return loop


@pytest.mark.parametrize("target", MOVING)
@pytest.mark.parametrize("source", MOVING)
def test_frames_and_delays_are_kept(converting: Converting, source: str, target: str) -> None:
    result = converting(samples.animated(source), source, target)

    assert result.facts["frames"] == 3
    assert (result.facts["width"], result.facts["height"]) == samples.SIZE
    assert all(
        near(pixel(frame, 0.5, 0.5)[:3], colour)
        for frame, colour in zip(result.frames, COLOURS, strict=True)
    )
    assert result.delays == [70, 130, 400]
    assert result.notes == ""


@pytest.mark.parametrize("plays", [0, 1, 2, 5])
@pytest.mark.parametrize("target", ["gif", "webp", "png"])
@pytest.mark.parametrize("source", ["gif", "webp", "png"])
def test_it_runs_as_often_as_before(
    converting: Converting, source: str, target: str, plays: int
) -> None:
    result = converting(samples.animated(source, plays=plays), source, target)

    assert _plays(result.path) == plays


def test_a_number_of_repeats_that_avif_cannot_have_is_said(converting: Converting) -> None:
    assert "for ever" in converting(samples.animated("gif", plays=3), "gif", "avif").notes


@pytest.mark.parametrize("target", ["jpg", "tiff", "bmp", "ico", "pdf"])
@pytest.mark.parametrize("source", MOVING)
def test_a_still_target_gets_the_first_frame_and_says_so(
    converting: Converting, source: str, target: str
) -> None:
    result = converting(samples.animated(source), source, target)

    assert result.image.size == samples.SIZE
    assert near(pixel(result.image, 0.5, 0.5)[:3], samples.RED)
    assert "first of 3 frames" in result.notes
    assert result.facts["frames"] == 1


@pytest.mark.parametrize("target", MOVING)
@pytest.mark.parametrize("source", MOVING)
def test_only_the_first_frame_on_request(converting: Converting, source: str, target: str) -> None:
    result = converting(samples.animated(source), source, target, first_frame=True)

    assert len(result.frames) == 1
    assert near(pixel(result.image, 0.5, 0.5)[:3], samples.RED)


@pytest.mark.parametrize("fit", ["inside", "cover", "pad", "fill"])
@pytest.mark.parametrize(("source", "target"), [("gif", "webp"), ("webp", "gif"), ("png", "png")])
def test_frames_are_resized_without_bleeding_into_each_other(
    converting: Converting, source: str, target: str, fit: str
) -> None:
    options = {"width": 41, "height": 41, "fit": fit}

    result = converting(samples.animated(source), source, target, **options)

    size = (41, 27) if fit == "inside" else (41, 41)
    assert [frame.size for frame in result.frames] == [size] * 3
    top, bottom = (0.36, 0.64) if fit == "pad" else (0.01, 0.99)
    for frame, colour in zip(result.frames, COLOURS, strict=True):
        assert near(pixel(frame, 0.5, top)[:3], colour, within=40)
        assert near(pixel(frame, 0.5, bottom)[:3], colour, within=40)
    assert result.delays == [70, 130, 400]


def test_lossless_webp_keeps_every_pixel_of_every_frame(converting: Converting) -> None:
    frames = converting(samples.animated("gif"), "gif", "webp", lossless=True).frames

    assert [pixel(frame, 0.5, 0.5)[:3] for frame in frames] == COLOURS


def test_a_profile_goes_along_with_an_animation(converting: Converting) -> None:
    profile = samples.wide_gamut_profile()
    first, second = (Image.new("RGB", (8, 8), colour) for colour in COLOURS[:2])
    content = samples.encoded(
        first, "png", save_all=True, append_images=[second], duration=100, icc_profile=profile
    )

    for target in ("webp", "png", "avif"):
        result = converting(content, "png", target)
        assert result.facts["frames"] == 2
        assert result.image.info["icc_profile"] == profile


@pytest.mark.parametrize("source", MOVING)
def test_an_animation_that_ends_early_is_refused(converting: Converting, source: str) -> None:
    frames = [samples.noise((60, 60)) for _ in range(4)]
    whole = samples.encoded(
        frames[0], source, save_all=True, append_images=frames[1:], duration=100
    )

    refused = converting(whole[: len(whole) * 3 // 4], source, "webp").refused

    assert refused.code == "corrupt_input"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "source", "frames", "size"),
    [
        ("real-gif.gif", "gif", 40, (480, 360)),
        ("real-apng.apng", "png", 34, (480, 400)),
    ],
)
def test_real_animations_keep_moving(
    converting: Converting, corpus: Path, name: str, source: str, frames: int, size: tuple[int, int]
) -> None:
    result = converting(corpus / name, source, "webp")
    with Image.open(corpus / name) as opened:
        opened.seek(frames // 2)
        there = opened.convert("RGBA")

    assert result.facts["frames"] == len(result.frames) == frames
    assert result.frames[0].size == size
    assert near(pixel(result.frames[frames // 2], 0.5, 0.5), pixel(there, 0.5, 0.5), within=40)


@pytest.mark.corpus
@pytest.mark.parametrize("target", ["webp", "png", "avif", "gif", "jpg", "pdf"])
def test_odd_sides_stay_odd(converting: Converting, corpus: Path, target: str) -> None:
    result = converting(corpus / "real-gif-odddimensions.gif", "gif", target)

    assert result.image.size == (501, 403)


def test_a_gif_without_its_last_byte_is_forgiven(converting: Converting) -> None:
    content = samples.animated("gif")

    assert converting(content[:-1], "gif", "webp").facts["frames"] == 3
    assert converting(content + b"rubbish", "gif", "webp").facts["frames"] == 3
