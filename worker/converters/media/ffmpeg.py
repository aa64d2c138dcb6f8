"""Runs ffmpeg, and tells whose fault a bad end is: the machine's is raised, the file's refused."""

import errno
import os
import re
import signal

from worker.converters.media.installed import FFMPEG
from worker.converters.media.progress import Listener
from worker.converters.media.refusal import TITLES, damaged
from worker.converters.media.request import Request
from worker.converters.program import NOT_STARTED, Ended, run
from worker.converters.refusal import Refusal

# How ffmpeg reads a format. Named, so that it never guesses: a playlist that is called a film
# would make it open other files.
_DEMUXERS = {
    **dict.fromkeys(("mp4", "mov", "m4a", "3gp"), "mov"),
    **dict.fromkeys(("mkv", "webm"), "matroska"),
    **dict.fromkeys(("ogg", "opus", "ogv"), "ogg"),
    **dict.fromkeys(("wmv", "wma"), "asf"),
    "mpg": "mpeg",
    "ts": "mpegts",
}

# These have no list of their key frames: whoever goes to a moment arrives between two of them, and
# sees nothing until the next. So ffmpeg begins earlier, by more than most films have between them.
_WITHOUT_INDEX = ("mpegts", "mpeg", "mpegvideo")
_LEAD = 15.0

_QUIET = ("-hide_banner", "-nostdin", "-y", "-nostats", "-stats_period", "0.1")
_TELLING = ("-loglevel", "level+error", "-progress", "pipe:1")

_DISK = {
    256 - number: number
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EACCES)
}
_MEMORY = {256 - errno.ENOMEM, 256 - errno.EAGAIN}  # EAGAIN: no memory for a thread
_NO_MEMORY = re.compile(
    r"malloc of size|annot allocate memory|ould not allocate|ailed to allocate|emory allocation"
    r"|bad_alloc|[Oo]ut of memory"
)
# An encoder that gets no memory for a thread opens not, and says nothing; what it does not like
# about its parameters it says under its own name.
_MUTE_ENCODER = re.compile(
    r"\A(?!.*\[lib\w+(?:-\w+)? @ [^\]]*\] \[error\])"
    r"(?=.*Error while opening encoder).*Generic error in an external library",
    re.DOTALL,
)
_TOO_MANY_PIXELS = re.compile(r"Picture size (\d+)x(\d+) exceeds specified max pixel count")
_NO_WAY = re.compile(
    r"Error while opening encoder|Could not write header|incorrect codec parameters"
    r"|[Nn]o decoder found|Decoder \S+ not found|Error (?:re)?initializing filters?"
    r"|Impossible to convert|Could not find tag for codec|codec not currently supported"
)


def demuxer(source_format: str, head: bytes) -> str:
    """Return the name of ffmpeg's reader for a format."""
    if source_format == "mpg" and head.startswith(b"\0\0\x01\xb3"):
        return "mpegvideo"  # bare pictures, without a container
    return _DEMUXERS.get(source_format, source_format)


def source(request: Request, *, seek: float | None = None, stop: float | None = None) -> list[str]:
    """Return the arguments that open the source; `seek` and `stop` are seconds to skip and read.

    What is read of the `lead` before that has to be left out of each result. One thread decodes:
    with two, ffmpeg needs more memory, and when it gets none it tries for ever.
    """
    early = lead(request, seek)
    skipped = (seek or 0.0) - early
    return [
        *("-protocol_whitelist", "file,pipe"),
        *("-f", request.demuxer),
        *("-threads", "1"),
        *("-max_pixels", str(request.limits.max_pixels)),
        *(("-ss", f"{skipped:.6f}") if skipped else ()),
        *(("-t", f"{early + stop:.6f}") if stop is not None else ()),
        *("-i", f"file:{request.source}"),
    ]


def lead(request: Request, seek: float | None) -> float:
    """Return how many seconds before `seek` the source is opened, to be sure of its pictures.

    Where nobody named a moment, the next picture will do.
    """
    is_unsure = request.wish.start and request.demuxer in _WITHOUT_INDEX
    return min(seek or 0.0, _LEAD) if is_unsure else 0.0


def enters_blindly(request: Request) -> bool:
    """Whether reading begins in the middle of a picture, which then cannot be decoded."""
    return request.demuxer in _WITHOUT_INDEX and (request.wish.start or 0.0) > _LEAD


def without_lead(request: Request, seek: float | None) -> list[str]:
    """Return the arguments that leave the lead out of a result."""
    early = lead(request, seek)
    return ["-ss", f"{early:.6f}"] if early else []


def look(request: Request) -> Ended:
    """Run ffmpeg on the source without converting anything; what it found is on stderr."""
    out = ("-map_metadata", "-1", "-map_chapters", "-1", "-f", "ffmetadata", "pipe:1")
    return _run([*_QUIET, *source(request), *out])


def work(arguments: list[str], listener: Listener) -> Ended:
    """Run ffmpeg and hear how far it is; raise what is the machine's fault."""
    return _run([*_QUIET, *_TELLING, *arguments], listener)


def check_pictures(ended: Ended) -> None:
    """Raise Refusal for a picture beyond the limit, which ffmpeg leaves out and goes on."""
    if huge := _TOO_MANY_PIXELS.search(ended.stderr):
        raise Refusal(
            "too_many_pixels",
            f"A picture of the film has {huge[1]} × {huge[2]} pixels, more than this "  # noqa: RUF001
            "service converts; ask the operator to raise ROWMILL_MAX_PIXELS.",
        )


def refusal(ended: Ended, source_format: str, target_format: str) -> Refusal:
    """Return, or raise, why a run failed that failed because of the file."""
    check_pictures(ended)
    if _NO_WAY.search(ended.stderr):
        return Refusal(
            "unsupported_content",
            f"This {TITLES[source_format]} has something in it that cannot be put into "
            f"{target_format.upper()}.",
            log=ended.stderr,
        )
    return damaged(source_format, log=ended.stderr)


def _run(arguments: list[str], listener: Listener | None = None) -> Ended:
    if FFMPEG is None:
        raise RuntimeError("there is no ffmpeg on this machine")
    ended = run([FFMPEG, *arguments], heard=listener.hear if listener else None)
    if ended.code != 0:
        _raise_what_the_machine_did(ended)
    return ended


def _raise_what_the_machine_did(ended: Ended) -> None:
    if ended.code == NOT_STARTED or ended.signal == signal.SIGSYS:
        raise RuntimeError(f"ffmpeg could not be started: {ended.stderr[-500:]}")
    if ended.signal == signal.SIGKILL:
        raise OSError(errno.EAGAIN, "ffmpeg was killed: most likely the machine was out of memory")
    if _is_short_of_memory(ended):
        raise MemoryError(ended.stderr[-500:])
    number = _DISK.get(ended.code or 0)
    if ended.signal == signal.SIGXFSZ:
        number = errno.EFBIG
    if number is not None:
        raise OSError(number, os.strerror(number))
    if ended.signal is not None:
        raise RuntimeError(f"ffmpeg was ended by signal {ended.signal}: {ended.stderr[-500:]}")


def _is_short_of_memory(ended: Ended) -> bool:
    said = _NO_MEMORY.search(ended.stderr) or _MUTE_ENCODER.search(ended.stderr)
    return ended.code in _MEMORY or said is not None
