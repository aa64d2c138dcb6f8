"""Whether what was made is all that the file promised: to ffmpeg half a film is a success."""

import re

from app.formats.media import SOUNDS
from worker.converters.media import ffmpeg, span
from worker.converters.media.progress import Listener
from worker.converters.media.recording import Recording
from worker.converters.media.refusal import TITLES, damaged
from worker.converters.media.request import Request
from worker.converters.media.span import clock
from worker.converters.program import Ended
from worker.converters.refusal import Refusal

_DAMAGE = re.compile(
    r"Decoding error|Error submitting packet to decoder|error while decoding|File ended prematurely"
    r"|partial file|decode failed|Invalid NAL|[Cc]orrupt|damaged at|Error at MB|slice mismatch"
)
_SHORTEST_GAP = 1.0
_GAP = 0.05
_NO_TIME = 0.2


def check(
    recording: Recording, request: Request, listener: Listener, ended: Ended, seconds: float | None
) -> list[str]:
    """Return notes about what is missing; raise Refusal when it is so much that it must be said.

    `seconds` is how long the result should be. A track may rightly end before the film does: then
    the file itself reaches its end, and nothing in it failed.
    """
    if request.target_format not in SOUNDS:
        ffmpeg.check_pictures(ended)
        if listener.frames == 0:
            raise span.nothing_seen(request, ended)
    damage = 0 if ffmpeg.enters_blindly(request) else len(_DAMAGE.findall(ended.stderr))
    if damage and request.source_format == "gif":
        raise damaged("gif", log=ended.stderr)
    is_nothing = listener.written <= 0 and listener.frames == 0
    if is_nothing and (seconds is None or seconds > _NO_TIME):
        raise damaged(request.source_format, log=ended.stderr)
    if seconds is None:
        return _about(damage)
    if not _is_much(seconds - listener.written, seconds):
        return _about(damage)
    _check_the_end(recording, request)
    if damage:
        raise Refusal(
            "corrupt_input",
            f"The {TITLES[request.source_format]} is damaged: only {clock(listener.written)} of "
            f"{clock(seconds)} could be decoded.",
            log=ended.stderr,
        )
    return [f"What was converted ends after {clock(listener.written)} of {clock(seconds)}."]


def length(listener: Listener, seconds: float | None) -> float:
    """Return how many seconds the result has: ffmpeg tells when its last pictures begin."""
    written = listener.written
    close = seconds is not None and abs(seconds - written) < _SHORTEST_GAP
    return round(seconds if close and seconds is not None else written, 2)


def _check_the_end(recording: Recording, request: Request) -> None:
    if recording.measured:  # it would be found to end where it was found to end
        return
    said, found = recording.seconds, span.measure(recording, request)
    if said is not None and _is_much(said - (found or 0.0), said):
        raise Refusal(
            "corrupt_input",
            f"The {TITLES[request.source_format]} is incomplete: it should be {clock(said)} long "
            f"and ends after {clock(found or 0.0)}.",
        )


def _is_much(gap: float, seconds: float) -> bool:
    return gap > max(_SHORTEST_GAP, _GAP * seconds)


def _about(damage: int) -> list[str]:
    if not damage:
        return []
    return ["Parts of the file are damaged; there the result may look or sound wrong."]
