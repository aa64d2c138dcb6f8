"""Streams that fit are copied, those that cannot come along are named, and nothing is lost."""

from pathlib import Path

import pytest

from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, ffmpeg, flag, tone

TEXT = "1\n00:00:00,100 --> 00:00:00,600\nGood morning\n\n"
FAST = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")


def packets(path: Path, stream: str) -> list[str]:
    """Return the checksum of every packet of a stream, undecoded."""
    told = ffmpeg("-i", path, "-map", f"0:{stream}", "-c", "copy", "-f", "framemd5", "-").decode()
    return [line.split(",")[-1] for line in told.splitlines() if not line.startswith("#")]


def rich(studio: Studio) -> Path:
    """Return a film with two sound tracks, two kinds of subtitles and a font."""
    subtitles = studio.made("text.srt", lambda path: path.write_text(TEXT))
    font = studio.made("font.ttf", lambda path: path.write_bytes(bytes(100)))
    arguments: list[str | Path] = [*flag(), *tone(), *tone(hertz=880), "-i", subtitles]
    arguments += ["-map", "0", "-map", "1", "-map", "2", "-map", "3", *FAST, "-c:a", "aac"]
    arguments += ["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu"]
    arguments += ["-attach", font, "-metadata:s:t", "mimetype=font/ttf", "-c:s", "subrip"]
    arguments += ["-metadata", "title=A  Stream #0:0: Video: none"]
    return studio.built("rich.mkv", *arguments)


@pytest.mark.parametrize("target", ["mov", "mkv", "mp4"])
def test_what_fits_is_copied_packet_by_packet(
    converting: Converting, studio: Studio, target: str
) -> None:
    film = studio.sample("mp4")

    result = converting(film, "mp4", target)

    assert (result.facts["video"], result.facts["sound"]) == ("copied", "copied")
    assert packets(result.made, "a:0") == packets(film, "a:0")
    assert len(packets(result.made, "v:0")) == len(packets(film, "v:0"))
    assert seen.frames(result.made)[3].tobytes() == seen.frames(film)[3].tobytes()
    assert result.facts["notes"] == []


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("mp4", "m4a"),
        ("mov", "aac"),
        ("avi", "mp3"),
        ("webm", "opus"),
        ("wav", "wav"),
        ("ogv", "ogg"),
    ],
)
def test_the_sound_of_a_film_is_taken_out_untouched(
    converting: Converting, studio: Studio, source: str, target: str
) -> None:
    result = converting(studio.sample(source), source, target)

    assert result.facts["sound"] == "copied"
    assert seen.streams(result.made) == seen.streams(studio.sample(source))[-1:]


@pytest.mark.parametrize(
    "options",
    [{"quality": 60}, {"width": 48}, {"fps": 5}, {"start": 0.3}],
    ids=lambda options: next(iter(options)),
)
def test_an_option_that_asks_for_more_has_the_picture_encoded(
    converting: Converting, studio: Studio, options: dict[str, float]
) -> None:
    result = converting(studio.sample("mp4"), "mp4", "mp4", **options)

    assert result.facts["video"] == "encoded as h264"
    assert result.facts["sound"] == ("encoded as aac" if "start" in options else "copied")


def test_a_wish_for_the_sound_leaves_the_picture_alone(
    converting: Converting, studio: Studio
) -> None:
    facts = converting(studio.sample("mp4"), "mp4", "mp4", audio_bitrate=64).facts

    assert (facts["video"], facts["sound"]) == ("copied", "encoded as aac")


@pytest.mark.parametrize("pixels", ["yuv444p", "yuv422p", "yuv420p10le"])
def test_h264_that_few_can_show_is_copied_with_a_word_and_encoded_on_request(
    converting: Converting, studio: Studio, pixels: str
) -> None:
    film = studio.built(f"{pixels}.mkv", *flag(0.3), *FAST[:4], "-pix_fmt", pixels)

    copied = converting(film, "mkv", "mp4").facts
    assert copied["video"] == "copied"
    assert [pixels in note for note in copied["notes"]] == [True]

    encoded = converting(film, "mkv", "mp4", quality=70)
    assert "yuv420p" in seen.described(encoded.made)
    assert encoded.facts["notes"] == []


def test_a_film_for_browsers_has_its_index_first(converting: Converting, studio: Studio) -> None:
    made = converting(studio.sample("mkv"), "mkv", "mp4").made.read_bytes()

    assert made.index(b"moov") < made.index(b"mdat")


