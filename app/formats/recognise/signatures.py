"""Formats that a few fixed bytes at a fixed place tell beyond doubt (three bytes or more)."""

from app.formats.recognise.window import Window, little

# (offset, bytes, format); a row with more parts needs all of them.
_Mark = tuple[int, bytes]
_SIGNATURES: tuple[tuple[str, tuple[_Mark, ...]], ...] = (
    ("png", ((0, b"\x89PNG\r\n\x1a\n"),)),
    ("jpg", ((0, b"\xff\xd8\xff"),)),
    ("gif", ((0, b"GIF87a"),)),
    ("gif", ((0, b"GIF89a"),)),
    ("webp", ((0, b"RIFF"), (8, b"WEBP"))),
    ("avi", ((0, b"RIFF"), (8, b"AVI "))),
    ("wav", ((0, b"RIFF"), (8, b"WAVE"))),
    ("wav", ((0, b"RF64"), (8, b"WAVE"))),
    ("wav", ((0, b"BW64"), (8, b"WAVE"))),
    ("aiff", ((0, b"FORM"), (8, b"AIF"))),
    ("jp2", ((0, b"\0\0\0\x0cjP  \r\n\x87\n"),)),
    ("jp2", ((0, b"\xff\x4f\xff\x51\x00"),)),
    ("jxl", ((0, b"\0\0\0\x0cJXL \r\n\x87\n"),)),
    ("psd", ((0, b"8BPS\0\x01"),)),
    ("psd", ((0, b"8BPS\0\x02"),)),
    ("xcf", ((0, b"gimp xcf "),)),
    ("qoi", ((0, b"qoif\0"),)),
    ("dds", ((0, b"DDS \x7c\0\0\0"),)),
    ("exr", ((0, b"\x76\x2f\x31\x01"),)),
    ("hdr", ((0, b"#?RADIANCE\n"),)),
    ("icns", ((0, b"icns\0"),)),
    ("wmf", ((0, b"\xd7\xcd\xc6\x9a\0\0"),)),
    ("emf", ((0, b"\x01\0\0\0"), (40, b" EMF"))),
    ("raw", ((0, b"IIRO\x08\0"),)),
    ("raw", ((0, b"IIRS\x08\0"),)),
    ("raw", ((0, b"MMOR\0"),)),
    ("raw", ((0, b"IIU\0"),)),
    ("raw", ((0, b"FUJIFILMCCD-RAW "),)),
    ("flac", ((0, b"fLaC"),)),
    ("amr", ((0, b"#!AMR"),)),
    ("midi", ((0, b"MThd\0\0\0\x06"),)),
    ("flv", ((0, b"FLV\x01"),)),
    ("aac", ((0, b"ADIF"), (4, b"\0"))),
    ("djvu", ((0, b"AT&TFORM"),)),
    ("eps", ((0, b"\xc5\xd0\xd3\xc6"),)),
    ("mobi", ((60, b"BOOKMOBI"),)),
    ("sqlite", ((0, b"SQLite format 3\0"),)),
    ("arrow", ((0, b"ARROW1\0\0"),)),
    ("parquet", ((0, b"PAR1\x15"),)),  # a Thrift page header follows
    ("parquet", ((0, b"PARE"), (4, b"\0"))),
    ("feather", ((0, b"FEA1\0\0\0\0"),)),
    ("rtf", ((0, b"{\\rtf"),)),
    ("gz", ((0, b"\x1f\x8b\x08\0"),)),
    ("gz", ((0, b"\x1f\x8b\x08\x08"),)),  # with the name of the file inside
    ("bz2", ((0, b"BZh"), (4, b"1AY&SY"))),
    ("xz", ((0, b"\xfd7zXZ\0"),)),
    ("zst", ((0, b"\x28\xb5\x2f\xfd"),)),
    ("7z", ((0, b"7z\xbc\xaf\x27\x1c"),)),
    ("rar", ((0, b"Rar!\x1a\x07"),)),
    ("tar", ((257, b"ustar\0"),)),
    ("tar", ((257, b"ustar "),)),
    ("otf", ((0, b"OTTO\0"),)),
    ("ttf", ((0, b"ttcf\0"),)),
    ("ttf", ((0, b"true\0"),)),
    ("woff", ((0, b"wOFF"), (9, b"\0"))),
    ("woff2", ((0, b"wOF2"), (9, b"\0"))),
    ("elf", ((0, b"\x7fELF"),)),
)
_FIRST_FONT_TABLES = frozenset(
    {b"BASE", b"DSIG", b"FFTM", b"GDEF", b"GPOS", b"GSUB", b"OS/2", b"cmap"}
)


def signature(window: Window) -> str | None:
    """Return the format whose fixed bytes all stand where they must."""
    head = window.head
    for name, marks in _SIGNATURES:
        if all(head.startswith(mark, offset) for offset, mark in marks):
            return name
    if head.startswith(b"\0\x01\0\0\0") and head[12:16] in _FIRST_FONT_TABLES:
        return "ttf"
    return "exe" if _is_program(window) else None


def _is_program(window: Window) -> bool:
    header = little(window.head[60:64])
    return window.head.startswith(b"MZ") and window.at(header, 4) == b"PE\0\0"
