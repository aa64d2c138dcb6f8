"""Sides, turns and pixels that are not square; how large a picture may be."""

import pytest
from PIL import Image

from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, flag
from tests.worker.converters.media.test_pairs import looks_like_the_flag

FAST = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
FFV1 = ("-c:v", "ffv1")


@pytest.mark.parametrize("target", ["mp4", "mov", "mkv", "webm", "avi"])
def test_odd_sides_lose_a_row_and_say_so(
    converting: Converting, studio: Studio, target: str
) -> None:
    odd = studio.built("odd.mkv", *flag(), "-vf", "scale=161:121,setsar=1", *FFV1)

    result = converting(odd, "mkv", target)

    assert seen.frames(result.made)[0].size == (160, 120)
    assert looks_like_the_flag(seen.frames(result.made)[0])
    assert "cut from 161 × 121 to 160 × 120" in result.notes  # noqa: RUF001


@pytest.mark.parametrize("target", ["mp4", "webm"])
def test_an_odd_gif_becomes_a_film(converting: Converting, studio: Studio, target: str) -> None:
    odd = studio.built("odd.gif", *flag(), "-vf", "scale=101:61,setsar=1")

    assert seen.frames(converting(odd, "gif", target).made)[0].size == (100, 60)


def test_a_gif_of_one_pixel_becomes_a_film(converting: Converting, studio: Studio) -> None:
    dot = studio.built("dot.gif", "-f", "lavfi", "-i", "color=blue:s=1x1:d=0.3:r=10")

    assert seen.frames(converting(dot, "gif", "mp4").made)[0].size == (2, 2)


@pytest.mark.parametrize("target", ["mp4", "mov", "mkv", "webm", "avi", "gif", "jpg", "png"])
def test_a_film_on_its_side_stands_up_once(
    converting: Converting, studio: Studio, target: str
) -> None:
    upright = studio.built("before.mp4", *flag(), "-vf", "transpose=cclock", *FAST)
    turned = studio.built("turned.mp4", "-display_rotation", "-90", "-i", upright, "-c", "copy")

    result = converting(turned, "mp4", target)

    if target in ("jpg", "png"):
        with Image.open(result.made) as opened:
            shown = opened.convert("RGB")
    else:
        shown = seen.frames(result.made)[0]
    assert shown.size == (96, 64) == (result.facts["width"], result.facts["height"])
    assert looks_like_the_flag(shown)
    kept = target in ("mp4", "mov")
    assert ("rotation of" in seen.described(result.made)) is kept
    assert result.facts.get("video") == ("copied" if kept else result.facts.get("video"))


@pytest.mark.parametrize("target", ["mov", "mkv", "avi", "gif"])
@pytest.mark.parametrize("how", ["hflip", "vflip"])
def test_a_film_that_is_mirrored_is_shown_as_players_show_it(
    converting: Converting, studio: Studio, target: str, how: str
) -> None:
    """To be upside down in a mirror is no rotation, and AVI cannot say it."""
    reverse = studio.built(f"{how}.mp4", *flag(), "-vf", how, "-c:v", "mpeg4", "-q:v", "2")
    film = studio.built(f"{how}-said.mp4", f"-display_{how}", "-i", reverse, "-c", "copy")

    shown = seen.frames(converting(film, "mp4", target).made)[0]

    assert looks_like_the_flag(shown)


@pytest.mark.parametrize("target", ["mp4", "jpg", "gif"])
def test_pixels_that_are_not_square_keep_their_proportions(
    converting: Converting, studio: Studio, target: str
) -> None:
    wide = studio.built("wide.mkv", *flag(), "-vf", "scale=48:64,setsar=2/1", *FFV1)

    result = converting(wide, "mkv", target)

    assert (result.facts["width"], result.facts["height"]) == (96, 64)
    if target == "jpg":
        with Image.open(result.made) as opened:
            assert opened.size == (96, 64)
    else:
        assert seen.frames(result.made)[0].size == (96, 64)


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"width": 48}, (48, 32)),
        ({"height": 32}, (48, 32)),
        ({"width": 192}, (192, 128)),
        ({"width": 48, "height": 48}, (48, 32)),
        ({"width": 33}, (32, 22)),
    ],
)
def test_the_size_is_what_was_asked_for(
    converting: Converting, studio: Studio, options: dict[str, int], size: tuple[int, int]
) -> None:
    result = converting(studio.sample("mp4"), "mp4", "mp4", **options)

    assert seen.frames(result.made)[0].size == size
    assert looks_like_the_flag(seen.frames(result.made)[0])


def test_a_picture_too_large_for_this_service_is_refused_with_the_numbers(
    converting: Converting, studio: Studio
) -> None:
    limits = {"max_pixels": 96 * 64 - 1}

    for target, wish in (("mp4", {}), ("mp4", {"width": 20}), ("gif", {}), ("jpg", {})):
        refused = converting(studio.sample("mp4"), "mp4", target, limits, **wish).refused
        assert refused.code == "too_many_pixels"
        assert "of the film has 6,144 pixels (96 × 64)" in str(refused.detail)  # noqa: RUF001
        assert "6,143" in str(refused.detail)
    larger = converting(studio.sample("mp4"), "mp4", "mp4", {"max_pixels": 10_000}, width=200)
    assert larger.refused.code == "too_many_pixels"
    assert converting(studio.sample("mp4"), "mp4", "mp3", limits).facts["sound"]


def test_a_picture_that_grows_on_the_way_is_refused(converting: Converting, studio: Studio) -> None:
    """A stream may say another size later; the decoder has to know the limit too."""
    small = studio.built("small.ts", *flag(20), *FAST, "-f", "mpegts")
    large = studio.built("large.ts", *flag(1), "-vf", "scale=960:640", *FAST, "-f", "mpegts")
    joined = small.read_bytes() + large.read_bytes()

    grown = converting(joined, "ts", "webm", fps=2).facts
    refused = converting(joined, "ts", "webm", {"max_pixels": 96 * 64 * 2}, fps=2).refused

    assert (grown["width"], grown["height"]) == (96, 64)
    assert refused.code == "too_many_pixels"
    assert "960 × 640" in str(refused.detail)  # noqa: RUF001
