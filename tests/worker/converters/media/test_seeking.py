"""A part of a film has all the pictures that belong there, or is none."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from app.formats.media import MEDIA
from tests.worker.converters import cells
from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, flag, tone
from tests.worker.converters.media.test_times import colour
from worker.spawner.client import Spawner

# After some red, two seconds of green and two of blue.
LIGHTS = (
    "color=red:s=64x48:r=25:d={before}[a];color=lime:s=64x48:r=25:d=2[b];"
    "color=blue:s=64x48:r=25:d=2[c];[a][b][c]concat=n=3"
)
MADE = {
    "ts": ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "mpegts"),
    "mpg": ("-c:v", "mpeg2video", "-c:a", "mp2", "-f", "mpeg"),
}


def lights(studio: Studio, name: str, before: int) -> Path:
    """Return a film with ten seconds between its key frames, as is usual."""
    film = ("-f", "lavfi", "-i", LIGHTS.format(before=before), *tone(before + 4))
    return studio.built(f"{before}-lights.{name}", *film, "-g", "250", *MADE[name])


@pytest.mark.parametrize("before", [2, 20])
@pytest.mark.parametrize("target", ["mp4", "gif"])
@pytest.mark.parametrize("name", ["ts", "mpg"])
def test_a_part_has_the_pictures_that_belong_there(
    converting: Converting, studio: Studio, name: str, target: str, before: int
) -> None:
    result = converting(
        lights(studio, name, before), name, target, start=before + 1, duration=2, fps=10
    )

    shown = [colour(one) for one in seen.frames(result.made)]
    assert shown.count(1) == pytest.approx(10, abs=1)
    assert shown.count(2) == pytest.approx(10, abs=1)
    assert shown == sorted(shown)
    assert seen.seconds(result.made) == pytest.approx(2, abs=0.1)
    assert result.facts["notes"] == []


@pytest.mark.parametrize("before", [2, 20])
@pytest.mark.parametrize("name", ["ts", "mpg"])
def test_a_poster_shows_the_moment(
    converting: Converting, studio: Studio, name: str, before: int
) -> None:
    film = lights(studio, name, before)

    for after, expected in ((1, 1), (3, 2)):
        result = converting(film, name, "png", start=before + after)
        with Image.open(result.made) as opened:
            assert colour(opened.convert("RGB")) == expected
        assert result.facts["notes"] == []


def _film(studio: Studio, *, late: bool) -> Path:
    """Return four seconds of sound with one second of pictures, two seconds late or at once."""
    offset = ("-itsoffset", "2") if late else ()
    sound = (*tone(4), "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac")
    return studio.built(f"blind-{late}.mkv", *offset, *flag(1), *sound)


@pytest.mark.parametrize("target", ["mp4", "webm", "mkv", "avi", "gif"])
@pytest.mark.parametrize("options", [{"start": 2}, {"start": 2, "mute": True}, {"duration": 1}])
def test_a_part_in_which_nothing_is_seen_is_no_film(
    converting: Converting, studio: Studio, target: str, options: dict[str, float]
) -> None:
    """A film may begin or go on with sound alone; so does a part of it, to ffmpeg."""
    film = _film(studio, late="duration" in options)

    refused = converting(film, "mkv", target, **options).refused

    assert refused.code == "no_video_stream"
    assert "no picture in the part that was asked for" in str(refused.detail)


def test_a_part_in_which_nothing_is_seen_ends_each_time(
    spawner: Spawner, studio: Studio, tmp_path: Path
) -> None:
    """Of sixteen runs that end where the part ends, ffmpeg leaves three waiting for themselves."""
    film = _film(studio, late=True)

    def code(run: int) -> str:
        place = tmp_path / str(run)
        place.mkdir(mode=0o700)
        wish = {"duration": 1}
        said = cells.convert(spawner, MEDIA, film, "mkv", "avi", place=place, options=wish)
        return said.refused.code

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(code, range(16))) == ["no_video_stream"] * 16


@pytest.mark.parametrize("target", ["mp3", "wav"])
def test_a_part_of_the_sound_is_as_long_as_was_asked_for(
    converting: Converting, studio: Studio, target: str
) -> None:
    result = converting(lights(studio, "mpg", 20), "mpg", target, start=21, duration=2)

    assert seen.seconds(result.made) == pytest.approx(2, abs=0.1)
    assert result.facts["notes"] == []
