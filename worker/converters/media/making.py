"""Carries out a plan: one run of ffmpeg, and another that copies nothing if copying fails."""

from collections.abc import Callable

from worker.converters.media import edits, ffmpeg, span, whole
from worker.converters.media.containers import CONTAINERS
from worker.converters.media.progress import WRITTEN, Listener
from worker.converters.media.recording import Recording
from worker.converters.media.request import Request
from worker.converters.media.span import Span
from worker.converters.media.tracks import Plan
from worker.converters.program import Ended

# MP4 keeps these beside its tags; elsewhere they would be tags that say what the file was.
_BRANDS = ("major_brand", "minor_version", "compatible_brands")


def make(recording: Recording, request: Request, part: Span, planned: Callable[..., Plan]) -> Plan:
    """Write the target, and return the plan that led to it; raise Refusal if none does."""
    plan = planned(may_copy=_may_copy(request))
    listener, ended = _run(plan, request, part)
    if ended.code != 0 and plan.copies:  # a container may refuse what its codec list allows
        plan = planned(may_copy=False)
        listener, ended = _run(plan, request, part)
    if ended.code != 0:
        raise ffmpeg.refusal(ended, request.source_format, request.target_format)
    span.check(listener.written, request)
    plan.notes += whole.check(recording, request, listener, ended, part.seconds)
    plan.facts["seconds"] = whole.length(listener, part.seconds)
    return plan


def _may_copy(request: Request) -> bool:
    cuts = CONTAINERS[request.target_format].cuts
    return cuts or not edits.hides_its_beginning(request.source, request.source_format)


def _run(plan: Plan, request: Request, part: Span) -> tuple[Listener, Ended]:
    container = CONTAINERS[request.target_format]
    stage = "encoding" if plan.encodes else "copying"
    listener = Listener(request.meter, until=WRITTEN, stage=stage, seconds=part.seconds)
    arguments = [
        *ffmpeg.source(request, seek=part.seek, stop=part.stop),
        *plan.arguments,
        *(span.subtitles(part) if plan.facts.get("subtitles") else ()),
        *metadata(request),
        *("-filter_threads", "2"),
        *container.options,
        *ffmpeg.without_lead(request, part.seek),
        *span.ceiling(request),
        *("-f", container.muxer, f"file:{request.target}"),
    ]
    return listener, ffmpeg.work(arguments, listener)


def metadata(request: Request) -> list[str]:
    """Return the arguments that take along what a file says of itself, or leave it behind."""
    if request.wish.strip:
        return ["-map_metadata", "-1", "-map_chapters", "-1"]
    return [part for brand in _BRANDS for part in ("-metadata", f"{brand}=")]
