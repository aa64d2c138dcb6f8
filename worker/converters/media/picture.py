"""How the picture of a film is encoded: filters in their order, encoder and quality."""

from dataclasses import dataclass

from worker.converters.media.recording import Stream
from worker.converters.media.size import Size, even, shown

QUALITY = 70
PHOTO_QUALITY = 85
AVI_FPS = 30.0  # AVI has one rate for all pictures; for a film that has none, this

_HIGH = 720
# Brings the light of a film for HDR screens into what every screen can show.
_NARROWED = (
    "zscale=tin={wide}:min=bt2020nc:pin=bt2020:rin=limited:t=linear:npl=100",
    "format=gbrpf32le",
    "zscale=p=bt709",
    "tonemap=hable:desat=0",
    "zscale=t=bt709:m=bt709:r=limited",
)
_ON_WHITE = (
    "split[above][below];[below]drawbox=c=white:t=fill:replace=1[white];"
    "[white][above]overlay=format=auto:shortest=1"
)
_SEE_THROUGH = ("yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya8", "ya16", "pal8")


@dataclass(frozen=True)
class Look:
    """What the pictures of the result shall be; `pixels` is their format, None for any.

    `colours` says to `scale` how the numbers of the result stand for colours; `untagged` that
    the result cannot say so itself, and players go by its height.
    """

    size: Size
    fps: float | None = None
    pixels: str | None = "yuv420p"
    colours: str = ""
    untagged: bool = False


def filters(video: Stream, look: Look) -> str:
    """Return the chain from decoded pictures, which ffmpeg has turned upright, to encoded ones."""
    chain = []
    if video.interlaced:
        chain.append("bwdif=mode=send_frame:deint=interlaced")
    if look.fps is not None:
        chain.append(f"fps={look.fps:g}")
    if video.wide_range:
        chain += [step.format(wide=video.wide_range) for step in _NARROWED]
    if _is_see_through(video):
        chain.append(_ON_WHITE)
    chain += _sized(video, look)
    if look.pixels is not None:
        chain.append(f"format={look.pixels}")
    return ",".join(chain)


def notes(video: Stream, look: Look) -> list[str]:
    """Return a sentence for each thing in which the result cannot look like the original."""
    said = []
    if _is_cut(video, look.size):
        said.append(
            f"The picture was cut from {shown(video)} to {look.size} pixels: such films need "
            "sides of an even length."
        )
    if _is_see_through(video):
        said.append("Where the original is transparent, the result is white.")
    if video.wide_range:
        said.append("The picture was made for HDR screens and was adapted to all others.")
    return said


def encoder(made: str, quality: int) -> list[str]:
    """Return the arguments for an encoder of films; `quality` is from 1 to 100."""
    share = (100 - quality) / 99
    match made:
        case "libx264":
            crf = round(11 + 40 * share)
            return ["-c:v:0", made, "-preset", "veryfast", "-crf", str(crf), "-threads:v", "2"]
        case "libvpx-vp9":
            crf = round(18 + 45 * share)
            fast = ["-deadline", "realtime", "-cpu-used", "6", "-row-mt", "1", "-threads:v", "2"]
            return ["-c:v:0", made, *fast, "-b:v:0", "0", "-crf", str(crf)]
        case _:
            return ["-c:v:0", made, "-q:v:0", str(scale(quality)), "-threads:v", "2"]


def scale(quality: int) -> int:
    """Return the quantiser of MPEG-4 and JPEG, 2 (best) to 31, for a quality from 1 to 100."""
    return round(2 + 29 * ((100 - quality) / 99) ** 2)


def _is_see_through(video: Stream) -> bool:
    return video.pixels.startswith(_SEE_THROUGH)


def _is_cut(video: Stream, size: Size) -> bool:
    """Whether the result is the original less a row or a column."""
    natural = shown(video)
    large = natural.width > 2 and natural.height > 2
    return video.stretch == 1 and size != natural and size == even(natural) and large


def _sized(video: Stream, look: Look) -> list[str]:
    size = look.size
    if _is_cut(video, size):
        return [f"crop={size.width}:{size.height}:0:0:exact=1", "setsar=1"]
    return [f"scale={size.width}:{size.height}:flags=bicubic{_colours(video, look)}", "setsar=1"]


def _colours(video: Stream, look: Look) -> str:
    """Say in which numbers an RGB film is written, as HD players read them; others keep theirs."""
    if look.colours or not _is_rgb(video) or look.pixels != "yuv420p":
        return look.colours
    matrix = "bt601" if look.untagged and look.size.height < _HIGH else "bt709"
    return f":out_color_matrix={matrix}:out_range=tv"


def _is_rgb(video: Stream) -> bool:
    return video.pixels.startswith(("rgb", "bgr", "gbr", "argb", "abgr", "pal8", "0rgb", "0bgr"))
