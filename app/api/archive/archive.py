"""One zip: where each of its bytes comes from, so that any stretch of it can be sent."""

import hashlib
import os
import zlib
from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Self

from app.api.archive.layout import Entry, Placed, ending, local_header

PIECE_BYTES = 1024**2
MOST_CHECKSUMS = 100_000

Pieces = Generator[bytes, None, None]


@dataclass(frozen=True, kw_only=True)
class File(Entry):
    """An entry whose bytes lie in a file that is never written to again."""

    path: Path
    known_crc: int | None = None


@dataclass(frozen=True, kw_only=True)
class Note(Entry):
    """An entry of a few words."""

    content: bytes


class Changed(OSError):
    """A file is not what its row says: half of the zip is out, and it cannot be gone on with."""


class Checksums:
    """CRC-32 of files that were read before; used by several threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, int] = OrderedDict()

    def __getitem__(self, path: Path) -> int | None:
        return self._known.get(path)

    def __setitem__(self, path: Path, crc: int) -> None:
        self._known[path] = crc
        if len(self._known) > MOST_CHECKSUMS:
            self._known.popitem(last=False)


class Archive:
    """A zip of stored files: its length is known before a byte of any of them is read."""

    def __init__(self, entries: Sequence[File | Note], *, checksums: Checksums) -> None:
        self._entries = entries
        self._checksums = checksums
        lengths = (len(local_header(entry, crc=0)) + entry.size for entry in entries)
        *self._offsets, self._end = accumulate(lengths, initial=0)
        placed = [Placed(entry=entry, offset=at, crc=0) for entry, at in self._placed()]
        self.size = self._end + len(ending(placed, offset=self._end))

    @property
    def tag(self) -> str:
        """Return an ETag: equal zips of equal files have the same."""
        told = repr([(type(one), *vars(one).items()) for one in self._entries])
        return f'"{hashlib.blake2b(told.encode(), digest_size=16).hexdigest()}"'

    def pieces(self, first: int, end: int) -> Pieces:
        """Yield the bytes from `first` to before `end`; this blocks, and raises OSError.

        A piece is empty where nothing can be sent yet, so that whoever asks can stop at any time.
        """
        for entry, at in self._placed():
            body = at + len(local_header(entry, crc=0))
            with _Source(entry) as source:
                if first < body and end > at:
                    crc = yield from self._crc(source)
                    yield local_header(entry, crc=crc)[max(0, first - at) : end - at]
                if first < body + entry.size and end > body:
                    yield from source.pieces(max(0, first - body), min(entry.size, end - body))
        if end > self._end:
            last = yield from self._ending()
            yield last[max(0, first - self._end) : end - self._end]

    def _placed(self) -> Iterator[tuple[File | Note, int]]:
        return zip(self._entries, self._offsets, strict=True)

    def _ending(self) -> Generator[bytes, None, bytes]:
        placed = []
        for entry, at in self._placed():
            with _Source(entry) as source:
                crc = yield from self._crc(source)
            placed.append(Placed(entry=entry, offset=at, crc=crc))
        return ending(placed, offset=self._end)

    def _crc(self, source: "_Source") -> Generator[bytes, None, int]:
        """Read a file whose row has no sum once before it is sent, but not for another zip."""
        entry = source.entry
        if isinstance(entry, Note):
            return zlib.crc32(entry.content)
        crc = entry.known_crc
        if crc is None:
            crc = self._checksums[entry.path]
        if crc is None:
            crc = 0
            for piece in source.pieces(0, entry.size):
                crc = zlib.crc32(piece, crc)
                yield b""
            self._checksums[entry.path] = crc
        return crc


class _Source:
    """The bytes of one entry; opened when the first is asked for, and once.

    From then on the file may be deleted.
    """

    def __init__(self, entry: File | Note) -> None:
        self.entry = entry
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def pieces(self, first: int, end: int) -> Iterator[bytes]:
        if isinstance(self.entry, Note):
            yield self.entry.content[first:end]
            return
        descriptor = self._open(self.entry)
        while first < end:
            piece = os.pread(descriptor, min(PIECE_BYTES, end - first), first)
            if not piece:
                raise Changed(f"{self.entry.path} has become shorter")
            yield piece
            first += len(piece)

    def _open(self, entry: File) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            if os.fstat(self._descriptor).st_size != entry.size:
                raise Changed(f"{entry.path} has another length than its row says")
        return self._descriptor
