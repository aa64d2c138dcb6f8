"""Which ffmpeg converts: the one that came with imageio-ffmpeg, or the system's if it is better.

Better is one that is not known to be bad, then one that can write more of the targets, then a newer
one. Where there is no other, one below the floor will do: distributions mend old versions too.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from worker.converters.media.containers import CONTAINERS

SECONDS = 20
FLOOR = (8, 1, 3)  # tests/floors.toml says why
_VERSION = re.compile(r"ffmpeg version n?(\d+)\.(\d+)(?:\.(\d+))?")
_ENCODERS = frozenset(one for container in CONTAINERS.values() for one in container.needs)


def best(candidates: list[str]) -> str | None:
    """Return the best of these programs, the first among equals; None if none of them runs."""
    versions = {path: version for path in candidates if (version := _version(path)) is not None}
    if len(versions) < 2:
        return next(iter(versions), None)
    return max(
        versions, key=lambda path: (versions[path] >= FLOOR, _encoders(path), versions[path])
    )


def _candidates() -> Iterator[str]:
    with suppress(ImportError, RuntimeError):  # not installed, or without a program for this CPU
        import imageio_ffmpeg

        bundled = imageio_ffmpeg.get_ffmpeg_exe()
        if Path(bundled).is_absolute():
            yield bundled
    system = shutil.which("ffmpeg")
    if system is not None:
        yield system


def _version(path: str) -> tuple[int, int, int] | None:
    said = _said(path, "-version")
    if said is None:
        return None
    found = _VERSION.match(said)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else (0, 0, 0)


def _encoders(path: str) -> int:
    """Return how many of the encoders that the targets need this program has."""
    said = _said(path, "-encoders") or ""
    return len(_ENCODERS.intersection(said.split()))


def _said(path: str, argument: str) -> str | None:
    """Return what a program prints; None if it does not run."""
    try:
        said = subprocess.run(  # a fixed program and a fixed argument
            [path, argument],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return said.decode(errors="replace")


# Once, before any cell: a cell could not ask without starting programs.
FFMPEG = best(list(_candidates()))
