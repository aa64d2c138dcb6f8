"""What is to be seen and heard in a result, found out by decoding it."""

import array
import math
import re
import subprocess
from itertools import pairwise
from pathlib import Path

from PIL import Image

from tests.worker.converters.media.studio import ffmpeg
from worker.converters.media.installed import FFMPEG

RATE = 44_100


def described(path: Path) -> str:
    """Return what ffmpeg says about a file."""
    assert FFMPEG is not None
    asked = [FFMPEG, "-hide_banner", "-nostdin", "-i", str(path)]
    return subprocess.run(asked, capture_output=True, check=False).stderr.decode(errors="replace")


def streams(path: Path) -> list[str]:
    """Return "Video: h264", "Audio: aac" and so on, in their order."""
    kinds = "(?:Video|Audio|Subtitle|Data|Attachment)"
    return re.findall(rf"^  Stream #0:\d+.*?: ({kinds}: \w+)", described(path), re.MULTILINE)


def seconds(path: Path) -> float:
    found = re.search(r"Duration: (\d+):(\d+):([\d.]+)", described(path))
    assert found is not None
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])


def frames(path: Path) -> list[Image.Image]:
    """Return every picture of a film as a player shows it, its pixels made square."""
    square = ("-vf", "scale=trunc(iw*sar+0.5):ih,setsar=1", "-fps_mode", "passthrough")
    pnm = ffmpeg("-i", path, "-map", "0:V:0", *square, "-f", "image2pipe", "-c:v", "ppm", "-")
    pictures = []
    while pnm:
        kind, width, height, most = pnm[:40].split()[:4]
        assert (kind, most) == (b"P6", b"255")
        begin = len(b"P6\n%s %s\n255\n" % (width, height))
        end = begin + int(width) * int(height) * 3
        pictures.append(Image.frombytes("RGB", (int(width), int(height)), pnm[begin:end]))
        pnm = pnm[end:]
    return pictures


def times(path: Path) -> list[float]:
    """Return when each picture is shown, in seconds."""
    told = ffmpeg(
        "-i",
        path,
        "-map",
        "0:V:0",
        "-fps_mode",
        "passthrough",
        "-enc_time_base",
        "1:1000",
        "-f",
        "framecrc",
        "-",
    ).decode()
    return [
        int(line.split(",")[2]) / 1000 for line in told.splitlines() if not line.startswith("#")
    ]


def subtitles(path: Path) -> list[tuple[int, int]]:
    """Return when each text is shown and when it goes, in milliseconds."""
    texts = ffmpeg("-i", path, "-map", "0:s:0", "-f", "srt", "-").decode()
    moment = r"(\d\d):(\d\d):(\d\d),(\d\d\d)"
    found = re.findall(f"^{moment} --> {moment}$", texts, re.MULTILINE)
    return [(_milliseconds(one[:4]), _milliseconds(one[4:])) for one in found]


def _milliseconds(parts: tuple[str, ...]) -> int:
    hours, minutes, whole, rest = map(int, parts)
    return ((hours * 60 + minutes) * 60 + whole) * 1000 + rest


def samples(path: Path, track: int = 0) -> "array.array[int]":
    """Return the sound as one channel of 16 bit."""
    raw = ffmpeg(
        "-i", path, "-map", f"0:a:{track}", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"
    )
    return array.array("h", raw)


def loudness(heard: "array.array[int]") -> float:
    """Return the root of the mean square of a sound, 1 for the loudest."""
    return math.sqrt(sum(value * value for value in heard) / len(heard)) / 32768


def pitch(heard: "array.array[int]") -> float:
    """Return the frequency of the tone in a sound, by its passages through zero."""
    middle = heard[RATE // 10 : -RATE // 10]
    rising = sum(1 for one, two in pairwise(middle) if one < 0 <= two)
    return rising * RATE / len(middle)
