"""Which ffmpeg converts: the one that came with imageio-ffmpeg, or the system's when newer."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SECONDS = 20
_VERSION = re.compile(r"ffmpeg version n?(\d+)\.(\d+)")


def newest(candidates: list[str]) -> str | None:
    """Return the newest of these programs, the first among equals; None if none of them runs."""
    versions = {path: version for path in candidates if (version := _version(path)) is not None}
    return max(versions, key=lambda path: versions[path], default=None)


def _candidates() -> Iterator[str]:
    with suppress(ImportError, RuntimeError):  # not installed, or without a program for this CPU
        import imageio_ffmpeg

        bundled = imageio_ffmpeg.get_ffmpeg_exe()
        if Path(bundled).is_absolute():
            yield bundled
    system = shutil.which("ffmpeg")
    if system is not None:
        yield system


def _version(path: str) -> tuple[int, int] | None:
    try:
        said = subprocess.run(  # a fixed program and a fixed argument
            [path, "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.match(said.decode(errors="replace"))
    return (int(found[1]), int(found[2])) if found else (0, 0)


# Once, before any cell: a cell could not ask without starting programs.
FFMPEG = newest(list(_candidates()))
