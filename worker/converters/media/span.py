"""Which part of a recording is converted, how long that is, and whether it is too long."""

from dataclasses import dataclass

from worker.converters.media import ffmpeg
from worker.converters.media.progress import Listener
from worker.converters.media.recording import Kind, Recording
from worker.converters.media.refusal import TITLES, damaged
from worker.converters.media.request import Request
from worker.converters.program import Ended
from worker.converters.refusal import Refusal

MEASURED = 0.05


@dataclass(frozen=True)
class Span:
    """`seek` and `stop` are what to skip and read; `seconds` is how long the result should be."""

    seek: float | None
    stop: float | None
    seconds: float | None


def span(recording: Recording, request: Request) -> Span:
    """Return the part that was asked for; raise Refusal when there is none, or too much of it."""
    wish, total = request.wish, recording.seconds
    start = wish.start or 0.0
    if total is not None and start >= total:
        raise Refusal(
            "bad_options",
            f"start ({clock(start)}) lies behind the end of the recording, which is "
            f"{clock(total)} long.",
        )
    left = None if total is None else total - start
    asked = [seconds for seconds in (left, wish.duration) if seconds is not None]
    seconds = min(asked, default=None)
    if seconds is not None and seconds > request.limits.max_media_seconds:
        raise too_long(seconds, request)
    return Span(seek=start or None, stop=wish.duration, seconds=seconds)


def ceiling(request: Request) -> list[str]:
    """Return the arguments that end a result there, whatever the file says of its length.

    No part ends so: where several tracks are encoded, and one has nothing before such an end, one
    run of ffmpeg 9 in six waits for itself, and for ever.
    """
    return ["-t", f"{request.limits.max_media_seconds:.6f}"]


def end(request: Request, kind: Kind) -> list[str]:
    """Return the filters that end an encoded track of the kind with the part.

    What is read ends with the part too, but may begin later than it should, and then ends later.
    """
    wish = request.wish
    if wish.duration is None:
        return []
    cut = "trim" if kind is Kind.VIDEO else "atrim"
    return [f"{cut}=end={ffmpeg.lead(request, wish.start) + wish.duration:.6f}"]


def subtitles(part: Span) -> list[str]:
    """Return the arguments that keep subtitles within the part.

    What a text is shown for is a property of the text, which ffmpeg cuts at neither end: one that
    began before would even have all the rest begin later.
    """
    if part.seek is None and part.stop is None:
        return []
    left = "DURATION+min(PTS\\,0)"
    if part.stop is not None:
        left = f"min({left}\\,{part.stop:.6f}/TB-max(PTS\\,0))"
    return ["-bsf:s", f"setts=ts=max(TS\\,0):duration=max(0\\,{left})"]


def check(written: float, request: Request) -> None:
    """Refuse what came up to the ceiling: its clock ran on, past what the file said of itself."""
    if written >= request.limits.max_media_seconds:
        raise too_long(written, request)


def nothing_seen(request: Request, ended: Ended) -> Refusal:
    """Return why there is no picture in a result: to ffmpeg sound alone is a film, too."""
    title = TITLES[request.source_format]
    if request.wish.start or request.wish.duration:
        detail = f"The {title} has no picture in the part that was asked for."
        return Refusal("no_video_stream", detail, log=ended.stderr)
    return damaged(request.source_format, log=ended.stderr)


def too_long(seconds: float, request: Request) -> Refusal:
    return Refusal(
        "too_long",
        f"The recording is {clock(seconds)} long; this service converts up to "
        f"{clock(request.limits.max_media_seconds)} (ROWMILL_MAX_MEDIA_SECONDS).",
    )


def measure(recording: Recording, request: Request) -> float | None:
    """Read the whole file without decoding it, and return how many seconds there are."""
    listener = Listener(request.meter, until=MEASURED, stage="measuring", seconds=None)
    streams = [one for one in recording.streams if not one.cover]
    chosen = [one for one in streams if one.kind in (Kind.VIDEO, Kind.SOUND)]
    maps = [part for one in chosen for part in ("-map", f"0:{one.index}")]
    out = [*maps, "-c", "copy", "-f", "null", "-"]
    ffmpeg.work([*ffmpeg.source(request), *out], listener)
    return listener.written or None


def clock(seconds: float) -> str:
    """Return a time as people write it: 0:07, 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
