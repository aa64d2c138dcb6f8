"""Films and sounds: which formats turn into which, and the options of one such conversion."""

import re
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from app.formats.family import Family, Needs
from app.formats.options import Options, optional

LONGEST_SIDE = 8_192
MOST_FPS = 120
LEAST_BITRATE, MOST_BITRATE = 8, 512
LONGEST_SECONDS = 1_000_000

FILMS = ("mp4", "mov", "mkv", "webm", "avi")
SOUNDS = ("mp3", "m4a", "aac", "ogg", "opus", "flac", "wav")
PICTURES = ("jpg", "png")

# Old or rare ones are read, and nobody needs them made.
_FILM_SOURCES = (*FILMS, "3gp", "wmv", "flv", "mpg", "ts", "ogv")
_SOUND_SOURCES = (*SOUNDS, "aiff", "wma", "amr")

_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2}(?:\.\d*)?)")
_TIME = "must be a number of seconds, or a time such as 1:30 or 0:01:30.5"
_SENTENCES = {
    "width": f"width must be a whole number of pixels from 2 to {LONGEST_SIDE}",
    "height": f"height must be a whole number of pixels from 2 to {LONGEST_SIDE}",
    "fps": f"fps must be a number of frames a second from 1 to {MOST_FPS}",
    "quality": "quality must be a whole number from 1 to 100",
    "start": f"start {_TIME}",
    "duration": f"duration {_TIME}, and more than 0",
    "mute": "mute must be true or false",
    "audio_bitrate": (
        "audio_bitrate must be a whole number of kilobits a second "
        f"from {LEAST_BITRATE} to {MOST_BITRATE}"
    ),
    "strip": "strip must be true or false",
}

Side = Annotated[int, Field(ge=2, le=LONGEST_SIDE)]
Quality = Annotated[int, Field(ge=1, le=100)]
Fps = Annotated[float, Field(ge=1, le=MOST_FPS, allow_inf_nan=False)]
Start = Annotated[float, Field(ge=0, le=LONGEST_SECONDS, allow_inf_nan=False)]
Duration = Annotated[float, Field(gt=0, le=LONGEST_SECONDS, allow_inf_nan=False)]
Bitrate = Annotated[int, Field(ge=LEAST_BITRATE, le=MOST_BITRATE)]


class MediaOptions(Options):
    """How one recording becomes another; what a target cannot use is named in the result."""

    sentences: ClassVar[dict[str, str]] = _SENTENCES
    subject: ClassVar[str] = "film and sound conversions"

    width: Side | SkipJsonSchema[None] = Field(
        default=None,
        title="Width",
        description="Pixels from left to right. With only one of width and height given, the "
        "other follows in proportion; with both, the picture fits inside.",
        json_schema_extra=optional,
    )
    height: Side | SkipJsonSchema[None] = Field(
        default=None,
        title="Height",
        description="Pixels from top to bottom.",
        json_schema_extra=optional,
    )
    fps: Fps | SkipJsonSchema[None] = Field(
        default=None,
        title="Frames a second",
        description="Left out: as in the original; at most 15 in a GIF.",
        json_schema_extra=optional,
    )
    quality: Quality | SkipJsonSchema[None] = Field(
        default=None,
        title="Quality",
        description="From 1 (small file) to 100 (closest to the original), for the picture of a "
        "film and for JPEG. Left out: a picture that fits the target is copied as it is, any "
        "other gets 70, a JPEG 85.",
        json_schema_extra=optional,
    )
    start: Start | SkipJsonSchema[None] = Field(
        default=None,
        title="Start",
        description="Where to begin, in seconds or as 1:30. For a JPEG or PNG: which moment to "
        "show.",
        json_schema_extra=optional,
    )
    duration: Duration | SkipJsonSchema[None] = Field(
        default=None,
        title="Duration",
        description="How much to convert, in seconds or as 1:30. Left out: to the end.",
        json_schema_extra=optional,
    )
    mute: bool = Field(
        default=False,
        title="Without sound",
        description="Leave the sound of a film out.",
    )
    audio_bitrate: Bitrate | SkipJsonSchema[None] = Field(
        default=None,
        title="Sound, kbit/s",
        description="Kilobits a second for the sound; FLAC and WAV keep all of it anyway. Left "
        "out: sound that fits the target is copied as it is, any other gets a good quality.",
        json_schema_extra=optional,
    )
    strip: bool = Field(
        default=False,
        title="Remove metadata",
        description="Remove what devices and programs wrote into the file: place, time, title, "
        "cover picture, chapters.",
    )

    @field_validator("start", "duration", mode="before")
    @classmethod
    def _read_a_clock(cls, given: Any) -> Any:
        if not isinstance(given, str) or not (clock := _CLOCK.fullmatch(given.strip())):
            return given
        hours, minutes, seconds = clock.groups(default="0")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


MEDIA = Family(
    kind="media",
    convert="worker.converters.media:convert",
    trial="worker.converters.media:trial",
    sources=(*_FILM_SOURCES, *_SOUND_SOURCES, "gif"),
    targets=(*FILMS, "gif", *SOUNDS, *PICTURES),
    narrowed={**dict.fromkeys(_SOUND_SOURCES, SOUNDS), "gif": FILMS},
    options=MediaOptions,
    default_targets={
        **dict.fromkeys(_FILM_SOURCES, "mp4"),
        **dict.fromkeys(_SOUND_SOURCES, "mp3"),
        "mp4": "webm",
        "mp3": "m4a",
        "gif": "mp4",
    },
    # Most conversions start two: one looks, one converts. At worst one measures what was long, or
    # is not, and one more converts what would not be copied; of a GIF nothing is.
    needs=Needs(programs=4),
    lighter={("gif", film): Needs(programs=3) for film in FILMS},
)
