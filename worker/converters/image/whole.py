"""Saving with Pillow, all of it or an error."""

import io
from pathlib import Path
from typing import Any

import PIL.Image


def save(image: PIL.Image.Image, target: Path, name: str, **options: Any) -> None:
    """Save in the format that Pillow calls so; raise OSError when the file cannot hold it all."""
    with _Buffered(io.FileIO(target, "w")) as file:
        image.save(file, name, **options)


class _Buffered(io.BufferedWriter):
    # Given a descriptor, Pillow writes to it in C and takes a short write for a whole one: on a
    # full disk, or at the limit of a file's size, the picture would lack its end.
    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")
