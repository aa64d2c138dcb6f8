"""What this installation can really do: what its ffmpeg has, and whether it converts at all."""

import base64
import errno
import json
import signal
from pathlib import Path
from typing import Any

from app.formats.media import MEDIA, PICTURES
from worker.converters.media import ffmpeg
from worker.converters.media.containers import CONTAINERS
from worker.converters.media.installed import FFMPEG
from worker.converters.program import run
from worker.outcome import Converted

_MISSING = (
    "there is no ffmpeg: install imageio-ffmpeg (Rowmill's extra media) or the system's ffmpeg"
)
_FILMS = ("mp4", "webm", "avi")
_TINY = base64.b64decode(  # two pictures of 16 x 16 pixels, red and blue
    "R0lGODlhEAAQAIEAAOYUFBQU3AAAAAAAACH5BAAKAAAALAAAAAAQABAAAAgdAAEIHEiwoMGDCBMqXMiwocOHECNKnEixosWB"
    "AQEAIfkEAQoAAQAsAAAAABAAEACBFBTcAAAAAAAAAAAACB0AAQgcSLCgwYMIEypcyLChw4cQI0qcSLGixYEBAQA7"
)
_PICTURES = {"jpg": ("image2", "mjpeg"), "png": ("image2", "png"), "gif": ("gif", "gif")}


def trial(_source: Path, target: Path, **_contract: Any) -> Converted:
    """Tell of each pair None, or why it cannot be done; called as `convert` is."""
    pairs = _pairs(target.parent)
    target.write_text(json.dumps(pairs), encoding="utf-8")
    return Converted({"pairs": pairs})


def _pairs(folder: Path) -> dict[str, dict[str, str | None]]:
    if FFMPEG is None:
        return _none(_MISSING)
    have = {what: _listed(FFMPEG, what) for what in ("demuxers", "muxers", "encoders")}
    lacking = {target: _lacking(target, have) for target in MEDIA.targets}
    reading = {source: _unread(source, have["demuxers"]) for source in MEDIA.sources}
    film = next((one for one in _FILMS if not lacking[one] and not reading["gif"]), None)
    if film is not None and (failure := _tried(FFMPEG, film, folder)):
        return _none(failure)
    return {
        source: {target: reading[source] or lacking[target] for target in MEDIA.targets_of(source)}
        for source in MEDIA.sources
    }


def _none(why: str) -> dict[str, dict[str, str | None]]:
    return {source: dict.fromkeys(MEDIA.targets_of(source), why) for source in MEDIA.sources}


def _tried(program: str, film: str, folder: Path) -> str | None:
    """Convert a tiny film, and return why it failed: what is listed may still not run here."""
    source, made = folder / "tiny.gif", folder / f"tiny.{film}"
    source.write_bytes(_TINY)
    codec = ("-c:v", CONTAINERS[film].makes_video, "-pix_fmt", "yuv420p")
    quiet = ("-hide_banner", "-nostdin", "-y", "-loglevel", "error")
    out = ("-f", CONTAINERS[film].muxer, f"file:{made}")
    ended = run([program, *quiet, "-f", "gif", "-i", f"file:{source}", *codec, *out])
    source.unlink()
    if ended.code == 0 and made.exists() and made.stat().st_size:
        made.unlink()
        return None
    made.unlink(missing_ok=True)
    if ended.signal == signal.SIGKILL:
        raise OSError(errno.EAGAIN, "ffmpeg was killed: most likely the machine was out of memory")
    said = ended.stderr.strip().splitlines()[-1:] or [f"code {ended.code}, signal {ended.signal}"]
    return f"{program} could not convert a tiny film: {said[0][:200]}"


def _listed(program: str, what: str) -> set[str]:
    """Return the names that `ffmpeg -encoders` and its like print behind their flags."""
    lines = run([program, "-hide_banner", f"-{what}"]).stdout.decode(errors="replace").splitlines()
    words = [line.split() for line in lines if line.startswith(" ")]
    return {name for line in words if len(line) > 1 for name in line[1].split(",")}


def _unread(source: str, demuxers: set[str]) -> str | None:
    name = ffmpeg.demuxer(source, b"")
    return None if name in demuxers else f"{FFMPEG} cannot read {name}"


def _lacking(target: str, have: dict[str, set[str]]) -> str | None:
    muxer, encoders = _needed(target)
    missing = [one for one in encoders if one not in have["encoders"]]
    if muxer not in have["muxers"]:
        missing.append(muxer)
    return f"{FFMPEG} has no {', no '.join(missing)}" if missing else None


def _needed(target: str) -> tuple[str, list[str]]:
    if target in PICTURES or target == "gif":
        muxer, encoder = _PICTURES[target]
        return muxer, [encoder]
    return CONTAINERS[target].muxer, CONTAINERS[target].needs
