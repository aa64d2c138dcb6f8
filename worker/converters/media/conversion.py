"""One recording from file to file: look at it, choose what becomes what, have ffmpeg do it."""

from functools import partial
from pathlib import Path
from typing import Any

from app.formats.media import PICTURES, SOUNDS, MediaOptions
from worker.converters.limits import Limits
from worker.converters.media import (
    animation,
    ffmpeg,
    making,
    opening,
    poster,
    probe,
    size,
    span,
    tracks,
    wishes,
)
from worker.converters.media.progress import WRITTEN
from worker.converters.media.recording import Recording, Stream
from worker.converters.media.refusal import TITLES, damaged
from worker.converters.media.request import Request
from worker.converters.media.tracks import Plan
from worker.converters.progress import Meter, Progress
from worker.converters.refusal import Refusal, wish_of
from worker.outcome import Converted, Refused


def convert(
    source: Path,
    target: Path,
    *,
    source_format: str,
    target_format: str,
    options: dict[str, Any],
    limits: Limits,
    progress: Progress,
) -> Converted | Refused:
    """Convert one recording; a surprise (no memory, no room on disk) is raised."""
    meter = Meter(progress)
    meter.reach(0.0, "reading")
    try:
        wish = wish_of(options, MediaOptions)
        seen = opening.ends(source)
        opening.check(seen, source_format)
        demuxer = ffmpeg.demuxer(source_format, seen.head)
        request = Request(
            source, target, source_format, target_format, wish, limits, meter, demuxer
        )
        plan = _convert(request)
    except Refusal as refusal:
        target.unlink(missing_ok=True)
        return refusal.outcome
    meter.reach(WRITTEN, "checking")
    return Converted(_facts(plan, request))


def _convert(request: Request) -> Plan:
    recording = _looked_at(request)
    if request.target_format in PICTURES:
        return poster.make(recording, _video(recording, request), request)
    if recording.seconds is None or recording.guessed:
        recording.seconds, recording.measured = span.measure(recording, request), True
    part = span.span(recording, request)
    if request.target_format in SOUNDS:
        _check_sound(recording, request)
        planned = partial(tracks.sound_only, recording, request)
        return making.make(recording, request, part, planned)
    video = _video(recording, request)
    if request.target_format == "gif":
        return animation.make(recording, video, request, part)
    return making.make(recording, request, part, partial(tracks.film, recording, video, request))


def _looked_at(request: Request) -> Recording:
    ended = ffmpeg.look(request)
    if ended.code != 0:
        raise ffmpeg.refusal(ended, request.source_format, request.target_format)
    recording = probe.read(ended.stderr)
    if any(one.locked for one in recording.streams):
        title = TITLES[request.source_format]
        raise Refusal(
            "unsupported_content",
            f"The {title} is protected against copying (DRM) and cannot be converted.",
        )
    request.meter.reach(0.02, "reading")
    return recording


def _video(recording: Recording, request: Request) -> Stream:
    video = recording.video
    if video is None:
        if not recording.streams:
            raise damaged(request.source_format)
        raise Refusal(
            "no_video_stream",
            f"The {TITLES[request.source_format]} has sound only: "
            f"there is no picture to make a {request.target_format.upper()} of.",
        )
    if not video.width or not video.height:
        raise damaged(request.source_format)
    size.check(video, request.limits)
    return video


def _check_sound(recording: Recording, request: Request) -> None:
    if not recording.streams:
        raise damaged(request.source_format)
    if not recording.sounds:
        raise Refusal(
            "no_audio_stream",
            f"The {TITLES[request.source_format]} has no sound: "
            f"there is nothing to make a {request.target_format.upper()} of.",
        )


def _facts(plan: Plan, request: Request) -> dict[str, Any]:
    notes = [*plan.notes, *wishes.unused(request)]
    if plan.dropped:
        notes.insert(0, f"Left out: {'; '.join(plan.dropped)}.")
    return {**plan.facts, "dropped": plan.dropped, "notes": notes}
