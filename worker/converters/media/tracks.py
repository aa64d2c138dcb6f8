"""Which streams of a recording go into the result, copied or encoded, and which are left out."""

from dataclasses import dataclass, field

from worker.converters.media import picture, sound, span
from worker.converters.media.containers import CONTAINERS, KEEPS_TIME, TEXTS, Container
from worker.converters.media.picture import Look
from worker.converters.media.recording import Kind, Recording, Stream
from worker.converters.media.request import Request
from worker.converters.media.size import even, shown, wanted

MOST_SOUNDS = 8
MOST_SUBTITLES = 32
_COVERS = ("mjpeg", "png")
_USUAL_PIXELS = ("yuv420p", "yuvj420p", "")
_NAMES = {"libx264": "h264", "libvpx-vp9": "vp9", "libmp3lame": "mp3", "libopus": "opus"}


@dataclass
class Plan:
    """`arguments` chooses and encodes; the rest says in words what that does."""

    arguments: list[str] = field(default_factory=list)
    facts: dict[str, object] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    copies: bool = False
    encodes: bool = False
    used: list[int] = field(default_factory=list)

    def take(self, stream: Stream, arguments: list[str], *, copied: bool) -> None:
        self.arguments += ["-map", f"0:{stream.index}", *arguments]
        self.used.append(stream.index)
        self.copies |= copied
        self.encodes |= not copied


def film(recording: Recording, video: Stream, request: Request, *, may_copy: bool) -> Plan:
    """Plan a film: its picture, its sound tracks, its subtitles."""
    container = CONTAINERS[request.target_format]
    plan = Plan()
    _take_picture(plan, video, request, container, may_copy=may_copy)
    sounds = [] if request.wish.mute else recording.sounds
    kept = sounds[: MOST_SOUNDS if container.many else 1]
    _take_sounds(plan, kept, request, container, may_copy=may_copy)
    _take_subtitles(plan, recording, request, container)
    if request.target_format == "mkv":
        for one in recording.all_of(Kind.ATTACHMENT):
            plan.take(one, ["-c:t", "copy"], copied=True)
    unasked = [one for one in recording.streams if not _is_muted(one, request)]
    _name_the_others(plan, unasked)
    return plan


def sound_only(recording: Recording, request: Request, *, may_copy: bool) -> Plan:
    """Plan a sound: the default track, and its cover where the target has a place for one."""
    container = CONTAINERS[request.target_format]
    plan = Plan()
    _take_sounds(plan, recording.sounds[:1], request, container, may_copy=may_copy)
    cover = recording.cover
    if cover is not None and container.covers and cover.codec in _COVERS and not request.wish.strip:
        plan.arguments += ["-map", f"0:{cover.index}", "-c:v:0", "copy"]
        plan.arguments += ["-disposition:v:0", "attached_pic"]
        plan.used.append(cover.index)
    # Who makes a sound of a film knows that its picture is gone.
    of_film = recording.video is not None
    _name_the_others(plan, recording.all_of(Kind.SOUND) if of_film else recording.streams)
    return plan


def _is_muted(one: Stream, request: Request) -> bool:
    return request.wish.mute and one.kind is Kind.SOUND


def _take_picture(
    plan: Plan, video: Stream, request: Request, container: Container, *, may_copy: bool
) -> None:
    if may_copy and _fits(video, request, container):
        tag = ["-tag:v:0", "hvc1"] if video.codec == "hevc" and container.turns else []
        plan.take(video, ["-c:v:0", "copy", *tag], copied=True)
        plan.facts |= {"video": "copied"}
        if video.codec == "hevc":
            plan.notes.append(
                "The picture is HEVC, which some players and browsers cannot show; with a quality "
                "given it is encoded as H.264."
            )
        if video.codec == "h264" and video.pixels not in _USUAL_PIXELS:
            plan.notes.append(
                f"The picture is H.264 in the unusual form {video.pixels}, which many players and "
                "browsers cannot show; with a quality given it is encoded in the usual one."
            )
        made = shown(video)
    else:
        made = even(wanted(video, request.wish, request.limits))
        look = Look(made, _fps(video, request), untagged=request.target_format == "avi")
        _encode_picture(plan, video, request, container, look)
    plan.facts |= {"width": made.width, "height": made.height}


