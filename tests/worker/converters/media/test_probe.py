"""What ffmpeg prints about a file is read, whichever version printed it and whatever it quotes."""

import pytest

from worker.converters.media import probe
from worker.converters.media.recording import Kind

NEW = """\
Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:input.mov':
  Metadata:
    title           : a
                    :   Stream #0:0: Video: png, rgb24, 9x9
    comment         : a\u2028  Stream #0:0: Video: png, rgb24, 9x9
  Duration: 01:02:03.45, start: 0.000000, bitrate: 173 kb/s
  Stream #0:0[0x1](und): Video: hevc (Main 10) (hvc1 / 0x31637668), <
yuv420p10le(tv, bt2020nc/bt2020/arib-std-b67), 1920x1080 [SAR 4:3 DAR 64:27], 94 kb/s, <
29.97 fps, 30 tbr, 16k tbn (default)
    Side data:
      Display Matrix: rotation of -90.00 degrees
  Stream #0:1[0x2](eng): Audio: aac (LC) (mp4a / 0x6134706D), 48000 Hz, <
5.1(side), fltp, 69 kb/s (default)
  Stream #0:2[0x3](eng): Data: none (mebx / 0x7862656D)
  Stream #0:3: Video: mjpeg (Baseline), yuvj420p(pc, bt470bg/unknown/unknown), <
500x501 [SAR 1:1 DAR 1:1], 90k tbr, 90k tbn (attached pic)
    Metadata:
      title           : Display Matrix: rotation of 90.00 degrees
                      :   displaymatrix: rotation of 90.00 degrees
Stream mapping:
Output #0, ffmetadata, to 'pipe:':
  Stream #0:4: Video: none
""".replace("<\n", "")
OLD = """\
[mp3 @ 0x55] Estimating duration from bitrate, this may be inaccurate
Input #0, matroska,webm, from 'file:input.mkv':
  Duration: N/A, start: 0.000000, bitrate: N/A
  Stream #0:0(eng): Video: mpeg2video (Main), yuv420p(tv, smpte170m, top first), <
720x576 [SAR 64:45 DAR 16:9], 1k fps, 25 tbr, 1k tbn
    Side data:
      displaymatrix: rotation of 180.00 degrees
  Stream #0:1(x1): Audio: pcm_s24le, 44100 Hz, 12 channels, s32 (24 bit), 2116 kb/s
  Stream #0:2: Subtitle: subrip (srt)
""".replace("<\n", "")
GROUPED = """\
Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:input.mov':
  Metadata:
    Stream #0:0: Video: png, rgb24, 9x9: a name of a property
  Duration: 00:00:01.00, start: 0.000000, bitrate: 102 kb/s
  Stream group #0:0[0x3]: Track Reference:
    Stream #0:0[0x1]: Video: h264 (High) (avc1 / 0x31637661), yuv420p(progressive), 96x64, 10 fps
      Metadata:
        timecode        : 01:00:00:00
      Side data:
        Display Matrix: rotation of -90.00 degrees
    Stream #0:2[0x3](eng): Data: none (tmcd / 0x64636D74), 0 kb/s
      Metadata:
        timecode        : 01:00:00:00
  Stream #0:1[0x2](eng): Audio: aac (LC) (mp4a / 0x6134706D), 48000 Hz, stereo, fltp, 69 kb/s
    Metadata:
      title           : Stream #0:3: Audio: aac, 48000 Hz, stereo
"""
LOCKED = (
    "  Stream #0:0[0x1](und): Audio: aac (drms / 0x736D7264), 44100 Hz, stereo, 256 kb/s (default)"
)


def test_a_film_of_a_phone_is_read() -> None:
    found = probe.read(NEW)

    video, sound, data, cover = found.streams
    assert found.seconds == pytest.approx(3723.45)
    assert not found.guessed
    assert (video.codec, video.width, video.height, video.pixels) == (
        "hevc",
        1920,
        1080,
        "yuv420p10le",
    )
    assert (video.rotation, video.fps, video.wide_range) == (-90.0, 29.97, "arib-std-b67")
    assert (video.peak, cover.fps, cover.peak) == (30, 90_000, 90_000)
    assert (video.turned, cover.turned, cover.rotation) == (True, False, 0.0)
    assert video.stretch == pytest.approx(4 / 3)
    assert (sound.language, sound.channels, sound.default) == ("eng", 6, True)
    assert (data.kind, data.codec) == (Kind.DATA, "none")
    assert cover.cover
    assert found.cover is cover
    assert found.video is video


def test_tracks_that_belong_together_are_read_with_the_others() -> None:
    video, sound, data = probe.read(GROUPED).streams

    assert [one.index for one in (video, sound, data)] == [0, 1, 2]
    assert (video.codec, video.width, video.rotation) == ("h264", 96, -90.0)
    assert (sound.kind, data.kind) == (Kind.SOUND, Kind.DATA)
    assert not sound.turned


def test_what_an_older_ffmpeg_prints_is_read() -> None:
    found = probe.read(OLD)

    video, sound, text = found.streams
    assert (found.seconds, found.guessed) == (None, True)
    assert (video.interlaced, video.rotation, video.fps) == (True, 180.0, 1000.0)
    assert (sound.channels, sound.bits, sound.language) == (12, 24, "")
    assert text.kind is Kind.SUBTITLES


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("", ""),
        ("(eng)", "eng"),
        ("(en-US)", "en-US"),
        ("(zh-Hans-CN)", "zh-Hans-CN"),
        ("(日本)", ""),
        ("(of my own)", ""),
        ("((a): Video: png)", ""),
    ],
)
def test_a_language_may_be_any_text(said: str, language: str) -> None:
    (sound,) = probe.read(f"  Stream #0:0[0x1]{said}: Audio: aac (LC), 48000 Hz, mono").streams

    assert (sound.kind, sound.codec, sound.language) == (Kind.SOUND, "aac", language)


@pytest.mark.parametrize(
    "printed", ["", "\n\n", "Input #0", "  Stream #0:0: Video: ", "  Stream #0:7: Audio: mp3"]
)
def test_nothing_is_read_from_nothing(printed: str) -> None:
    assert probe.read(printed).streams == []


def test_a_locked_stream_is_known_by_its_tag() -> None:
    assert probe.read(LOCKED).streams[0].locked
    assert not probe.read(LOCKED.replace("drms", "mp4a")).streams[0].locked
