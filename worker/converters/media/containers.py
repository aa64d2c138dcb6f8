"""What each target is made of: its writer, the codecs it takes as they are, those we make."""

from dataclasses import dataclass

_PCM = ("pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_u8", "pcm_f32le")
_TEXT = ("subrip", "ass", "ssa", "webvtt", "mov_text", "text")
_DRAWN = ("dvd_subtitle", "hdmv_pgs_subtitle", "dvb_subtitle")
_FAST = ("-movflags", "+faststart")  # the index first, so that a browser can begin at once


@dataclass(frozen=True)
class Container:
    """`video` and `sound` are codecs that are copied; `makes_video` and `makes_sound` encoders.

    `subtitles` names the encoder for texts; of `drawn` subtitles there is none, they are copied.
    `many` says whether players offer more than one sound track, `turns` whether they turn a film
    that says which side is up, `cuts` whether they leave out a beginning as the file says,
    `covers` whether a sound may have a picture.
    """

    muxer: str
    makes_sound: str
    sound: tuple[str, ...]
    makes_video: str = ""
    video: tuple[str, ...] = ()
    subtitles: str = ""
    drawn: tuple[str, ...] = ()
    many: bool = False
    turns: bool = False
    cuts: bool = False
    covers: bool = False
    options: tuple[str, ...] = ()

    @property
    def needs(self) -> list[str]:
        """The encoders without which nothing can be put into it."""
        return [one for one in (self.makes_video, self.makes_sound, self.subtitles) if one]


TEXTS = _TEXT
CONTAINERS = {
    "mp4": Container(
        muxer="mp4",
        makes_video="libx264",
        video=("h264", "hevc", "av1"),
        makes_sound="aac",
        sound=("aac", "mp3", "ac3", "eac3", "alac"),
        subtitles="mov_text",
        many=True,
        turns=True,
        cuts=True,
        options=_FAST,
    ),
    "mov": Container(
        muxer="mov",
        makes_video="libx264",
        video=("h264", "hevc", "mpeg4", "prores", "dnxhd", "mjpeg"),
        makes_sound="aac",
        sound=("aac", "mp3", "ac3", "eac3", "alac", "pcm_s16le", "pcm_s24le"),
        subtitles="mov_text",
        many=True,
        turns=True,
        cuts=True,
        options=_FAST,
    ),
    "mkv": Container(
        muxer="matroska",
        makes_video="libx264",
        video=("h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "prores", "mjpeg"),
        makes_sound="aac",
        sound=("aac", "mp3", "ac3", "eac3", "dts", "truehd", "opus", "vorbis", "flac", *_PCM),
        subtitles="subrip",
        drawn=_DRAWN,
        many=True,
    ),
    "webm": Container(
        muxer="webm",
        makes_video="libvpx-vp9",
        video=("vp8", "vp9", "av1"),
        makes_sound="libopus",
        sound=("opus", "vorbis"),
        subtitles="webvtt",
    ),
    "avi": Container(
        muxer="avi",
        makes_video="mpeg4",
        video=("mpeg4", "msmpeg4v3", "msmpeg4v2", "mjpeg"),
        makes_sound="libmp3lame",
        sound=("mp3", "ac3", "pcm_s16le"),
    ),
    "mp3": Container("mp3", "libmp3lame", ("mp3",), covers=True),
    "m4a": Container("ipod", "aac", ("aac", "alac"), cuts=True, covers=True, options=_FAST),
    "aac": Container("adts", "aac", ("aac",)),
    "ogg": Container("ogg", "libvorbis", ("vorbis",)),
    "opus": Container("opus", "libopus", ("opus",)),
    "flac": Container("flac", "flac", ("flac",), covers=True),
    "wav": Container("wav", "pcm_s16le", _PCM, options=("-rf64", "auto")),
}

# Of other containers the times of the pictures are not to be relied on when they are copied.
KEEPS_TIME = frozenset({"mp4", "mov", "m4a", "3gp", "mkv", "webm", "ts", "flv"})
