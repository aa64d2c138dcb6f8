"""A film as GIF: one run finds the 256 colours that suit it, another draws with them.

Both keep a few pictures in memory; one run for both would keep them all.
"""

from pathlib import Path

from worker.converters.media import ffmpeg, picture, span, whole
from worker.converters.media.picture import Look
from worker.converters.media.progress import WRITTEN, Listener
from worker.converters.media.recording import Recording, Stream
from worker.converters.media.request import Request
from worker.converters.media.size import Size, shown, wanted
from worker.converters.media.span import Span
from worker.converters.media.tracks import Plan
from worker.converters.program import Ended

MOST_FPS = 15.0
MOST = Size(480, 480)
_CENTISECONDS = 50.0  # browsers slow down what is faster
_COLOURS_FOUND = 0.4


def make(recording: Recording, video: Stream, request: Request, part: Span) -> Plan:
    """Write the animation; what nobody asked for is kept small, because GIF is not."""
    size = wanted(video, request.wish, request.limits, most=MOST)
    fps = request.wish.fps or min(video.peak or MOST_FPS, MOST_FPS)
    look = Look(size, fps=min(fps, _CENTISECONDS), pixels=None)
    _find_colours(video, look, request, part)
    listener, ended = _draw(video, look, request, part)
    span.check(listener.written, request)
    plan = Plan(facts={"width": size.width, "height": size.height, "frames": listener.frames})
    plan.notes += picture.notes(video, look) + _about(video, look, request)
    plan.notes += whole.check(recording, request, listener, ended, part.seconds)
    plan.facts["seconds"] = whole.length(listener, part.seconds)
    return plan


def _palette(request: Request) -> Path:
    return request.target.with_name("palette.png")


def _filters(video: Stream, look: Look, request: Request, part: Span) -> str:
    """Return the chain for both runs; no colours are chosen for what is left out."""
    lead = ffmpeg.lead(request, part.seek)
    begin = [f"trim=start={lead:.6f},setpts=PTS-{lead:.6f}/TB"] if lead else []
    end = [f"trim=end={part.stop:.6f}"] if part.stop is not None else []
    return ",".join([*begin, picture.filters(video, look), *end])


def _find_colours(video: Stream, look: Look, request: Request, part: Span) -> None:
    chain = _filters(video, look, request, part)
    # Not stats_mode=diff: it never counts the colours of the last scene.
    graph = f"[0:{video.index}]{chain},split[all][told];[all]palettegen=stats_mode=full[colours]"
    listener = Listener(
        request.meter, until=_COLOURS_FOUND, stage="choosing colours", seconds=part.seconds
    )
    arguments = [
        *ffmpeg.source(request, seek=part.seek, stop=part.stop),
        *("-filter_complex_threads", "2", "-filter_complex", graph),
        *("-map", "[colours]", "-frames:v", "1", "-update", "1", "-c:v", "png"),
        *("-f", "image2", f"file:{_palette(request)}"),
        *("-map", "[told]", *span.ceiling(request), "-f", "null", "-"),
    ]
    ended = ffmpeg.work(arguments, listener)
    if ended.code != 0:
        raise ffmpeg.refusal(ended, request.source_format, "gif")
    if listener.frames == 0 or not _palette(request).exists():
        raise span.nothing_seen(request, ended)


def _draw(video: Stream, look: Look, request: Request, part: Span) -> tuple[Listener, Ended]:
    chain = _filters(video, look, request, part)
    draw = "paletteuse=dither=bayer:bayer_scale=5:diff_mode=rectangle"
    graph = f"[0:{video.index}]{chain}[film];[film][1:v]{draw}[drawn]"
    listener = Listener(request.meter, until=WRITTEN, stage="encoding", seconds=part.seconds)
    arguments = [
        *ffmpeg.source(request, seek=part.seek, stop=part.stop),
        *("-f", "png_pipe", "-i", f"file:{_palette(request)}"),
        *("-filter_complex_threads", "2", "-filter_complex", graph, "-map", "[drawn]"),
        *("-map_metadata", "-1", "-loop", "0", *span.ceiling(request)),
        *("-f", "gif", f"file:{request.target}"),
    ]
    ended = ffmpeg.work(arguments, listener)
    _palette(request).unlink()
    if ended.code != 0 and listener.frames:  # it also fails when there is nothing to draw
        raise ffmpeg.refusal(ended, request.source_format, "gif")
    return listener, ended


def _about(video: Stream, look: Look, request: Request) -> list[str]:
    notes = []
    wish = request.wish
    if wish.width is None and wish.height is None and look.size != shown(video):
        notes.append(
            f"The picture was reduced from {shown(video)} to {look.size} pixels, to keep the GIF "
            "small; width and height choose another size."
        )
    if wish.fps is None and video.fps is not None and video.fps > MOST_FPS:
        notes.append(
            f"It has {MOST_FPS:g} pictures a second instead of {video.fps:g}, to keep the GIF "
            "small; fps chooses another rate."
        )
    if wish.fps is not None and wish.fps > _CENTISECONDS:
        notes.append(f"A GIF has {_CENTISECONDS:g} pictures a second at most.")
    return notes