def _encode_picture(
    plan: Plan, video: Stream, request: Request, container: Container, look: Look
) -> None:
    quality = request.wish.quality or picture.QUALITY
    chain = [picture.filters(video, look), *span.end(request, Kind.VIDEO)]
    filters = ["-filter:v:0", ",".join(chain)]
    plan.take(video, [*filters, *picture.encoder(container.makes_video, quality)], copied=False)
    plan.facts |= {"video": f"encoded as {_name(container.makes_video)}"}
    plan.notes += picture.notes(video, look)


def _fits(video: Stream, request: Request, container: Container) -> bool:
    wish = request.wish
    asked = (wish.width, wish.height, wish.fps, wish.quality, wish.start)
    same = request.source_format == request.target_format
    return (
        video.codec in container.video
        and all(one is None or one == 0 for one in asked)
        and (same or request.source_format in KEEPS_TIME)
        and (container.turns or not video.turned)
    )


def _fps(video: Stream, request: Request) -> float | None:
    if request.wish.fps is not None or request.target_format != "avi":
        return request.wish.fps
    steady = video.fps is not None and 1 <= video.fps <= 120
    return None if steady else picture.AVI_FPS


def _take_sounds(
    plan: Plan, kept: list[Stream], request: Request, container: Container, *, may_copy: bool
) -> None:
    wish = request.wish
    did = []
    for at, one in enumerate(kept):
        if may_copy and one.codec in container.sound and not wish.start and not wish.audio_bitrate:
            plan.take(one, [f"-c:a:{at}", "copy"], copied=True)
            did.append("copied")
            continue
        made = sound.encoder(one, container)
        arguments = sound.arguments(made, one, wish.audio_bitrate, at)
        chain = [*sound.filters(made, one), *span.end(request, Kind.SOUND)]
        filters = [f"-filter:a:{at}", ",".join(chain)] if chain else []
        plan.take(one, [*arguments, *filters], copied=False)
        did.append(f"encoded as {_name(made)}")
        plan.notes += _about_the_sound(made, one, wish.audio_bitrate)
    if did:
        plan.facts["sound"] = ", ".join(dict.fromkeys(did))


def _about_the_sound(made: str, one: Stream, bitrate: int | None) -> list[str]:
    notes = []
    channels = sound.kept_channels(made, one)
    if channels != one.channels:
        notes.append(f"The sound was mixed from {one.channels} channels down to {channels}.")
    if bitrate is not None and not sound.is_lossless(made):
        given = sound.given_bitrate(made, one, bitrate)
        if given != bitrate:
            notes.append(f"The sound has {given} kbit/s, the most that {_name(made)} can have.")
    return notes


def _take_subtitles(
    plan: Plan, recording: Recording, request: Request, container: Container
) -> None:
    taken = 0
    for one in recording.all_of(Kind.SUBTITLES)[:MOST_SUBTITLES]:
        if one.codec in container.drawn or (one.codec in TEXTS and request.target_format == "mkv"):
            how = "subrip" if one.codec == "mov_text" else "copy"
        elif one.codec in TEXTS and container.subtitles:
            how = container.subtitles
        else:
            continue
        plan.take(one, [f"-c:s:{taken}", how], copied=how == "copy")
        taken += 1
    if taken:
        plan.facts["subtitles"] = taken


def _name_the_others(plan: Plan, streams: list[Stream]) -> None:
    numbers: dict[Kind, int] = {}
    for one in streams:
        if not one.cover:
            numbers[one.kind] = numbers.get(one.kind, 0) + 1
        if one.index not in plan.used and not _is_list_of_chapters(one):
            plan.dropped.append(_described(one, numbers.get(one.kind, 0)))


def _is_list_of_chapters(one: Stream) -> bool:
    return one.codec == "bin_data"  # MP4 keeps chapters in such a stream; ffmpeg makes it anew


def _described(one: Stream, number: int) -> str:
    if one.cover:
        return "the cover picture"
    what = {
        Kind.VIDEO: "picture track",
        Kind.SOUND: "sound track",
        Kind.SUBTITLES: "subtitles",
        Kind.DATA: "data track",
        Kind.ATTACHMENT: "attachment",
    }[one.kind]
    about = ", ".join(one for one in (one.language, one.codec) if one not in ("", "none"))
    return f"{what} {number} ({about})" if about else f"{what} {number}"


def _name(made: str) -> str:
    return _NAMES.get(made, made.removeprefix("lib"))
