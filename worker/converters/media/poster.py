"""One picture of a film, as JPEG or PNG."""

from worker.converters.media import ffmpeg, picture
from worker.converters.media.picture import Look
from worker.converters.media.progress import WRITTEN, Listener
from worker.converters.media.recording import Recording, Stream
from worker.converters.media.refusal import damaged
from worker.converters.media.request import Request
from worker.converters.media.size import wanted
from worker.converters.media.span import clock
from worker.converters.media.tracks import Plan

_INTO = 0.1  # films begin in the dark
_LATEST = 30.0
_ONE_PICTURE = 0.2
_PHOTO = ":out_range=pc:out_color_matrix=bt601"  # how every JPEG is read (JFIF 1.02)


def make(recording: Recording, video: Stream, request: Request) -> Plan:
    """Write the picture of the moment asked for, or of one that is not far into the film."""
    seek = request.wish.start
    if seek is None:
        seek = min(_INTO * (recording.seconds or 0.0), _LATEST)
    size = wanted(video, request.wish, request.limits)
    look = Look(size, pixels="rgb24")
    if request.target_format == "jpg":
        look = Look(size, pixels="yuvj420p", colours=_PHOTO)
    plan = Plan(facts={"width": size.width, "height": size.height})
    plan.notes += picture.notes(video, look)
    # The last picture begins before the film ends; a film may have more sound than pictures.
    for moment in dict.fromkeys((seek, max(0.0, seek - _ONE_PICTURE), 0.0)):
        if _written(video, look, request, moment):
            plan.facts["at"] = clock(moment)
            if request.wish.start is not None and moment < seek - _ONE_PICTURE:
                plan.notes.append("No picture could be read at that moment; this is the first one.")
            return plan
    raise damaged(request.source_format)


def _written(video: Stream, look: Look, request: Request, seek: float) -> bool:
    listener = Listener(request.meter, until=WRITTEN, stage="decoding", seconds=None)
    chain = ["-map", f"0:{video.index}", "-filter:v:0", picture.filters(video, look)]
    arguments = [
        *ffmpeg.source(request, seek=seek),
        *chain,
        *_codec(request),
        *ffmpeg.without_lead(request, seek),
        *("-map_metadata", "-1", "-frames:v", "1", "-update", "1"),
        *("-f", "image2", f"file:{request.target}"),
    ]
    ended = ffmpeg.work(arguments, listener)
    if ended.code != 0 and not (seek and listener.frames == 0):
        raise ffmpeg.refusal(ended, request.source_format, request.target_format)
    return listener.frames > 0


def _codec(request: Request) -> list[str]:
    if request.target_format == "png":
        return ["-c:v", "png"]
    quality = request.wish.quality or picture.PHOTO_QUALITY
    return ["-c:v", "mjpeg", "-q:v", str(picture.scale(quality))]
