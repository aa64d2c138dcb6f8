"""Small films and sounds made on the spot: every format, and what is odd about real ones."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from worker.converters.media.installed import FFMPEG

SIZE = (96, 64)
SECONDS = 1.0
TONE = 440
# Red, green, blue, yellow in the corners, as one reads: no turn of it looks like another. A little
# noise moves, because encoders leave out a picture that is like the last one.
FLAG = (
    "color=0xE61414:s=96x64:r=10:d={seconds},format=rgb24,"
    "drawbox=48:0:48:32:0x14C814:fill,drawbox=0:32:48:32:0x1414DC:fill,"
    "drawbox=48:32:48:32:0xE6DC14:fill,noise=alls=8:allf=t"
)
_VIDEO = {
    "mp4": ("-c:v", "libx264", "-preset", "ultrafast"),
    "mov": ("-c:v", "libx264", "-preset", "ultrafast"),
    "mkv": ("-c:v", "libx264", "-preset", "ultrafast"),
    "webm": ("-c:v", "libvpx", "-deadline", "realtime", "-b:v", "400k"),
    "avi": ("-c:v", "mpeg4", "-q:v", "2"),
    "3gp": ("-c:v", "mpeg4", "-q:v", "2"),
    "wmv": ("-c:v", "wmv2", "-q:v", "2"),
    "flv": ("-c:v", "flv1", "-q:v", "2"),
    "mpg": ("-c:v", "mpeg2video", "-q:v", "2", "-r", "25"),
    "ts": ("-c:v", "libx264", "-preset", "ultrafast"),
    "ogv": ("-c:v", "libtheora", "-q:v", "9"),
}
_SOUND = {
    "webm": ("-c:a", "libopus"),
    "avi": ("-c:a", "libmp3lame"),
    "wmv": ("-c:a", "wmav2"),
    "flv": ("-c:a", "libmp3lame"),
    "mpg": ("-c:a", "mp2"),
    "ogv": ("-c:a", "libvorbis"),
    "mp3": ("-c:a", "libmp3lame"),
    "ogg": ("-c:a", "libvorbis"),
    "opus": ("-c:a", "libopus"),
    "flac": ("-c:a", "flac", "-sample_fmt", "s16"),
    "wav": ("-c:a", "pcm_s16le"),
    "aiff": ("-c:a", "pcm_s16be"),
    "wma": ("-c:a", "wmav2"),
    "amr": ("-c:a", "libopencore_amrnb", "-ar", "8000"),
}
_MUXER = {
    "mkv": "matroska",
    "wmv": "asf",
    "wma": "asf",
    "mpg": "mpeg",
    "ts": "mpegts",
    "m4a": "ipod",
    "aac": "adts",
    "ogv": "ogg",
}


def ffmpeg(*arguments: str | Path) -> bytes:
    """Run ffmpeg and return its stdout."""
    assert FFMPEG is not None
    loud = [FFMPEG, "-hide_banner", "-nostdin", "-y", "-loglevel", "error"]
    done = subprocess.run([*loud, *map(str, arguments)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class Studio:
    """Makes each sample once; `folder` keeps them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sample(self, name: str, seconds: float = SECONDS) -> Path:
        """Return a film (with sound) or a sound in this format, or the flag as a GIF."""
        if name == "gif":
            return self.made("flag.gif", lambda path: ffmpeg(*flag(seconds), path))
        return self.made(f"{seconds:g}.{name}", lambda path: self._record(path, name, seconds))

    def made(self, name: str, make: Callable[[Path], object]) -> Path:
        path = self._folder / name
        if not path.exists():
            make(path)
        return path

    def built(self, name: str, *arguments: str | Path) -> Path:
        """Return a sample that ffmpeg makes of these arguments."""
        return self.made(name, lambda path: ffmpeg(*arguments, path))

    def _record(self, path: Path, name: str, seconds: float) -> None:
        film = name in _VIDEO
        ffmpeg(
            *(flag(seconds) if film else ()),
            *tone(seconds),
            *((*_VIDEO[name], "-pix_fmt", "yuv420p") if film else ()),
            *_SOUND.get(name, ("-c:a", "aac")),
            *("-ac", "1") if name in ("3gp", "amr") else (),
            *("-f", _MUXER.get(name, name), path),
        )


def flag(seconds: float = SECONDS, source: str = FLAG) -> list[str]:
    """Return the arguments that bring in the flag."""
    return ["-f", "lavfi", "-i", source.format(seconds=seconds)]


def tone(seconds: float = SECONDS, hertz: int = TONE) -> list[str]:
    """Return the arguments that bring in a tone."""
    return ["-f", "lavfi", "-i", f"sine=f={hertz}:r=44100:d={seconds},volume=12dB"]
