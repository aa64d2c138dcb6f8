"""Songs with a cover picture and a title."""

from pathlib import Path

import pytest

from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, flag


def song(studio: Studio) -> Path:
    cover = studio.built("cover.png", *flag(), "-frames:v", "1")
    return studio.built(
        "song.mp3",
        "-i",
        studio.sample("mp3"),
        "-i",
        cover,
        "-map",
        "0",
        "-map",
        "1",
        "-c",
        "copy",
        "-disposition:v",
        "attached_pic",
        "-metadata",
        "title=Our song",
    )


@pytest.mark.parametrize("target", ["m4a", "flac", "mp3", "wav", "opus", "ogg", "aac"])
def test_a_song_with_a_cover_converts(converting: Converting, studio: Studio, target: str) -> None:
    result = converting(song(studio), "mp3", target)

    keeps = target in ("m4a", "flac", "mp3")
    assert ("Video: png" in seen.streams(result.made)) is keeps
    assert result.facts["dropped"] == ([] if keeps else ["the cover picture"])
    assert ("Our song" in seen.described(result.made)) is (target != "aac")


def test_strip_takes_title_and_cover_away(converting: Converting, studio: Studio) -> None:
    result = converting(song(studio), "mp3", "m4a", strip=True)

    assert seen.streams(result.made) == ["Audio: aac"]
    assert "Our song" not in seen.described(result.made)


def test_a_song_with_a_cover_that_is_called_a_film_has_no_film(
    converting: Converting, studio: Studio
) -> None:
    called = studio.built(
        "song.mp4", "-i", song(studio), "-map", "0", "-c", "copy", "-disposition:v", "attached_pic"
    )

    assert converting(called, "mp4", "webm").refused.code == "no_video_stream"
    assert converting(called, "mp4", "jpg").refused.code == "no_video_stream"
    assert converting(called, "mp4", "wav").facts["sound"]
