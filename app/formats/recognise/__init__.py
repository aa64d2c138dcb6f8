"""What a file is, told from its bytes alone: a format name, or None when nobody could say.

Strong signatures come first, guesses about text last. Nothing here raises on any input, and no
look costs more than a few passes over the head. What would make a media program open other
files (playlists, stream descriptions) is named for what it is, so that it can be refused.
"""

from app.formats.recognise.audio import audio
from app.formats.recognise.boxes import boxes
from app.formats.recognise.films import film
from app.formats.recognise.ole import ole
from app.formats.recognise.pages import page
from app.formats.recognise.pictures import picture
from app.formats.recognise.signatures import signature
from app.formats.recognise.text import text
from app.formats.recognise.window import HEAD_BYTES, TAIL_BYTES, Window
from app.formats.recognise.zips import zipped

__all__ = ["HEAD_BYTES", "TAIL_BYTES", "recognise"]

_LOOKS = (signature, picture, boxes, film, ole, zipped, audio, page, text)


def recognise(head: bytes, tail: bytes = b"", *, size: int | None = None) -> str | None:
    """Return the name of the format that these bytes begin and end, or None.

    `head` is up to HEAD_BYTES, `tail` up to TAIL_BYTES (they may overlap), `size` the size of
    the whole file. With the head alone the answer is a first opinion: what a ZIP holds, for
    one, may only be settled by the tail.
    """
    window = Window(head, tail, size)
    return next((name for look in _LOOKS if (name := look(window))), None)
