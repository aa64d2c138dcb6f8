"""Colours, transparency, rates and quality of pictures."""

from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from tests.samples import BLUE, GREEN, RED, YELLOW
from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import SECONDS, Studio, flag
from tests.worker.converters.reader import corners

FAST = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
FFV1 = ("-c:v", "ffv1")


def near(colour: tuple[int, ...], other: tuple[int, ...], within: int = 12) -> bool:
    return all(abs(one - two) <= within for one, two in zip(colour, other, strict=True))


def plain(studio: Studio, colour: str, *arguments: str) -> Path:
    name = f"plain-{abs(hash((colour, arguments)))}.mkv"
    source = f"color={colour}:s=64x48:r=10:d=0.5"
    return studio.built(name, "-f", "lavfi", "-i", source, *arguments)


def test_where_a_gif_is_transparent_the_film_is_white(
    converting: Converting, studio: Studio, tmp_path: Path
) -> None:
    picture = Image.new("RGBA", (64, 48), (0, 0, 0, 0))
    picture.paste((230, 20, 20, 255), (32, 0, 64, 48))
    picture.save(tmp_path / "glass.gif", save_all=True, append_images=[picture], duration=200)

    shown = seen.frames(converting(tmp_path / "glass.gif", "gif", "mp4").made)[0]

    assert near(shown.getpixel((8, 24)), (255, 255, 255))  # type: ignore[arg-type]
    assert near(shown.getpixel((56, 24)), RED, 25)  # type: ignore[arg-type]


def test_a_see_through_film_is_shown_on_white(converting: Converting, studio: Studio) -> None:
    glass = studio.built(
        "glass.mov",
        "-f",
        "lavfi",
        "-i",
        "color=red@0:s=64x48:d=0.3:r=10,format=yuva444p10le",
        "-c:v",
        "prores_ks",
        "-profile:v",
        "4",
    )

    result = converting(glass, "mov", "mp4")

    assert near(seen.frames(result.made)[0].getpixel((8, 8)), (255, 255, 255))  # type: ignore[arg-type]
    assert "transparent" in result.notes


def test_fps_is_what_was_asked_for(converting: Converting, studio: Studio) -> None:
    for target in ("mp4", "gif", "avi"):
        made = converting(studio.sample("mp4"), "mp4", target, fps=5).made
        assert len(seen.frames(made)) == 5
        assert seen.seconds(made) == pytest.approx(SECONDS, abs=0.25)


def test_better_quality_is_a_larger_file(converting: Converting, studio: Studio) -> None:
    for target in ("mp4", "webm", "avi", "jpg"):
        sizes = [
            converting(studio.sample("mp4"), "mp4", target, quality=quality).made.stat().st_size
            for quality in (5, 95)
        ]
        assert sizes[0] < sizes[1]


@pytest.mark.parametrize("target", ["mp4", "webm", "avi"])
def test_pictures_of_uneven_length_keep_their_times(
    converting: Converting, studio: Studio, target: str
) -> None:
    """Shown at 0, 0.1, 0.2, 0.7 and 0.8 s."""
    uneven = studio.built(
        "uneven.mkv",
        *flag(),
        "-vf",
        "select='not(between(n,3,6))*lt(n,9)'",
        "-fps_mode",
        "vfr",
        *FFV1,
    )

    made = converting(uneven, "mkv", target, quality=90).made

    assert [round(one, 1) for one in seen.times(made)] == [0.0, 0.1, 0.2, 0.7, 0.8]


def test_a_gif_is_as_quick_as_its_film_where_that_is_quickest(
    converting: Converting, studio: Studio
) -> None:
    """A recording of a screen stands still for long, and has few pictures on average."""
    uneven = ("-vf", "select='not(between(n,3,6))*lt(n,9)'", "-fps_mode", "vfr", *FAST)
    film = studio.built("uneven.mp4", *flag(), *uneven)

    made = converting(film, "mp4", "gif").made

    shown = [picture.tobytes() for picture in seen.frames(made)]
    new = [at for at, one in enumerate(shown) if at == 0 or one != shown[at - 1]]
    assert [round(seen.times(made)[at], 1) for at in new] == [0.0, 0.1, 0.2, 0.7, 0.8]


