"""A zip is what every reader takes for one, from its first byte or from the middle."""

import io
import os
import struct
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4
from zipfile import ZIP_STORED, ZipFile

import pytest

from app.api.archive.archive import Archive, Changed, Checksums, File, Note
from app.api.archive.choice import Made, entries
from app.api.archive.names import unique
from app.formats.names import result_name
from app.storage import DiskStorage
from app.storage.keys import result_key
from tests.app.ingest.lab import open_files_in

GIB = 1024**3
NOON = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)


class Far(io.RawIOBase):
    """Reads only those stretches of a zip that somebody asks for."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {0: 0, 1: self._at, 2: self._archive.size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self._archive.size if size < 0 else min(self._at + size, self._archive.size)
        found = b"".join(self._archive.pieces(self._at, end)) if self._at < end else b""
        self._at += len(found)
        return found


def file(folder: Path, name: str, content: bytes) -> File:
    path = folder / str(len(list(folder.iterdir())))
    path.write_bytes(content)
    return File(name=name, size=len(content), modified=NOON, path=path)


def whole(archive: Archive) -> bytes:
    return b"".join(archive.pieces(0, archive.size))


def test_it_is_as_long_as_it_was_said_to_be_and_has_what_went_in(tmp_path: Path) -> None:
    content = os.urandom(3 * 1024**2 + 5)
    words = Note(name="words.txt", size=2, modified=NOON, content=b"hi")
    entries: list[File | Note] = [
        file(tmp_path, "a.png", content),
        file(tmp_path, "b c.png", b"x"),
        words,
    ]
    archive = Archive(entries, checksums=Checksums())
    made = whole(archive)
    assert len(made) == archive.size
    with ZipFile(io.BytesIO(made)) as opened:
        assert opened.testzip() is None
        assert opened.namelist() == ["a.png", "b c.png", "words.txt"]
        assert [opened.read(name) for name in opened.namelist()] == [content, b"x", b"hi"]
        assert {one.compress_type for one in opened.infolist()} == {ZIP_STORED}
        assert {one.date_time for one in opened.infolist()} == {(2026, 11, 30, 12, 34, 56)}


def test_a_reader_that_cannot_look_ahead_finds_every_length_before_the_bytes(
    tmp_path: Path,
) -> None:
    archive = Archive([file(tmp_path, "a.png", b"0123456789")], checksums=Checksums())
    head = whole(archive)[:30]
    assert int.from_bytes(head[6:8], "little") & 8 == 0  # no descriptor follows
    assert int.from_bytes(head[14:18], "little") == zlib.crc32(b"0123456789")
    assert int.from_bytes(head[18:22], "little") == int.from_bytes(head[22:26], "little") == 10


def test_every_stretch_is_the_same_as_in_the_whole(tmp_path: Path) -> None:
    entries = [file(tmp_path, name, name.encode() * 9) for name in ("a.png", "é.png", "c.png")]
    made = whole(Archive(entries, checksums=Checksums()))
    for first in range(len(made)):
        archive = Archive(entries, checksums=Checksums())
        for end in (first + 1, first + 40, len(made)):
            assert b"".join(archive.pieces(first, end)) == made[first:end]


@pytest.mark.parametrize("size", [4 * GIB - 2, 4 * GIB - 1, 4 * GIB, 9 * GIB])
def test_files_beyond_four_gigabytes_and_what_lies_behind_them_are_found(
    tmp_path: Path, size: int
) -> None:
    """The large one is a hole, and not a byte of it is read."""
    large = file(tmp_path, "film.mp4", b"")
    os.truncate(large.path, size)
    large = File(name=large.name, size=size, modified=NOON, path=large.path)
    checksums = Checksums()
    checksums[large.path] = 0x12345678
    archive = Archive([large, file(tmp_path, "still.png", b"picture")], checksums=checksums)
    with ZipFile(Far(archive)) as opened:
        film, still = opened.infolist()
        assert (film.file_size, film.compress_size, film.CRC) == (size, size, 0x12345678)
        assert opened.read(still) == b"picture"
        assert still.header_offset > size
        with opened.open(film) as stream:
            assert stream.read(10) == bytes(10)
    head = next(archive.pieces(0, 100))  # whoever reads from a pipe has nothing else
    told, extra = struct.unpack_from("<2I", head, 18), head[30 + len("film.mp4") :]
    if size < 4 * GIB - 1:
        assert told == (size, size)
    else:
        assert told == (4 * GIB - 1, 4 * GIB - 1)
        assert struct.unpack_from("<2H2Q", extra) == (1, 16, size, size)


def test_a_file_is_read_for_its_checksum_once(tmp_path: Path) -> None:
    checksums = Checksums()
    entry = file(tmp_path, "a.png", b"first")
    first = whole(Archive([entry], checksums=checksums))
    entry.path.write_bytes(b"other")
    again = whole(Archive([entry], checksums=checksums))
    assert again == first.replace(b"first", b"other")


def test_nothing_is_sent_while_a_checksum_is_made_and_whoever_asks_may_stop(
    tmp_path: Path,
) -> None:
    archive = Archive([file(tmp_path, "a", bytes(3 * 1024**2))], checksums=Checksums())
    pieces = archive.pieces(0, archive.size)
    assert [next(pieces) for _ in range(3)] == [b"", b"", b""]
    assert next(pieces).startswith(b"PK\3\4")
    next(pieces)
    pieces.close()
    assert open_files_in(tmp_path) == []


@pytest.mark.parametrize("change", ["gone", "shorter", "longer", "a link"])
def test_a_file_that_is_not_what_it_was_breaks_the_zip_off(tmp_path: Path, change: str) -> None:
    checksums = Checksums()
    entry = file(tmp_path, "a.png", b"0123456789")
    archive = Archive([entry, file(tmp_path, "b.png", b"x")], checksums=checksums)
    whole(archive)
    entry.path.unlink()
    match change:
        case "shorter":
            entry.path.write_bytes(b"01234")
        case "longer":
            entry.path.write_bytes(b"0123456789a")
        case "a link":
            (tmp_path / "elsewhere").write_bytes(b"0123456789")
            entry.path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Changed if change in {"shorter", "longer"} else OSError):
        whole(archive)


def test_a_sum_that_is_in_the_row_is_not_made_again(tmp_path: Path) -> None:
    entry = replace(file(tmp_path, "a.png", bytes(3 * 1024**2)), known_crc=0x12345678)
    archive = Archive([entry], checksums=Checksums())
    head = next(archive.pieces(0, archive.size))  # and not an empty piece, while the file is read
    assert int.from_bytes(head[14:18], "little") == 0x12345678


def test_equal_zips_have_the_same_tag_and_others_another(tmp_path: Path) -> None:
    one, two = file(tmp_path, "a.png", b"x"), file(tmp_path, "b.png", b"x")
    tags = [Archive(entries, checksums=Checksums()).tag for entries in ([one], [one], [two, one])]
    assert tags[0] == tags[1] != tags[2]


def test_a_result_that_is_called_like_the_note_gives_way(tmp_path: Path) -> None:
    storage = DiskStorage(tmp_path / "data", reserve=0)
    storage.claim_house(uuid4(), may_create=True)
    keys = [result_key(uuid4(), 1, uuid4()) for _ in range(2)]
    (tmp_path / "made").write_bytes(b"x")
    storage.publish(tmp_path / "made", keys[0])
    made = [Made(name="missing.txt", key=key, size=1, crc=None, finished_at=NOON) for key in keys]
    names = [entry.name for entry in entries(made, storage=storage)]
    assert names == ["missing (2).txt", "missing.txt"]
    assert [entry.name for entry in entries(made[:1], storage=storage)] == ["missing.txt"]


def test_names_are_unique_whatever_their_case() -> None:
    given = ["a.jpg", "A.jpg", "a.jpg", "a (2).jpg", "b.jpg", "STRASSE.jpg", "straße.jpg", "none"]
    assert list(unique([*given, "none"])) == [
        "a.jpg",
        "A (2).jpg",
        "a (3).jpg",
        "a (2) (2).jpg",
        "b.jpg",
        "STRASSE.jpg",
        "straße (2).jpg",
        "none",
        "none (2)",
    ]


def test_a_number_fits_into_the_longest_name() -> None:
    long = result_name("é" * 300, "webp")
    first, second = unique([long, long])
    assert (len(first.encode()), len(second.encode()) <= 255) == (255, True)
    assert second.endswith(" (2).webp")


def test_ten_thousand_files_of_one_name_are_numbered_quickly() -> None:
    names = list(unique(["photo.jpg"] * 10_000))
    assert len(set(names)) == 10_000
    assert names[-1] == "photo (10000).jpg"
