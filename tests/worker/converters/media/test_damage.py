"""Files that are cut, changed, false or dangerous end with a reason, and never as half a result."""

import random
import socket
from pathlib import Path

import pytest

from app.formats.media import FILMS, MEDIA, SOUNDS
from tests import samples
from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, ffmpeg, flag, tone

FAST = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
TELL_THEIR_LENGTH = ("mp4", "mov", "m4a", "mkv", "webm", "avi", "wav", "flac", "mp3", "3gp")
INDEX_FIRST = {"mp4", "mov", "m4a", "3gp"}


def long(studio: Studio, name: str) -> bytes:
    """Return six seconds, with the index first, so that half of it can be read."""
    whole = studio.sample(name, 6.0)
    if name not in INDEX_FIRST:
        return whole.read_bytes()
    muxer = {"m4a": "ipod"}.get(name, name)
    fast = ("-movflags", "+faststart", "-f", muxer)
    return studio.built(f"fast.{name}", "-i", whole, "-c", "copy", *fast).read_bytes()


@pytest.mark.parametrize("name", TELL_THEIR_LENGTH)
def test_two_thirds_of_a_recording_are_no_success(
    converting: Converting, studio: Studio, name: str
) -> None:
    whole = long(studio, name)
    cut = whole[: len(whole) * 2 // 3]
    targets = ("mp4", "mkv", "mp3") if name in (*FILMS, "3gp") else ("mp3", "wav")

    for target in targets:
        refused = converting(cut, name, target).refused
        assert refused.code == "corrupt_input"
        assert "incomplete" in str(refused.detail)
        assert any(digit.isdigit() for digit in str(refused.detail))


def test_a_film_whose_index_is_lost_is_refused(converting: Converting, studio: Studio) -> None:
    whole = studio.sample("mp4", 6.0).read_bytes()

    assert converting(whole[: len(whole) // 2], "mp4", "webm").refused.code == "corrupt_input"


def test_a_sound_that_ends_before_its_film_is_whole(converting: Converting, studio: Studio) -> None:
    """Less sound than film is no damage: the file itself reaches its end."""
    short = studio.built("short.mp4", *flag(6), *tone(2), *FAST, "-c:a", "aac")

    result = converting(short, "mp4", "mp3")

    assert seen.seconds(result.made) == pytest.approx(2, abs=0.2)
    assert result.notes == "What was converted ends after 0:02 of 0:06."


def test_a_film_whose_second_half_was_never_written_is_refused(
    converting: Converting, studio: Studio
) -> None:
    """A download that reserved its space: the index is whole, the pictures are zeros."""
    whole = long(studio, "mp4")
    kept = len(whole) // 2
    hollow = whole[:kept] + bytes(len(whole) - kept)

    refused = converting(hollow, "mp4", "webm").refused

    assert refused.code == "corrupt_input"


def test_a_scratch_is_said_and_is_no_failure(converting: Converting, studio: Studio) -> None:
    whole = bytearray(long(studio, "avi"))
    middle = len(whole) // 2
    whole[middle : middle + 400] = random.Random(1).randbytes(400)

    result = converting(bytes(whole), "avi", "mp4")

    assert seen.seconds(result.made) == pytest.approx(6, abs=0.5)
    assert "damaged" in result.notes


@pytest.mark.parametrize("target", ["mp3", "flac", "wav", "opus"])
def test_a_sound_without_a_sample_is_refused(
    converting: Converting, studio: Studio, target: str
) -> None:
    empty = studio.built("empty.wav", *tone(), "-t", "0", "-c:a", "pcm_s16le")
    short = studio.built("short.wav", *tone(0.001), "-c:a", "pcm_s16le")

    assert converting(empty, "wav", target).refused.code == "corrupt_input"
    assert seen.samples(converting(short, "wav", target).made)


def test_half_a_gif_is_refused(converting: Converting, studio: Studio) -> None:
    whole = studio.sample("gif").read_bytes()

    assert converting(whole[: len(whole) // 2], "gif", "mp4").refused.code == "corrupt_input"


@pytest.mark.parametrize("source", MEDIA.sources)
@pytest.mark.parametrize(
    "content",
    [b"", bytes(range(256)) * 40, samples.sample("png")],
    ids=["empty", "bytes", "png"],
)
def test_what_is_no_recording_is_refused(
    converting: Converting, source: str, content: bytes
) -> None:
    refused = converting(content, source, MEDIA.targets_of(source)[0]).refused

    assert refused.code == "corrupt_input"
    assert "or it is no" in str(refused.detail)


@pytest.mark.parametrize("source", [*FILMS, *SOUNDS, "gif"])
def test_a_head_with_nothing_behind_it_is_refused(
    converting: Converting, studio: Studio, source: str
) -> None:
    head = studio.sample(source).read_bytes()[:60]

    assert converting(head, source, MEDIA.targets_of(source)[0]).refused.code == "corrupt_input"


def playlists(folder: Path, port: int) -> dict[str, bytes]:
    return {
        "m3u8": f"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:{port}/a.ts\n".encode(),
        "local m3u8": f"#EXTM3U\n#EXTINF:1,\n{folder}/secret.wav\n".encode(),
        "ffconcat": f"ffconcat version 1.0\nfile '{folder}/secret.wav'\n".encode(),
        "sdp": b"v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 9 RTP/AVP 0\n",
        "behind a tag": b"ID3\x04\0\0\0\0\0\x14"
        + bytes(20)
        + f"#EXTM3U\n#EXTINF:1,\n{folder}/secret.wav\n".encode(),
    }


@pytest.mark.parametrize("kind", ["m3u8", "local m3u8", "ffconcat", "sdp", "behind a tag"])
@pytest.mark.parametrize("called", ["mp4", "mp3", "ts"])
def test_a_playlist_that_is_called_a_recording_opens_nothing(
    converting: Converting, studio: Studio, tmp_path: Path, kind: str, called: str
) -> None:
    (tmp_path / "secret.wav").write_bytes(studio.sample("wav").read_bytes())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        content = playlists(tmp_path, listening.getsockname()[1])[kind]
        refused = converting(content, called, "mp3").refused
        with pytest.raises(BlockingIOError):
            listening.accept()

    assert refused.code == "corrupt_input"


def test_a_film_that_points_elsewhere_gets_nothing_from_there(
    converting: Converting, studio: Studio, tmp_path: Path
) -> None:
    """A QuickTime film may keep its data in another file: alis, an absolute path."""
    film = studio.sample("mov").read_bytes()
    pointing = film.replace(b"\0\0\0\x0curl \0\0\0\x01", b"\0\0\0\x0curl \0\0\0\0")
    assert pointing != film

    outcome = converting(pointing, "mov", "mp4").outcome

    assert getattr(outcome, "code", "corrupt_input") == "corrupt_input"


@pytest.mark.parametrize(
    ("target", "code"), [("mp3", "no_audio_stream"), ("wav", "no_audio_stream")]
)
def test_a_silent_film_gives_no_sound(
    converting: Converting, studio: Studio, target: str, code: str
) -> None:
    refused = converting(studio.built("silent.mp4", *flag(), *FAST), "mp4", target).refused

    assert refused.code == code
    assert "no sound" in str(refused.detail)


@pytest.mark.parametrize("target", ["webm", "gif", "png"])
def test_a_film_container_with_sound_only_gives_no_picture(
    converting: Converting, studio: Studio, target: str
) -> None:
    sound = studio.built("sound.mkv", *tone(), "-c:a", "flac")

    assert converting(sound, "mkv", target).refused.code == "no_video_stream"


def test_a_protected_sound_is_named_for_what_it_is(converting: Converting, studio: Studio) -> None:
    locked = studio.sample("m4a").read_bytes().replace(b"mp4a", b"drms", 1)
    assert b"drms" in locked

    refused = converting(locked, "m4a", "mp3").refused

    assert refused.code == "unsupported_content"
    assert "DRM" in str(refused.detail)


def test_a_codec_nobody_knows_is_unsupported(converting: Converting, studio: Studio) -> None:
    odd = studio.sample("mkv").read_bytes().replace(b"A_AAC", b"A_AAX")

    assert converting(odd, "mkv", "mp3").refused.code == "unsupported_content"


def test_a_wrong_option_is_refused(converting: Converting, studio: Studio) -> None:
    refused = converting(studio.sample("mp4"), "mp4", "webm", volume=11).refused

    assert refused.code == "bad_options"
    assert "'volume' is not an option of film and sound conversions" in str(refused.detail)


def test_text_in_a_file_is_not_taken_for_words_of_ffmpeg(
    converting: Converting, studio: Studio
) -> None:
    lying = studio.built(
        "lying.mkv",
        "-i",
        studio.sample("mkv"),
        "-c",
        "copy",
        "-metadata",
        "title=\n  Duration: 99:00:00.00, start\n  Stream #0:0: Video: h264, 9x9",
        "-metadata",
        "comment=Cannot allocate memory: No space left on device",
    )

    facts = converting(lying, "mkv", "mp4").facts

    assert (facts["width"], facts["height"]) == (96, 64)
    assert facts["seconds"] == pytest.approx(1, abs=0.1)
    assert ffmpeg("-i", lying, "-f", "null", "-") == b""