def test_all_tracks_come_along_where_there_is_room(converting: Converting, studio: Studio) -> None:
    result = converting(rich(studio), "mkv", "mp4")

    assert seen.streams(result.made) == [
        "Video: h264",
        "Audio: aac",
        "Audio: aac",
        "Subtitle: mov_text",
    ]
    assert seen.pitch(seen.samples(result.made, 1)) == pytest.approx(880, rel=0.02)
    assert "(deu)" in seen.described(result.made)
    assert ffmpeg("-i", result.made, "-f", "srt", "-").decode().split("\n")[2] == "Good morning"
    assert result.facts["dropped"] == ["attachment 1"]
    assert result.facts["subtitles"] == 1


@pytest.mark.parametrize("target", ["mp4", "mkv", "webm", "mp3", "gif", "jpg"])
def test_a_film_with_a_time_code_converts(
    converting: Converting, studio: Studio, target: str
) -> None:
    """As cameras and cutting programs write it: a track of its own, which refers to the picture."""
    code = ("-c:a", "aac", "-timecode", "01:00:00:00")
    film = studio.built("timecode.mov", *flag(), *tone(), *FAST, *code)
    assert "Data: none (tmcd" in seen.described(film)

    result = converting(film, "mov", target)

    is_film = target in ("mp4", "mkv", "webm")
    assert result.made
    assert result.facts["dropped"] == (["data track 1 (eng)"] if is_film else [])


def test_matroska_keeps_everything(converting: Converting, studio: Studio) -> None:
    result = converting(rich(studio), "mkv", "mkv")

    assert seen.streams(result.made) == seen.streams(rich(studio))
    assert result.facts["dropped"] == []


def test_what_webm_has_no_room_for_is_named(converting: Converting, studio: Studio) -> None:
    result = converting(rich(studio), "mkv", "webm")

    assert seen.streams(result.made) == ["Video: vp9", "Audio: opus", "Subtitle: webvtt"]
    assert result.facts["dropped"] == ["sound track 2 (deu, aac)", "attachment 1"]
    assert result.notes == "Left out: sound track 2 (deu, aac); attachment 1."


def test_a_sound_is_made_of_the_first_track_and_says_so(
    converting: Converting, studio: Studio
) -> None:
    result = converting(rich(studio), "mkv", "wav")

    assert seen.pitch(seen.samples(result.made)) == pytest.approx(440, rel=0.02)
    assert result.facts["dropped"] == ["sound track 2 (deu, aac)"]


def test_the_track_that_plays_by_default_is_the_one(converting: Converting, studio: Studio) -> None:
    film = studio.built(
        "second.mkv",
        "-i",
        rich(studio),
        "-map",
        "0:v",
        "-map",
        "0:a",
        "-c",
        "copy",
        "-disposition:a:0",
        "0",
        "-disposition:a:1",
        "default",
    )

    assert seen.pitch(seen.samples(converting(film, "mkv", "mp3").made)) == pytest.approx(
        880, rel=0.02
    )


def test_subtitles_that_are_pictures_are_named_where_they_cannot_stay(
    converting: Converting, studio: Studio
) -> None:
    film = studio.built(
        "drawn.mkv",
        *flag(),
        "-i",
        studio.made("text.srt", lambda path: path.write_text(TEXT)),
        *FAST,
        "-c:s",
        "copy",
    )
    drawn = film.read_bytes().replace(b"S_TEXT/UTF8", b"S_HDMV/PGS\0")

    assert converting(drawn, "mkv", "mp4").facts["dropped"] == ["subtitles 1 (hdmv_pgs_subtitle)"]


def test_a_film_without_sound_is_a_film(converting: Converting, studio: Studio) -> None:
    silent = studio.built("silent.mkv", *flag(), *FAST)

    for target in ("mp4", "webm", "avi", "gif"):
        assert len(seen.streams(converting(silent, "mkv", target).made)) == 1


def test_mute_leaves_the_sound_out_and_does_not_call_it_lost(
    converting: Converting, studio: Studio
) -> None:
    result = converting(studio.sample("mp4"), "mp4", "mp4", mute=True)

    assert seen.streams(result.made) == ["Video: h264"]
    assert result.facts["dropped"] == []


def test_what_cannot_be_used_is_said(converting: Converting, studio: Studio) -> None:
    notes = converting(studio.sample("mp4"), "mp4", "mp3", width=10, fps=5).facts["notes"]

    assert notes == [
        "width has no meaning for MP3 and was not used.",
        "fps has no meaning for MP3 and was not used.",
    ]


def test_copying_that_fails_is_followed_by_encoding(converting: Converting, studio: Studio) -> None:
    """MP3 of 8 kHz is a codec that MP4 takes, at a rate that it does not."""
    rate = ("-c:a", "libmp3lame", "-ar", "8000")
    film = studio.built("low.mkv", *flag(), *tone(), *FAST, *rate)

    result = converting(film, "mkv", "mp4")

    assert result.facts["sound"] == "encoded as aac"
    assert seen.pitch(seen.samples(result.made)) == pytest.approx(440, rel=0.02)
