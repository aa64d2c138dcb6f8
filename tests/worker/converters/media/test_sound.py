"""Sound of every depth, rate and number of channels."""

import struct
import wave
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio, ffmpeg, tone

LOSSY = ("mp3", "m4a", "aac", "ogg", "opus")


def recorded(path: Path, shape: Mapping[str, int]) -> None:
    """Write half a second of a quiet sawtooth: one channel of 16 bit, 44.1 kHz, or as said."""
    channels, rate, width = (
        shape.get(name, usual) for name, usual in (("channels", 1), ("rate", 44_100), ("width", 2))
    )
    with wave.open(str(path), "wb") as writer:
        writer.setparams((channels, width, rate, 0, "NONE", ""))
        for at in range(rate // 2):
            value = at * 40 % 8000
            sample = {1: bytes([128 + value // 100]), 2: struct.pack("<h", value)}.get(
                width, struct.pack("<i", value * 997)[:3]
            )
            writer.writeframesraw(sample * channels)


@pytest.mark.parametrize("target", ["mp3", "m4a", "aac", "ogg", "opus", "flac", "wav"])
@pytest.mark.parametrize("layout", ["5.1(side)", "7.1", "2.1", "hexadecagonal"])
def test_surround_converts(
    converting: Converting, studio: Studio, target: str, layout: str
) -> None:
    source = f"anoisesrc=d=0.3:a=0.2,aformat=channel_layouts={layout}"
    surround = studio.built(f"surround-{layout}.wav", "-f", "lavfi", "-i", source)

    result = converting(surround, "wav", target)

    assert seen.loudness(seen.samples(result.made)) > 0.01
    if target == "mp3":
        assert "stereo" in seen.described(result.made)
        assert "down to 2" in result.notes


@pytest.mark.parametrize("target", ["mp3", "m4a", "aac", "ogg", "opus", "flac", "wav"])
@pytest.mark.parametrize(
    "shape",
    [
        {"channels": 3},
        {"channels": 12},
        {"rate": 6_000, "width": 1},
        {"rate": 192_000, "channels": 2, "width": 3},
    ],
    ids=str,
)
def test_odd_recordings_convert(
    converting: Converting, studio: Studio, target: str, shape: dict[str, int]
) -> None:
    odd = studio.made(f"odd-{shape}.wav", partial(recorded, shape=shape))

    result = converting(odd, "wav", target)

    assert seen.seconds(result.made) == pytest.approx(0.5, abs=0.25)
    assert seen.loudness(seen.samples(result.made)) > 0.02


def test_24_bits_come_back_as_they_were(converting: Converting, studio: Studio) -> None:
    deep = studio.made("deep.wav", lambda path: recorded(path, {"width": 3}))

    flac = converting(deep, "wav", "flac").made
    wav = converting(flac, "flac", "wav").made

    exact = ("-f", "s32le", "-c:a", "pcm_s32le", "-")
    assert "(24 bit)" in seen.described(flac)
    assert "pcm_s24le" in seen.described(wav)
    assert ffmpeg("-i", wav, *exact) == ffmpeg("-i", deep, *exact)


def test_16_bits_stay_16(converting: Converting, studio: Studio) -> None:
    made = converting(studio.sample("flac"), "flac", "wav").made

    assert "pcm_s16le" in seen.described(made)
    assert seen.samples(made) == seen.samples(studio.sample("flac"))


@pytest.mark.parametrize("target", LOSSY)
@pytest.mark.parametrize("bitrate", [8, 512])
def test_any_bitrate_is_taken(
    converting: Converting, studio: Studio, target: str, bitrate: int
) -> None:
    for shape in ({"rate": 8_000}, {"channels": 2}):
        sound = studio.made(f"odd-{shape}.wav", partial(recorded, shape=shape))
        result = converting(sound, "wav", target, audio_bitrate=bitrate)
        assert result.made.stat().st_size > 100
        reached = {"mp3": 320, "opus": 256 * shape.get("channels", 1)}.get(target, 512)
        assert (f"{reached} kbit/s, the most" in result.notes) is (bitrate > reached)


def test_a_lower_bitrate_is_a_smaller_file(converting: Converting, studio: Studio) -> None:
    noise = studio.built("noise.wav", "-f", "lavfi", "-i", "anoisesrc=d=2:r=44100")
    for target in LOSSY:
        small, large = (
            converting(noise, "wav", target, audio_bitrate=rate).made.stat().st_size
            for rate in (48, 192)
        )
        assert small * 2 < large


def test_a_lossless_target_says_that_it_has_no_bitrate(
    converting: Converting, studio: Studio
) -> None:
    result = converting(studio.sample("mp3"), "mp3", "flac", audio_bitrate=64)

    assert result.notes == "audio_bitrate has no meaning for FLAC and was not used."


def test_the_last_packet_of_a_stream_may_be_cut(converting: Converting, studio: Studio) -> None:
    """A warning is no failure: ffmpeg gives one, and does well."""
    whole = studio.built("long.opus", *tone(3), "-c:a", "libopus").read_bytes()

    result = converting(whole[:-300], "opus", "mp3")

    assert seen.seconds(result.made) > 1.5
