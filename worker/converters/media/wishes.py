"""Which options a target can use; what it cannot is said, not passed over."""

from app.formats.media import PICTURES, SOUNDS
from worker.converters.media.request import Request
from worker.converters.unused import was_not_used

_OF_PICTURES = ("start", "width", "height")


def unused(request: Request) -> list[str]:
    """Return a sentence for each option that was given and has no meaning for the target."""
    given = request.wish.model_dump(exclude_defaults=True)
    usable = _usable(request.target_format)
    title = request.target_format.upper()
    return [was_not_used(name, title) for name in given if name not in usable]


def _usable(target: str) -> tuple[str, ...]:
    if target in PICTURES:
        return (*_OF_PICTURES, "quality", "strip") if target == "jpg" else (*_OF_PICTURES, "strip")
    if target == "gif":
        return (*_OF_PICTURES, "duration", "fps", "mute", "strip")
    if target in SOUNDS:
        exact = target in ("flac", "wav")
        return ("start", "duration", "strip", *(() if exact else ("audio_bitrate",)))
    return (*_OF_PICTURES, "duration", "fps", "quality", "mute", "audio_bitrate", "strip")
