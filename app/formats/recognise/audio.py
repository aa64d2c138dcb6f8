"""Sound without a container: MP3 and AAC frames, found behind an ID3 tag or by two in a row."""

from collections.abc import Callable

from app.formats.recognise.playlists import playlist
from app.formats.recognise.window import Window

_Frame = Callable[[bytes], tuple[int, int]]

_SEARCH = 8 * 1024
_BITRATES = {  # kbit/s, by (MPEG 1?, layer)
    (True, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (True, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (False, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


def audio(window: Window) -> str | None:
    """Return mp3 or aac, or flac and playlists that hide behind an ID3 tag."""
    head = window.head
    if _has_tag(head):
        return _tagged(head)
    return _framed(head) or ("mp3" if _joins_midway(head) else None)


def _has_tag(head: bytes) -> bool:
    """Whether an ID3v2 tag begins here: version, then a size of four 7-bit bytes."""
    sane = len(head) >= 10 and head[3] in (2, 3, 4) and head[4] != 0xFF
    return head.startswith(b"ID3") and sane and all(byte < 0x80 for byte in head[6:10])


def _tagged(head: bytes) -> str:
    """Name what follows the tag: ffmpeg skips a tag too, and would obey a playlist behind it."""
    sound = head[_tag_bytes(head) :]
    if sound.startswith(b"fLaC"):
        return "flac"
    hidden = playlist(sound[:_SEARCH].decode(errors="replace"))
    return hidden or _framed(sound.lstrip(b"\0")) or "mp3"


def _tag_bytes(head: bytes) -> int:
    length = 0
    for byte in head[6:10]:
        length = length << 7 | byte
    return 10 + length + (10 if head[5] & 0x10 else 0)


def _framed(sound: bytes) -> str | None:
    if _frames(sound, 0, 2, _mpeg_frame):
        return "mp3"
    return "aac" if _frames(sound, 0, 2, _adts_frame) else None


def _joins_midway(head: bytes) -> bool:
    """Whether four frames in a row come soon: a recorded stream begins in the middle of one."""
    at = head.find(b"\xff", 0, _SEARCH)
    while at >= 0:
        if _frames(head, at, 4, _mpeg_frame):
            return True
        at = head.find(b"\xff", at + 1, _SEARCH)
    return False


def _frames(sound: bytes, at: int, count: int, frame: _Frame) -> bool:
    """Whether `count` frames of one kind follow each other from `at`."""
    kinds = set()
    for _ in range(count):
        length, kind = frame(sound[at : at + 6])
        kinds.add(kind)
        if not length or len(kinds) > 1:
            return False
        at += length
    return True


def _mpeg_frame(header: bytes) -> tuple[int, int]:
    """Return the length of a frame of MPEG audio layer II or III and what must stay the same."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return 0, 0
    version, layer = header[1] >> 3 & 3, 4 - (header[1] >> 1 & 3)
    rate, speed, padding = header[2] >> 2 & 3, header[2] >> 4, header[2] >> 1 & 1
    if version == 1 or layer not in (2, 3) or rate == 3 or speed in (0, 15):
        return 0, 0
    bitrate = _BITRATES[version == 3, layer][speed] * 1000
    slots = 72 if layer == 3 and version != 3 else 144
    return slots * bitrate // _RATES[version][rate] + padding, header[1] << 2 | rate


def _adts_frame(header: bytes) -> tuple[int, int]:
    """Return the length of an ADTS frame of AAC and what must stay the same."""
    if len(header) < 6 or header[0] != 0xFF or header[1] & 0xF6 != 0xF0:
        return 0, 0
    length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    sane = header[2] >> 2 & 15 < 13 and length > 7
    return (length, header[1] << 8 | header[2]) if sane else (0, 0)
