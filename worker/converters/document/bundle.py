"""A text and the pictures that it refers to, packed into one ZIP."""

import os
import zipfile
from pathlib import Path

BUNDLED = frozenset({"md", "rst", "org", "tex"})  # they refer to pictures and cannot hold any
MEDIA = "media"

_DATE = (
    1980,
    1,
    1,
    0,
    0,
    0,
)  # the earliest that a ZIP knows: when it was made is nobody's business


def bundle(target: Path, folder: Path) -> None:
    """Turn the text at `target` into a ZIP of it and of the files in `folder`."""
    packed = target.with_name("bundle.zip")
    with zipfile.ZipFile(packed, "w") as archive:
        _add(archive, target, f"document{target.suffix}", zipfile.ZIP_DEFLATED)
        for place in sorted(_files(folder)):
            inside = place.relative_to(folder.parent).as_posix()
            _add(archive, place, inside, zipfile.ZIP_STORED)
    packed.replace(target)


def _files(folder: Path) -> list[Path]:
    found = (Path(base) / name for base, _, names in os.walk(folder) for name in names)
    return [place for place in found if place.is_file() and not place.is_symlink()]


def _add(archive: zipfile.ZipFile, place: Path, name: str, method: int) -> None:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = method
    entry.external_attr = 0o644 << 16
    with place.open("rb") as content, archive.open(entry, "w") as out:
        while chunk := content.read(1024**2):
            out.write(chunk)
