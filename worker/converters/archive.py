"""Reads the members of a ZIP one at a time, in constant memory, believing nothing but its bytes."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_CHUNK = 256 * 1024
_STORED, _DEFLATED = 0, 8
_MASKED = 0xFFFFFFFF  # the true number stands in a ZIP64 field


class BadArchive(Exception):
    """The archive cannot be read; `code` is in the catalogue of failures, the text for people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def damaged(what: str) -> BadArchive:
    return BadArchive("corrupt_input", f"The file is damaged or incomplete: {what}.")


@dataclass(frozen=True)
class Member:
    name: bytes
    place: int
    method: int
    packed: int
    checksum: int
    is_locked: bool


class Archive:
    """A ZIP as APPNOTE.TXT 6.3.10 describes it, found through the list of members at its end.

    An archive with anything before its first byte is a damaged one: readers do not agree on what
    it holds.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, 2)

    def members(self) -> Iterator[Member]:
        at, end = self._list()
        while at < end:
            entry = self._read(at, 46)
            if not entry.startswith(b"PK\1\2"):
                raise damaged("its list of parts is broken")
            name, extra, comment = (_little(entry[i : i + 2]) for i in (28, 30, 32))
            beside = self._read(at + 46, name + extra)
            yield _member(entry, beside[:name], beside[name:])
            at += 46 + name + extra + comment

    def unpack(self, member: Member) -> Iterator[int]:
        """Unpack a member and yield how many bytes each step brought; raises if it is broken."""
        if member.is_locked:
            raise BadArchive(
                "password_required",
                "A part of the file is locked with a password; save a copy without one.",
            )
        if member.method not in (_STORED, _DEFLATED):
            raise BadArchive(
                "unsupported_content",
                "The file is packed in an uncommon way; save it anew and upload that copy.",
            )
        checksum = 0
        for piece in self._pieces(member):
            checksum = zlib.crc32(piece, checksum)
            yield len(piece)
        if checksum != member.checksum:
            raise damaged("a part of it has changed since it was saved")

    def _list(self) -> tuple[int, int]:
        """Return where the list of members begins and ends (4.3.16, 4.3.14, 4.3.15)."""
        start = max(0, self.size - 65_557)
        tail = self._read(start, self.size - start)
        found = tail.rfind(b"PK\5\6")
        record = tail[found : found + 22]
        if found < 0 or len(record) < 22:
            raise damaged("its end is missing")
        length, at = _little(record[12:16]), _little(record[16:20])
        end = start + found
        if _MASKED in (length, at) or record[10:12] == b"\xff\xff":
            length, at, end = self._long_list(end)
        if at + length != end and not self._read(at + length, 4).startswith(b"PK\6\6"):
            raise damaged("its list of parts is not where it should be")
        return at, at + length

    def _long_list(self, end: int) -> tuple[int, int, int]:
        locator = self._read(end - 20, 20)
        place = _little(locator[8:16])
        record = self._read(place, 56) if locator.startswith(b"PK\6\7") else b""
        if not record.startswith(b"PK\6\6"):
            raise damaged("its list of parts is broken")
        return _little(record[40:48]), _little(record[48:56]), place

    def _pieces(self, member: Member) -> Iterator[bytes]:
        packed = self._packed(member)
        if member.method == _STORED:
            yield from packed
            return
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            for chunk in packed:
                rest = chunk
                while rest and not inflater.eof:
                    yield inflater.decompress(rest, _CHUNK)
                    rest = inflater.unconsumed_tail
            while not inflater.eof and (piece := inflater.decompress(b"", _CHUNK)):
                yield piece  # what the last chunk still held
        except zlib.error as error:
            raise damaged("a part of it cannot be unpacked") from error

    def _packed(self, member: Member) -> Iterator[bytes]:
        header = self._read(member.place, 30)
        if not header.startswith(b"PK\3\4"):
            raise damaged("a part of it is missing")
        at = member.place + 30 + _little(header[26:28]) + _little(header[28:30])
        end = at + member.packed
        for place in range(at, end, _CHUNK):
            yield self._read(place, min(_CHUNK, end - place))

    def _read(self, at: int, length: int) -> bytes:
        if not 0 <= at <= at + length <= self.size:
            raise damaged("it points outside of itself")
        self._file.seek(at)
        return self._file.read(length)


def _member(entry: bytes, name: bytes, extra: bytes) -> Member:
    """Read an entry of the list (4.3.12); ZIP64 keeps large numbers in its own field (4.5.3)."""
    packed, unpacked = _little(entry[20:24]), _little(entry[24:28])
    place = _little(entry[42:46])
    long = _long_numbers(extra)
    if unpacked == _MASKED:
        next(long, 0)
    if packed == _MASKED:
        packed = next(long, packed)
    if place == _MASKED:
        place = next(long, place)
    return Member(
        name=name,
        place=place,
        method=_little(entry[10:12]),
        packed=packed,
        checksum=_little(entry[16:20]),
        is_locked=bool(entry[8] & 1),
    )


def _long_numbers(extra: bytes) -> Iterator[int]:
    at = 0
    while at + 4 <= len(extra):
        kind, length = _little(extra[at : at + 2]), _little(extra[at + 2 : at + 4])
        if kind == 1:
            body = extra[at + 4 : at + 4 + length]
            yield from (_little(body[i : i + 8]) for i in range(0, len(body) - 7, 8))
        at += 4 + length


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
