"""What a recording holds, as ffmpeg describes it: streams of pictures, sound and subtitles."""

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    VIDEO = "video"
    SOUND = "audio"
    SUBTITLES = "subtitle"
    DATA = "data"
    ATTACHMENT = "attachment"


@dataclass
class Stream:
    """One stream; what does not belong to its kind keeps the value of not knowing.

    `width` and `height` are stored pixels, before `rotation` (degrees) and `stretch` (the width
    of a pixel by its height) are applied; `turned` is true of what is mirrored, too. `fps` is how
    many pictures a second there are on average, `peak` how many where they follow each other most
    closely; `bits` is how many a sample of sound really has.
    """

    index: int
    kind: Kind
    codec: str
    language: str = ""
    default: bool = False
    cover: bool = False
    locked: bool = False
    pixels: str = ""
    width: int = 0
    height: int = 0
    stretch: float = 1.0
    rotation: float = 0.0
    turned: bool = False
    fps: float | None = None
    peak: float | None = None
    interlaced: bool = False
    wide_range: str = ""
    channels: int = 0
    bits: int = 16


@dataclass
class Recording:
    """The streams in their order; `seconds` is None if the file does not say how long it is.

    `guessed` says that the length was guessed from the size of the file, `measured` that the whole
    file was read for it.
    """

    streams: list[Stream] = field(default_factory=list)
    seconds: float | None = None
    guessed: bool = False
    measured: bool = False

    @property
    def video(self) -> Stream | None:
        """The film's picture: the first that is no cover."""
        films = [one for one in self.all_of(Kind.VIDEO) if not one.cover]
        return next((one for one in films if one.default), films[0] if films else None)

    @property
    def cover(self) -> Stream | None:
        return next((one for one in self.all_of(Kind.VIDEO) if one.cover), None)

    @property
    def sounds(self) -> list[Stream]:
        """The sound tracks, the one that plays by default first."""
        return sorted(self.all_of(Kind.SOUND), key=lambda one: not one.default)

    def all_of(self, kind: Kind) -> list[Stream]:
        return [one for one in self.streams if one.kind is kind]
