"""Reads what ffmpeg prints about a file that it opens: the wheel has no ffprobe."""

import re

from worker.converters.media.recording import Kind, Recording, Stream

_DURATION = re.compile(r"^  Duration: (?:(\d+):(\d\d):(\d\d(?:\.\d+)?)|N/A)", re.MULTILINE)
# Tracks that belong together (a picture and its time code) come first, and further to the right.
_GROUP = "  Stream group #0:"
_STREAM = re.compile(
    r"  (  )?Stream #0:(\d+)(?:\[0x[0-9a-fA-F]+\])?(?:\((.*)\))?: "
    r"(Video|Audio|Subtitle|Data|Attachment): (\w+)(.*)"
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}")
_SIZE = re.compile(r", (\d{1,6})x(\d{1,6})(?=[, \[]|$)")
_STRETCH = re.compile(r"\bSAR (\d+):(\d+)")
_RATE = re.compile(r", ([\d.]+)(k?) (fps|tbr)\b")
_PIXELS = re.compile(r", ([a-z][a-z0-9]*)(?:\(([^)]*)\))?, \d+x\d+")
_ROTATION = re.compile(r" +display ?matrix: rotation of (-?[\d.]+) degrees", re.IGNORECASE)
_HZ = re.compile(r"\d+ Hz, ([^,]+)(?:, (\w+)(?: \((\d+) bit\))?)?")
_PROTECTED = re.compile(r"\((?:drms|drmi|enca|encv) / ")
_INTERLACED = re.compile(r"\b(?:top|bottom) (?:coded )?first\b")
_WIDE = re.compile(r"smpte2084|arib-std-b67")

_LAYOUTS = {"mono": 1, "stereo": 2, "downmix": 2, "quad": 4, "hexagonal": 6, "octagonal": 8}
_BITS = {"u8": 8, "u8p": 8, "s16": 16, "s16p": 16, "s32": 32, "s32p": 32, "s64": 64, "s64p": 64}


def read(printed: str) -> Recording:
    """Return what `ffmpeg -i` said about its first input.

    What a file calls itself (a title, a language) is printed there too, but further to the right
    or behind a colon, so that it is not taken for ffmpeg's own words.
    """
    streams: dict[int, Stream] = {}
    last: Stream | None = None
    in_groups = False
    for line in _about_the_input(printed):
        in_groups |= line.startswith(_GROUP)
        if begun := _STREAM.match(line):
            if in_groups or not begun[1]:
                last = _stream(begun)
                streams.setdefault(last.index, last)
        elif last is not None and (turned := _ROTATION.match(line)):
            last.rotation, last.turned = float(turned[1]), True
    # One that is numbered beyond the others is no line of ffmpeg's.
    return Recording(
        streams=[streams[index] for index in range(len(streams)) if index in streams],
        seconds=_seconds(printed),
        guessed="Estimating duration from" in printed,
    )


def _about_the_input(printed: str) -> list[str]:
    lines = printed.split("\n")  # a title may have other line ends, which ffmpeg prints as they are
    end = next((at for at, line in enumerate(lines) if line.startswith("Output #0")), len(lines))
    return lines[:end]


def _seconds(printed: str) -> float | None:
    found = _DURATION.search(printed)
    if found is None or found[1] is None:
        return None
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]) or None


def _stream(begun: re.Match[str]) -> Stream:
    _, index, language, kind, codec, said = begun.groups()
    stream = Stream(
        index=int(index),
        kind=Kind(kind.lower()),
        codec=codec,
        language=language if language and _LANGUAGE.fullmatch(language) else "",
        default="(default)" in said,
        cover="(attached pic)" in said,
        locked=_PROTECTED.search(said) is not None,
    )
    if stream.kind is Kind.VIDEO:
        _see(stream, said)
    if stream.kind is Kind.SOUND:
        _listen(stream, said)
    return stream


def _see(stream: Stream, said: str) -> None:
    if size := _SIZE.search(said):
        stream.width, stream.height = int(size[1]), int(size[2])
    if pixels := _PIXELS.search(said):
        stream.pixels, about = pixels[1], pixels[2] or ""
        stream.interlaced = _INTERLACED.search(about) is not None
        stream.wide_range = wide[0] if (wide := _WIDE.search(about)) else ""
    if (stretch := _STRETCH.search(said)) and int(stretch[1]) and int(stretch[2]):
        stream.stretch = int(stretch[1]) / int(stretch[2])
    rates = {unit: float(value) * (1000 if k else 1) for value, k, unit in _RATE.findall(said)}
    average, base = rates.get("fps"), rates.get("tbr")
    stream.fps, stream.peak = average or base, base or average


def _listen(stream: Stream, said: str) -> None:
    if heard := _HZ.search(said):
        stream.channels = _channels(heard[1])
        stream.bits = int(heard[3] or _BITS.get(heard[2], 16))
    if stream.codec in ("pcm_f32le", "pcm_f64le", "pcm_f32be", "pcm_f64be"):
        stream.bits = 32


def _channels(layout: str) -> int:
    """Count the channels of "stereo", "5.1(side)" or "12 channels"; 0 if that is unknown."""
    if counted := re.match(r"(\d+) channels", layout):
        return int(counted[1])
    name = layout.partition("(")[0].strip()
    if re.fullmatch(r"\d+(\.\d+)+", name):
        return sum(int(part) for part in name.split("."))
    return _LAYOUTS.get(name, 0)
