"""Puts a page's pictures into it; pandoc would read all of the page once more to do so."""

import re
from base64 import b64encode
from pathlib import Path

from app.formats.known import IMAGES, MEDIA

_TYPES = {ending: one.media_type for one in (*IMAGES, *MEDIA) for ending in one.extensions}
_SHOWN = re.compile(rb'(?<=\ssrc=")media/([0-9a-f]{40}\.\w+)(?=")')  # as the filter calls them


def put_pictures_into(page: Path, folder: Path) -> None:
    """Write the pictures in `folder` into the page, in the places where it refers to them."""
    if not folder.is_dir():
        return

    def content(found: re.Match[bytes]) -> bytes:
        picture = folder / found[1].decode()
        return _as_reference(picture) if picture.is_file() else found[0]

    page.write_bytes(_SHOWN.sub(content, page.read_bytes()))


def _as_reference(picture: Path) -> bytes:
    kind = _TYPES.get(picture.suffix[1:].lower(), "application/octet-stream")
    return f"data:{kind};base64,".encode() + b64encode(picture.read_bytes())
