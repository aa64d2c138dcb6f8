"""Texts that make a media program open other files or addresses, by the marks ffmpeg goes by."""

import re

_STREAM = re.compile(r"^c=IN IP[46]?\b", re.MULTILINE)
_DESCRIPTION = re.compile(r"v=0\r?\no=")


def playlist(text: str) -> str | None:
    """Return m3u8, ffconcat, pls or sdp; white space before a mark does not hide it."""
    start = text.lstrip("\ufeff \t\r\n\f\0")[:64].lower()
    if start.startswith("#extm3u"):
        return "m3u8"
    if start.startswith("ffconcat version"):
        return "ffconcat"
    if start.startswith(("[playlist]", "<asx", "<smil", "rtsptext", "[reference]")):
        return "pls"
    return "sdp" if _is_stream_description(text, start) else None


def _is_stream_description(text: str, start: str) -> bool:
    """Whether ffmpeg could take it for SDP (RFC 8866): it looks for a `c=` line anywhere."""
    return bool(_DESCRIPTION.match(start) or (start[1:2] == "=" and _STREAM.search(text)))
