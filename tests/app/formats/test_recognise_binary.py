"""Binary formats, from the smallest bytes that are one, and from libraries that write them."""

import bz2
import gzip
import io
import lzma
import sqlite3
import struct
import tarfile
import wave

import pytest
from PIL import Image

from app.formats.recognise import recognise

MP3_FRAME = b"\xff\xfb\x90\x64" + bytes(413)  # 128 kbit/s, 44.1 kHz: 417 bytes
MP2_FRAME = b"\xff\xfd\x80\x04" + bytes(413)
ADTS_FRAME = b"\xff\xf1\x50\x80\x02\x1f\xfc" + bytes(9)  # 16 bytes
ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
ASF_VIDEO = bytes.fromhex("c0ef19bc4d5bcf11a8fd00805f5c442b")


def ftyp(*brands: bytes, after: bytes = b"") -> bytes:
    major, *others = brands
    body = b"ftyp" + major + b"\0\0\0\0" + b"".join(others)
    return struct.pack(">I", len(body) + 4) + body + after


def box(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", 8 + len(body)) + kind + body


def ebml(doctype: bytes) -> bytes:
    fields = b"\x42\x86\x81\x01\x42\xf7\x81\x01\x42\x82" + bytes([0x80 + len(doctype)]) + doctype
    return b"\x1a\x45\xdf\xa3" + bytes([0x80 + len(fields)]) + fields + b"\x18\x53\x80\x67"


def ogg(packet: bytes) -> bytes:
    return b"OggS\0\x02" + bytes(20) + bytes([1, len(packet)]) + packet


def id3(after: bytes, padding: int = 20) -> bytes:
    return b"ID3\x04\0\0\0\0\0" + bytes([padding]) + bytes(padding) + after


def tiff(*tags: tuple[int, int], order: str = "<") -> bytes:
    entries = b"".join(struct.pack(f"{order}HHII", tag, 4, 1, value) for tag, value in tags)
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(f"{order}IH", 8, len(tags)) + entries + bytes(4)


def bmp(pixels: int = 54, header: int = 40) -> bytes:
    return b"BM" + struct.pack("<IIII", 70, 0, pixels, header) + bytes(60)


SAMPLES = {
    "png": [b"\x89PNG\r\n\x1a\n"],
    "jpg": [b"\xff\xd8\xff\xdb", b"\xff\xd8\xff\xe1\0\x10Exif"],
    "gif": [b"GIF87a\1\0", b"GIF89a\1\0"],
    "webp": [b"RIFF\x20\0\0\0WEBPVP8L"],
    "avif": [
        ftyp(b"avif", b"mif1", b"miaf"),
        ftyp(b"avis", b"msf1"),
        ftyp(b"mif1", b"avif", b"miaf"),
        ftyp(b"mif1", after=box(b"meta", b"\0\0\0\x15infe\2\0\0\0\0\1\0\0av01\0")),
    ],
    "heic": [
        *(ftyp(brand, b"mif1") for brand in (b"heic", b"heix", b"hevc", b"heim", b"heis")),
        ftyp(b"mif1", b"mif1", b"heic"),
        ftyp(b"msf1", b"hevc"),
        ftyp(b"mif1", after=box(b"meta", b"\0\0\0\x15infe\2\0\0\0\0\1\0\0hvc1\0")),
    ],
    "heif": [ftyp(b"mif1", after=box(b"meta", b"\0\0\0\x15infe\2\0\0\0\0\1\0\0unci\0"))],
    "mp4": [ftyp(b"isom", b"avc1"), ftyp(b"mp42"), ftyp(b"dash"), ftyp(b"M4V ")],
    "m4a": [ftyp(b"M4A ", b"mp42"), ftyp(b"M4B ")],
    "3gp": [ftyp(b"3gp4"), ftyp(b"3g2a")],
    "mov": [
        ftyp(b"qt  "),
        box(b"moov", box(b"mvhd", bytes(100))),
        box(b"wide") + box(b"mdat", bytes(50)),
        box(b"free", bytes(8)) + box(b"mdat"),
        b"\0\0\0\1mdat" + struct.pack(">Q", 40) + bytes(24) + box(b"moov"),
    ],
    "raw": [
        ftyp(b"crx "),
        b"II*\0\x10\0\0\0CR\2\0",
        tiff((0xFE, 1), (0x14A, 99)),
        b"FUJIFILMCCD-RAW 0201",
        b"IIRO\x08\0\0\0",
    ],
    "dng": [tiff((0xFE, 1), (0x14A, 99), (0xC612, 1)), tiff((0xC612, 1), order=">")],
    "tiff": [tiff((0x100, 5)), tiff((0x100, 5), order=">"), b"II*\0", b"MM\0+\0\x08\0\0"],
    "bmp": [bmp(), bmp(138, 124), bmp(26, 12)],
    "ico": [b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" + struct.pack("<II", 40, 22) + b"\x28\0\0\0"],
    "cur": [b"\0\0\2\0\1\0\x10\x10\0\0\1\0\x20\0" + struct.pack("<II", 40, 22) + b"\x89PNG"],
    "pnm": [b"P6\n# by hand\n2 2\n255\n\0\1\2", b"P7\nWIDTH 2\nHEIGHT 2\n"],
    "mkv": [ebml(b"matroska")],
    "webm": [ebml(b"webm")],
    "avi": [b"RIFF\0\0\0\0AVI LIST"],
    "wav": [b"RIFF\0\0\0\0WAVEfmt ", b"RF64\xff\xff\xff\xffWAVEds64"],
    "aiff": [b"FORM\0\0\0\0AIFFCOMM", b"FORM\0\0\0\0AIFC"],
    "mp3": [
        MP3_FRAME * 2,
        MP2_FRAME * 3,
        id3(MP3_FRAME * 2),
        id3(bytes(30) + MP3_FRAME * 2),
        b"\x12\x00" * 40 + MP3_FRAME * 5,  # a recorded stream
        b"ID3\x03\0\0\0\x7f\x7f\x7f" + bytes(500),  # a cover larger than what we see
    ],
    "aac": [ADTS_FRAME * 2, id3(ADTS_FRAME * 2)],
    "flac": [b"fLaC\0\0\0\x22", id3(b"fLaC\0\0\0\x22")],
    "ogg": [ogg(b"\x01vorbis"), ogg(b"\x7fFLAC")],
    "opus": [ogg(b"OpusHead\1")],
    "ogv": [ogg(b"fishead\0") + ogg(b"\x80theora") + ogg(b"\x01vorbis")],
    "wmv": [ASF + bytes(50) + ASF_VIDEO],
    "wma": [ASF + bytes(50)],
    "flv": [b"FLV\x01\x05"],
    "mpg": [b"\0\0\1\xba\x44", b"\0\0\1\xba\x21", b"\0\0\1\xb3\x14\0\xf0\x13"],
    "ts": [(b"\x47" + bytes(187)) * 5, (bytes(4) + b"\x47" + bytes(187)) * 5],
    "midi": [b"MThd\0\0\0\x06\0\1"],
    "amr": [b"#!AMR\n\x3c"],
    "pdf": [b"%PDF-1.7\n", bytes(500) + b"%PDF-1.4\n1 0 obj", b"\xef\xbb\xbf%PDF-1.4\n1 0 obj"],
    "eps": [b"%!PS-Adobe-3.0 EPSF-3.0\n", b"\xc5\xd0\xd3\xc6\x1e\0\0\0"],
    "ps": [b"%!PS-Adobe-3.0\n", b"%!PS\n"],
    "rtf": [b"{\\rtf1\\ansi"],
    "parquet": [b"PAR1\x15\x04\x15" + bytes(20) + b"PAR1"],
    "arrow": [b"ARROW1\0\0\xff\xff\xff\xff"],
    "feather": [b"FEA1\0\0\0\0\1"],
    "psd": [b"8BPS\0\1"],
    "jp2": [b"\0\0\0\x0cjP  \r\n\x87\n"],
    "jxl": [b"\0\0\0\x0cJXL \r\n\x87\n"],
    "7z": [b"7z\xbc\xaf\x27\x1c\0\4"],
    "rar": [b"Rar!\x1a\x07\1\0"],
    "zst": [b"\x28\xb5\x2f\xfd\4"],
    "ttf": [b"\0\1\0\0\0\x10\1\0\0\4\0\0GDEF"],
    "woff2": [b"wOF2\0\1\0\0\0\0"],
    "exe": [b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0"],
    "elf": [b"\x7fELF\2\1\1"],
    "xcf": [b"gimp xcf v011\0"],
    "qoi": [b"qoif\0\0\0\1"],
    "dds": [b"DDS \x7c\0\0\0"],
    "exr": [b"\x76\x2f\x31\x01\2\0\0\0"],
    "hdr": [b"#?RADIANCE\n"],
    "icns": [b"icns\0\0\1\0"],
    "wmf": [b"\xd7\xcd\xc6\x9a\0\0"],
    "emf": [b"\1\0\0\0" + bytes(36) + b" EMF"],
    "djvu": [b"AT&TFORM\0\0\1\0DJVU"],
    "otf": [b"OTTO\0\x0b"],
    "woff": [b"wOFF\0\1\0\0\0\0"],
    "mobi": [b"A book".ljust(60, b"\0") + b"BOOKMOBI"],
}


@pytest.mark.parametrize(
    ("name", "data"),
    [(name, data) for name, many in SAMPLES.items() for data in many],
    ids=lambda value: value if isinstance(value, str) else value[:12].hex(),
)
def test_the_smallest_sample_is_recognised(name: str, data: bytes) -> None:
    assert recognise(data) == name
    assert recognise(data, data, size=len(data)) == name


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"BM" + bytes(60),
        bmp(pixels=3),
        bmp(header=41),
        b"\0\0\1\0" + bytes(60),
        b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" + struct.pack("<II", 40, 22) + bytes(9),
        b"\0\0\1\0\1\0\x10\x10\0\7\1\0\x20\0" + struct.pack("<II", 40, 22) + b"\x89PNG",
        b"\0\0\1\0\2\0\x10\x10\0\0\1\0\x20\0" + struct.pack("<II", 40, 22) + b"\x89PNG",
        MP3_FRAME,
        MP3_FRAME + bytes(500),
        MP3_FRAME + b"\xff\xfb\x94\x64" + bytes(500),  # the rate may not change
        MP3_FRAME.replace(b"\xff\xfb\x90", b"\xff\xfb\xf0") * 3,
        ADTS_FRAME + bytes(30),
        ebml(b"unheard"),
        b"\x1a\x45\xdf\xa3" + b"\xff" * 500,
        b"RIFF\0\0\0\0ACON",
        b"MZ" + bytes(100),
        (b"\x47" + bytes(187)) * 4,
        box(b"free", bytes(20)) + bytes(20),
        b"\0\0\0\x10ftyp\1\2\3\4",
    ],
)
def test_half_a_signature_is_not_enough(data: bytes) -> None:
    assert recognise(data) is None
    assert recognise(data, data, size=len(data)) is None


@pytest.mark.parametrize("name", ["png", "jpeg", "webp", "avif", "tiff", "gif", "bmp", "ico"])
def test_what_pillow_writes_is_recognised(name: str) -> None:
    file = io.BytesIO()
    Image.new("RGB", (32, 32), "red").save(file, name)
    assert recognise(file.getvalue()) == {"jpeg": "jpg"}.get(name, name)


def test_an_animated_png_is_a_png() -> None:
    file = io.BytesIO()
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    frames[0].save(file, "png", save_all=True, append_images=frames[1:])
    assert b"acTL" in file.getvalue()
    assert recognise(file.getvalue()) == "png"


def test_what_the_standard_library_writes_is_recognised() -> None:
    sound, archive, database = io.BytesIO(), io.BytesIO(), sqlite3.connect(":memory:")
    with wave.open(sound, "wb") as writer:
        writer.setparams((1, 2, 8000, 0, "NONE", ""))
        writer.writeframes(bytes(16))
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("a"))
    database.execute("CREATE TABLE a (b)")
    content = database.serialize()
    database.close()
    made = (sound.getvalue(), archive.getvalue(), content)
    packed = (gzip.compress(b"a"), bz2.compress(b"a"), lzma.compress(b"a"))
    assert [recognise(data) for data in made] == ["wav", "tar", "sqlite"]
    assert [recognise(data) for data in packed] == ["gz", "bz2", "xz"]


def test_a_film_whose_index_comes_last_is_recognised_by_its_tail() -> None:
    head = struct.pack(">I", 2**30) + b"mdat" + bytes(5000)
    tail = bytes(100) + box(b"moov", box(b"mvhd", bytes(100)))
    assert recognise(head, tail, size=2**30 + 300) == "mov"
    assert recognise(head, bytes(300), size=2**30 + 300) is None


def test_a_targa_image_is_recognised_by_its_footer() -> None:
    data = bytes(18) + b"\1" * 100 + bytes(8) + b"TRUEVISION-XFILE.\0"
    assert recognise(data, data, size=len(data)) == "tga"
