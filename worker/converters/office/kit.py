"""LibreOfficeKit: LibreOffice as a library, by the few functions of its C interface used here.

A program would have to be started, would listen on a socket for others to join it, and would end
with the same code whatever happened. The tables of functions are those of LibreOfficeKit.h; they
only ever grow at their ends.
"""

import ctypes
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_size_t, c_ulonglong, c_void_p
from pathlib import Path

_LIBRARIES = ("libsofficeapp.so", "libmergedlo.so")  # distributions build it so or so
_MOVED, _PASSWORD, _PASSWORD_TO_CHANGE = 10, 20, 21
_ASKS_FOR_PASSWORDS = 0b11  # to open a document, to change it
_HEARS = CFUNCTYPE(None, c_int, c_char_p, c_void_p)


class _OfficeTable(Structure):
    _fields_ = (
        ("size", c_size_t),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("load_plainly", CFUNCTYPE(c_void_p, c_void_p, c_char_p)),
        ("error", CFUNCTYPE(c_void_p, c_void_p)),
        ("load", CFUNCTYPE(c_void_p, c_void_p, c_char_p, c_char_p)),
        ("free_error", CFUNCTYPE(None, c_void_p)),
        ("listen", CFUNCTYPE(None, c_void_p, _HEARS, c_void_p)),
        ("filter_types", CFUNCTYPE(c_void_p, c_void_p)),
        ("set_features", CFUNCTYPE(None, c_void_p, c_ulonglong)),
        ("set_password", CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)),
    )


class _DocumentTable(Structure):
    _fields_ = (
        ("size", c_size_t),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("save", CFUNCTYPE(c_int, c_void_p, c_char_p, c_char_p, c_char_p)),
        ("type", CFUNCTYPE(c_int, c_void_p)),
    )


class _Office(Structure):
    _fields_ = (("table", POINTER(_OfficeTable)),)


class _Document(Structure):
    _fields_ = (("table", POINTER(_DocumentTable)),)


class Unable(Exception):
    """LibreOffice says that it cannot do it; the text is its own, for operators."""


class Kit:
    """A started LibreOffice; one for each process, which it takes its threads and memory from.

    `moved` gets the percentage of a document that has been read, where LibreOffice tells it.
    `asked_for_password` is how often it could not go on without one.
    """

    def __init__(
        self,
        place: Path,
        *,
        profile: Path,
        password: str | None,
        moved: Callable[[int], None] | None,
    ) -> None:
        self.asked_for_password = 0
        self._password = password
        self._moved = moved
        self._this = _start(place, profile)
        self._table: _OfficeTable = ctypes.cast(self._this, POINTER(_Office)).contents.table[0]
        self._hears = _HEARS(self._hear)  # kept, for C only knows where it lies
        self._table.set_features(self._this, _ASKS_FOR_PASSWORDS)
        self._table.listen(self._this, self._hears, None)

    def load(self, source: Path) -> "Document":
        """Open a document; raise Unable."""
        self._address = source.as_uri().encode()
        document = self._table.load(self._this, self._address, b"Batch=true")
        if not document:
            raise Unable(self.error())
        return Document(self, document)

    def error(self) -> str:
        text = self._table.error(self._this)
        return ctypes.string_at(text).decode(errors="replace") if text else ""

    def _hear(self, kind: int, told: bytes | None, _data: int | None) -> None:
        if kind == _MOVED and self._moved is not None and told is not None and told.isdigit():
            self._moved(int(told))
        elif kind == _PASSWORD_TO_CHANGE:  # nobody wants to
            self._table.set_password(self._this, self._address, None)
        elif kind == _PASSWORD:
            self.asked_for_password += 1
            given = self._password if self.asked_for_password == 1 else None
            self._table.set_password(
                self._this, self._address, None if given is None else given.encode()
            )


class Document:
    """An open document; `program` is the one of LibreOffice's that it belongs to."""

    def __init__(self, kit: Kit, this: int) -> None:
        self._kit = kit
        self._this = this
        self._table: _DocumentTable = ctypes.cast(this, POINTER(_Document)).contents.table[0]

    @property
    def program(self) -> str | None:
        types = {0: "writer", 1: "calc", 2: "impress"}
        return types.get(self._table.type(self._this))

    @property
    def was_locked(self) -> bool:
        return self._kit.asked_for_password > 0

    def save(self, target: Path, name: str, options: str) -> None:
        """Write the document as the format of this name; raise Unable."""
        address = target.as_uri().encode()
        if not self._table.save(self._this, address, name.encode(), options.encode() or None):
            raise Unable(self._kit.error())


def _start(place: Path, profile: Path) -> int:
    library = next(path for name in _LIBRARIES if (path := place / name).exists())
    start = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL).libreofficekit_hook_2
    start.restype, start.argtypes = c_void_p, (c_char_p, c_char_p)
    office: int | None = start(str(place).encode(), profile.as_uri().encode())
    if not office:
        raise Unable("LibreOffice did not start")
    return office
