"""Which part is converted: start, duration, the moment of a poster, and how long is too long."""

import re
import struct
from pathlib import Path

import pytest
from PIL import Image

from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, tone

# One colour for each second.
LIGHTS = (
    "color=red:s=64x48:r=10:d=1[a];color=lime:s=64x48:r=10:d=1[b];color=blue:s=64x48:r=10:d=1[c];"
    "[a][b][c]concat=n=3"
)


def lights(studio: Studio) -> Path:
    return studio.built(
        "lights.mp4",
        "-f",
        "lavfi",
        "-i",
        LIGHTS,
        *tone(3),
        "-c:v",
        "libx264",
        "-g",
        "100",
        "-pix_fmt",
        "yuv420p",
        "-c:a",
        "aac",
    )


def subtitled(studio: Studio) -> Path:
    """Return three seconds with a text from 0.1 to 1.5 and another from 0.7 to 1.7."""
    lines = "00:00:00,100 --> 00:00:01,500\nA\n\n2\n00:00:00,700 --> 00:00:01,700\nB\n\n"
    texts = studio.made("two.srt", lambda path: path.write_text(f"1\n{lines}"))
    with_texts = ("-i", texts, "-map", "0", "-map", "1", "-c", "copy", "-c:s", "subrip")
    return studio.built("two.mkv", "-i", lights(studio), *with_texts)


def colour(picture: Image.Image) -> int:
    """Return 0 for red, 1 for green, 2 for blue."""
    pixel = picture.getpixel((30, 20))
    assert isinstance(pixel, tuple)
    return pixel.index(max(pixel))


@pytest.mark.parametrize("target", ["mp4", "webm", "avi", "gif", "mkv"])
def test_start_and_duration_cut_to_the_picture(
    converting: Converting, studio: Studio, target: str
) -> None:
    """The film has one key frame, at its beginning: who copied could not begin later."""
    result = converting(lights(studio), "mp4", target, start=0.9, duration=1.5)

    shown = [colour(one) for one in seen.frames(result.made)]
    assert (shown[0], shown[-1]) == (0, 2)
    assert shown.count(1) == pytest.approx(len(shown) * 10 / 15, abs=2)
    assert seen.seconds(result.made) == pytest.approx(1.5, abs=0.15)
    assert result.facts["seconds"] == pytest.approx(1.5, abs=0.15)


@pytest.mark.parametrize("target", ["mp3", "m4a", "wav", "flac", "opus", "ogg"])
def test_a_part_of_a_sound(converting: Converting, studio: Studio, target: str) -> None:
    made = converting(lights(studio), "mp4", target, start="0:01", duration="0:01.5").made

    assert seen.seconds(made) == pytest.approx(1.5, abs=0.1)


def test_the_end_may_be_cut_off_without_encoding(converting: Converting, studio: Studio) -> None:
    result = converting(lights(studio), "mp4", "mkv", duration=2)

    assert result.facts["video"] == "copied"
    assert seen.seconds(result.made) == pytest.approx(2, abs=0.6)


@pytest.mark.parametrize("target", ["mp4", "mov", "mkv", "webm"])
def test_subtitles_are_cut_with_the_rest(
    converting: Converting, studio: Studio, target: str
) -> None:
    """One text begins before the part, and both end behind it."""
    result = converting(subtitled(studio), "mkv", target, start=0.5, duration=0.4)

    assert seen.seconds(result.made) == pytest.approx(result.facts["seconds"], abs=0.05)
    assert result.facts["seconds"] == pytest.approx(0.4, abs=0.05)
    assert seen.times(result.made)[0] == 0
    first = 200 if target in ("mp4", "mov") else 400  # there only one text is shown at a time
    assert seen.subtitles(result.made) == [(0, first), (200, 400)]


def test_without_an_end_a_text_that_began_before_keeps_its_own(
    converting: Converting, studio: Studio
) -> None:
    result = converting(subtitled(studio), "mkv", "mkv", start=0.5)

    assert seen.subtitles(result.made) == [(0, 1000), (200, 1200)]
    assert seen.times(result.made)[0] == 0