@pytest.mark.parametrize("target", ["mp4", "webm", "avi", "jpg", "png", "gif"])
@pytest.mark.parametrize("kind", ["rgb", "601", "full"])
def test_a_colour_stays_the_same(
    converting: Converting, studio: Studio, target: str, kind: str
) -> None:
    how = {
        "rgb": ("-vf", "format=gbrp", *FFV1),
        "601": FAST,
        "full": ("-vf", "scale=out_range=pc,format=yuvj420p", "-c:v", "mjpeg", "-q:v", "2"),
    }
    film = plain(studio, "0x3060C0", *how[kind])

    made = converting(film, "mkv", target).made

    if target in ("jpg", "png"):
        with Image.open(made) as opened:
            shown = opened.convert("RGB").getpixel((20, 20))
    else:
        shown = seen.frames(made)[0].getpixel((20, 20))
    assert near(shown, (0x30, 0x60, 0xC0), 6)  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["webm", "png"])
def test_a_film_for_hdr_screens_is_adapted(
    converting: Converting, studio: Studio, target: str
) -> None:
    """A light of PQ that says 130 of 255 is brighter than that on other screens."""
    bright = "color=0x828282:s=320x180:d=0.2:r=10,format=yuv420p10le"
    words = "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
    film = studio.built(
        "hdr.mkv", "-f", "lavfi", "-i", bright, "-c:v", "libx265", "-x265-params", words
    )

    result = converting(film, "mkv", target)

    shown = seen.frames(result.made)[0].getpixel((9, 9))
    assert isinstance(shown, tuple)
    assert min(shown) > 145
    assert "HDR" in result.notes


def test_a_film_in_half_pictures_is_put_together(converting: Converting, studio: Studio) -> None:
    """A bar that moves: of two half pictures each line would show it in another place."""
    film = studio.built(
        "halves.mpg",
        "-f",
        "lavfi",
        "-i",
        "color=black:s=320x240:r=50:d=0.6[b];color=white:s=40x240:r=50:d=0.6[w];"
        "[b][w]overlay=x=t*400:shortest=1,interlace",
        "-c:v",
        "mpeg2video",
        "-q:v",
        "2",
        "-flags",
        "+ilme+ildct",
        "-r",
        "25",
        "-f",
        "mpeg",
    )

    shown = seen.frames(converting(film, "mpg", "mp4").made)[5].convert("L")

    rows = [shown.crop((0, y, 320, y + 1)).tobytes() for y in range(100, 120)]
    combed = max(
        sum(abs(a - b) for a, b in zip(one, two, strict=True)) for one, two in pairwise(rows)
    )
    assert combed < 8 * 255 / 2


def test_a_gif_nobody_asked_to_be_large_is_kept_small(
    converting: Converting, studio: Studio
) -> None:
    film = studio.built("hd.mp4", "-f", "lavfi", "-i", "testsrc=s=960x540:d=0.3:r=30", *FAST)

    result = converting(film, "mp4", "gif")
    asked = converting(film, "mp4", "gif", width=600, fps=30)

    assert seen.frames(result.made)[0].size == (480, 270)
    assert "reduced from 960 × 540 to 480 × 270" in result.notes  # noqa: RUF001
    assert "15 pictures a second instead of 30" in result.notes
    assert seen.frames(asked.made)[0].size == (600, 338)
    assert asked.facts["notes"] == []


def test_a_gif_has_the_colours_of_the_film(converting: Converting, studio: Studio) -> None:
    shown = corners(seen.frames(converting(studio.sample("mp4"), "mp4", "gif").made)[0])

    for colour, other in zip(shown, [RED, GREEN, BLUE, YELLOW], strict=True):
        assert near(colour, other, 20)


def test_hevc_for_apple_has_the_name_it_expects(converting: Converting, studio: Studio) -> None:
    film = studio.built(
        "hevc.mkv",
        *flag(0.3),
        "-c:v",
        "libx265",
        "-x265-params",
        "log-level=none",
        "-pix_fmt",
        "yuv420p",
    )

    result = converting(film, "mkv", "mp4")

    assert "(hvc1 /" in seen.described(result.made)
    assert "HEVC" in result.notes
