"""What this installation can really do: which readers, writers and encoders its ffmpeg has."""

import json
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
_PICTURES = {"jpg": ("image2", "mjpeg"), "png": ("image2", "png"), "gif": ("gif", "gif")}


def trial(_source: Path, target: Path, **_contract: Any) -> Converted:
    """Tell of each pair None, or why it cannot be done; called as `convert` is."""
    pairs = _pairs()
    target.write_text(json.dumps(pairs), encoding="utf-8")
    return Converted({"pairs": pairs})


def _pairs() -> dict[str, dict[str, str | None]]:
    if FFMPEG is None:
        return {one: dict.fromkeys(MEDIA.targets_of(one), _MISSING) for one in MEDIA.sources}
    have = {what: _listed(FFMPEG, what) for what in ("demuxers", "muxers", "encoders")}
    lacking = {target: _lacking(target, have) for target in MEDIA.targets}
    reading = {source: _unread(source, have["demuxers"]) for source in MEDIA.sources}
    return {
        source: {target: reading[source] or lacking[target] for target in MEDIA.targets_of(source)}
        for source in MEDIA.sources
    }


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