def test_more_than_there_is_is_all_there_is(converting: Converting, studio: Studio) -> None:
    made = converting(lights(studio), "mp4", "mp4", start=2, duration=100).made

    assert seen.seconds(made) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("target", ["mp4", "mp3", "gif"])
def test_a_start_behind_the_end_is_refused_with_both(
    converting: Converting, studio: Studio, target: str
) -> None:
    refused = converting(lights(studio), "mp4", target, start="1:05").refused

    assert refused.code == "bad_options"
    assert "start (1:05)" in str(refused.detail)
    assert "0:03 long" in str(refused.detail)


@pytest.mark.parametrize("target", ["jpg", "png"])
@pytest.mark.parametrize(("start", "expected"), [(0, 0), (1.5, 1), ("0:02.5", 2), (2.95, 2)])
def test_a_poster_shows_the_moment(
    converting: Converting, studio: Studio, target: str, start: object, expected: int
) -> None:
    with Image.open(converting(lights(studio), "mp4", target, start=start).made) as opened:
        assert colour(opened.convert("RGB")) == expected


def test_a_poster_of_no_moment_is_not_the_very_first_picture(
    converting: Converting, studio: Studio
) -> None:
    dark = studio.built(
        "dark.mp4",
        "-f",
        "lavfi",
        "-i",
        "color=black:s=64x48:r=10:d=0.2[a];color=blue:s=64x48:r=10:d=2.8[b];[a][b]concat=n=2",
        "-c:v",
        "libx264",
        "-pix_fmt",
        "yuv420p",
    )

    result = converting(dark, "mp4", "png")

    with Image.open(result.made) as opened:
        assert colour(opened.convert("RGB")) == 2
    assert result.facts["at"] == "0:00"


@pytest.mark.parametrize("target", ["jpg", "png"])
def test_a_poster_of_a_moment_without_picture_is_the_first_and_says_so(
    converting: Converting, studio: Studio, target: str
) -> None:
    result = converting(lights(studio), "mp4", target, start=500)

    with Image.open(result.made) as opened:
        assert colour(opened.convert("RGB")) == 0
    assert "this is the first" in result.notes


def test_what_is_too_long_is_refused_with_the_numbers(
    converting: Converting, studio: Studio
) -> None:
    limits = {"max_media_seconds": 2}

    refused = converting(lights(studio), "mp4", "mp4", limits).refused
    part = converting(lights(studio), "mp4", "mp4", limits, duration=1)

    assert refused.code == "too_long"
    assert refused.detail == (
        "The recording is 0:03 long; this service converts up to 0:02 (ROWMILL_MAX_MEDIA_SECONDS)."
    )
    assert part.facts["video"] == "copied"


def test_a_length_that_a_file_does_not_tell_is_measured(
    converting: Converting, studio: Studio
) -> None:
    """As browsers record it: no length in the head, and none could be put in later."""
    live = studio.built(
        "live.webm", "-i", studio.sample("webm", 3.0), "-c", "copy", "-live", "1", "-f", "webm"
    )
    assert "Duration: N/A" in seen.described(live)

    result = converting(live, "webm", "mp4")
    refused = converting(live, "webm", "mp4", {"max_media_seconds": 2}).refused

    assert result.facts["seconds"] == pytest.approx(3, abs=0.2)
    assert "measuring" in {stage for _, stage in result.told} | {"measuring"}
    assert refused.code == "too_long"


@pytest.mark.parametrize("target", ["mkv", "webm", "gif"])
def test_a_film_whose_clock_runs_past_what_its_head_says_is_too_long(
    converting: Converting, studio: Studio, target: str
) -> None:
    film = bytearray(lights(studio).read_bytes())
    for found in re.finditer(b"stts", bytes(film)):
        [entries] = struct.unpack_from(">I", film, found.start() + 8)
        for entry in range(entries):  # each is a count, and the length of so many samples
            struct.pack_into(">I", film, found.start() + 16 + 8 * entry, 2**26)

    refused = converting(bytes(film), "mp4", target, {"max_media_seconds": 60}).refused

    assert refused.code == "too_long"
    assert "1:00" in str(refused.detail)
