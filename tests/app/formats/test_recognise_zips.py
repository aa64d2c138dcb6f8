"""ZIP and OLE: what holds a document is told by what is inside, wherever that is visible."""

import io
import struct
import zipfile

import pytest

from app.formats.recognise import HEAD_BYTES, TAIL_BYTES, recognise
from app.formats.recognise.zips import _Member

WORD = ["[Content_Types].xml", "_rels/.rels", "word/document.xml"]
EXCEL = ["[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"]
SLIDES = ["[Content_Types].xml", "_rels/.rels", "ppt/presentation.xml"]
ODS = "application/vnd.oasis.opendocument.spreadsheet"


class Unseekable(io.RawIOBase):
    """A pipe: zipfile then writes sizes behind each member, not before it."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        added = bytes(data)  # type: ignore[call-overload]
        self.data += added
        return len(added)


def archive(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return file.getvalue()


def streamed(members: dict[str, bytes], packing: int = zipfile.ZIP_STORED) -> bytes:
    pipe = Unseekable()
    with zipfile.ZipFile(pipe, "w", packing) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return pipe.data


def seen(data: bytes) -> str | None:
    return recognise(data[:HEAD_BYTES], data[-TAIL_BYTES:], size=len(data))


def of(names: list[str]) -> dict[str, bytes]:
    return dict.fromkeys(names, b"<a/>")


@pytest.mark.parametrize("make", [archive, streamed])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (WORD, "docx"),
        (EXCEL, "xlsx"),
        (SLIDES, "pptx"),
        (["[Content_Types].xml", "xl/workbook.bin"], "xlsb"),
        (["[Content_Types].xml", "_rels/.rels", "word/document2.xml"], "docx"),
        (["[Content_Types].xml", "visio/document.xml"], "visio"),
        (["Index/Document.iwa", "preview.jpg"], "iwork"),
        (["a.txt", "b.txt"], "zip"),
        (["word/notes.txt", "xl/more.txt"], "zip"),
        (["META-INF/MANIFEST.MF", "a.class"], "zip"),
    ],
)
def test_members_tell_what_an_archive_is(
    make: type[object], reverse: bool, names: list[str], expected: str
) -> None:
    data: bytes = make(of(names[::-1] if reverse else names))  # type: ignore[call-arg, assignment]
    assert seen(data) == expected
    assert recognise(data) == expected


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("application/epub+zip", "epub"),
        ("application/epub+zip\r\n", "epub"),
        ("application/vnd.oasis.opendocument.text", "odt"),
        ("application/vnd.oasis.opendocument.text-template", "odt"),
        (ODS, "ods"),
        ("application/vnd.oasis.opendocument.presentation", "odp"),
        ("application/vnd.oasis.opendocument.graphics", "odg"),
        ("application/unheard-of", "zip"),
    ],
)
@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_declared_type_is_believed(declared: str, expected: str, packing: int) -> None:
    first = archive({"mimetype": declared.encode(), "content.xml": b"<a/>"}, packing)
    last = archive({"content.xml": b"<a/>", "mimetype": declared.encode()}, packing)
    assert (seen(first), seen(last)) == (expected, expected)


def test_a_spreadsheet_without_its_type_is_told_by_its_manifest() -> None:
    manifest = f'<m:file-entry m:full-path="/" m:media-type="{ODS}"/>'.encode()
    assert seen(archive({"content.xml": b"<a/>", "META-INF/manifest.xml": manifest})) == "ods"


def test_a_workbook_inside_a_presentation_does_not_make_it_one() -> None:
    inner = archive(of(EXCEL))
    data = streamed({"ppt/embeddings/Workbook.xlsx": inner, **of(SLIDES)})
    assert seen(data) == "pptx"
    head_only = streamed({**of(SLIDES), "ppt/embeddings/Workbook.xlsx": inner})
    assert recognise(head_only[:-1]) == "pptx"


def test_a_document_inside_a_plain_archive_does_not_make_it_one() -> None:
    assert seen(streamed({"letter.docx": archive(of(WORD)), "b": b""})) == "zip"


def test_a_large_archive_is_told_by_the_list_at_its_end() -> None:
    data = archive({"a.bin": bytes(2 * HEAD_BYTES), **of(WORD)}, zipfile.ZIP_STORED)
    assert recognise(data[:HEAD_BYTES]) == "zip"
    assert seen(data) == "docx"


def test_a_list_longer_than_the_tail_is_read_as_far_as_it_is_visible() -> None:
    many = {f"word/media/picture-{number:060}.bin": b"" for number in range(1500)}
    data = archive({"a.bin": bytes(2 * HEAD_BYTES), **many, **of(WORD)}, zipfile.ZIP_STORED)
    assert seen(data) == "docx"


def test_an_empty_archive_is_an_archive() -> None:
    assert seen(archive({})) == "zip"


def test_a_bomb_in_the_declared_type_is_not_unpacked() -> None:
    bomb = archive({"mimetype": b"application/epub+zip" + b" " * 50_000_000})
    assert seen(bomb) == "epub"
    assert len(_Member(b"mimetype", 8, bomb[38:]).content()) == 4096


def compound(*roots: str, inside: tuple[str, ...] = (), gap: int = 0, step: int = 1) -> bytes:
    """Write a compound file with these streams, and others in a folder of its root."""
    names = ["Root Entry", *roots, "Folder", *inside]
    folder, none = len(roots) + 1, 0xFFFFFFFF
    entries = b""
    for number, name in enumerate(names):
        following = number + 1 if 0 < number < folder or folder < number < len(names) - 1 else none
        child = {0: 1, folder: folder + 1 if inside else none}.get(number, none)
        encoded = name.encode("utf-16-le")
        entry = encoded.ljust(64, b"\0") + struct.pack("<HBB", len(encoded) + 2, 2, 1)
        entries += (entry + struct.pack("<III", none, following, child)).ljust(128, b"\0")
    entries = entries.ljust(-(-len(entries) // 512) * 512, b"\0")
    sectors = len(entries) // 512
    places = [1 + gap + step * number for number in range(sectors)]
    table = [0xFFFFFFFF] * 128
    for place, following in zip(places, [*places[1:], 0xFFFFFFFE], strict=True):
        table[place] = following
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(24, b"\0") + struct.pack(
        "<HHHH", 62, 3, 0xFFFE, 9
    )
    header = header.ljust(44, b"\0") + struct.pack("<II", 1, places[0])
    header = header.ljust(76, b"\0") + struct.pack("<I", 0) + b"\xff" * 432
    body = bytearray(512 * places[-1]) + bytes(512)
    body[:512] = struct.pack("<128I", *table)
    for number, place in enumerate(places):
        body[512 * place : 512 * place + 512] = entries[512 * number : 512 * number + 512]
    return header + bytes(body)


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        (("WordDocument", "1Table"), "doc"),
        (("Workbook",), "xls"),
        (("Book",), "xls"),
        (("PowerPoint Document", "Current User"), "ppt"),
        (("EncryptedPackage", "EncryptionInfo"), "encrypted-office"),
        (("a", "b", "c", "d", "e", "f", "WordDocument"), "doc"),
        (("__properties_version1.0",), "msg"),
        (("VisioDocument",), "visio"),
        (("Something",), "ole"),
    ],
)
def test_streams_tell_what_a_compound_file_is(streams: tuple[str, ...], expected: str) -> None:
    assert seen(compound(*streams)) == expected


def test_a_document_inside_a_workbook_does_not_make_it_one() -> None:
    assert seen(compound("Workbook", inside=("WordDocument",))) == "xls"
    assert seen(compound("Other", inside=("WordDocument",))) == "ole"


def test_a_directory_at_the_end_of_a_large_compound_file_is_found() -> None:
    data = compound("PowerPoint Document", gap=100)
    assert recognise(data[:4096], data[-4096:], size=len(data)) == "ppt"
    assert recognise(data[:4096]) == "ole"


def test_a_directory_that_goes_round_in_circles_ends() -> None:
    data = bytearray(compound("a", "b", "c", "d", "e"))
    data[512 + 8 : 512 + 12] = struct.pack("<I", 1)
    assert seen(bytes(data)) == "ole"


def test_a_directory_in_pieces_is_put_together() -> None:
    assert seen(compound("a", "b", "c", "d", "e", "Workbook", step=3)) == "xls"


def test_streams_that_point_at_each_other_end() -> None:
    data = bytearray(compound("a", "b"))
    data[1024 + 256 + 72 : 1024 + 256 + 76] = struct.pack("<I", 1)
    assert seen(bytes(data)) == "ole"


@pytest.mark.parametrize(("start", "expected"), [(b"\xec\xa5", "doc"), (b"\x09\x08", "xls")])
def test_without_a_visible_directory_the_first_stream_may_tell(start: bytes, expected: str) -> None:
    header = compound("a")[:48] + struct.pack("<I", 10**6) + bytes(460)
    assert recognise(header + start, size=2**30) == expected
