"""Looks through the records of an xls workbook ([MS-XLS]) for what its reader leaves out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from worker.converters.compound import Broken, Compound
from worker.converters.refusal import Refusal
from worker.converters.table.workbook.markup import broken

_BOF, _EOF, _BOUNDSHEET, _FILEPASS = 0x0809, 0x000A, 0x0085, 0x002F
_DIMENSIONS, _FORMULA, _BOOLERR = 0x0200, 0x0006, 0x0205
_MOST_ROWS, _MOST_COLUMNS = 65_536, 256
_MANY = 0x00BD  # cells in one record, the last two bytes say where they end
_CELLS = frozenset({_FORMULA, _BOOLERR, _MANY, 0x00D6, 0x00FD, 0x0203, 0x0204, 0x027E})
_FAULTS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
}


@dataclass
class Looked:
    """Where each sheet begins, by its number, and by that place the errors in rows and columns."""

    starts: list[int] = field(default_factory=list)
    faults: dict[int, dict[int, dict[int, str]]] = field(default_factory=dict)


def look(source: Path) -> Looked:
    """Raise Refusal unless this is a whole workbook that no password locks."""
    try:
        with source.open("rb") as file:
            compound = Compound(file)
            compound.check()
            if "EncryptedPackage" in compound.streams:
                raise _locked()
            name = "Workbook" if "Workbook" in compound.streams else "Book"
            data = compound.read(name)
    except Broken as error:
        raise broken(str(error)) from error
    return _looked(data)


def _looked(data: bytes) -> Looked:
    looked = Looked()
    begin, depth, is_whole = 0, 0, False
    for at, kind, body in _records(data):
        if kind == _BOF:
            begin = at if depth == 0 else begin
            depth += 1
        elif kind == _EOF:
            depth -= 1
            is_whole = depth == 0
        elif kind == _FILEPASS:
            raise _locked()
        elif kind == _DIMENSIONS and _is_endless(body):
            raise broken("a sheet says that it is larger than a sheet can be")
        elif kind in _CELLS and depth == 1 and _is_outside(kind, body):
            raise broken("a cell lies outside of its sheet")
        elif kind == _BOUNDSHEET:
            looked.starts.append(_little(body[:4]))
        elif kind in (_FORMULA, _BOOLERR) and depth == 1 and (fault := _fault(kind, body)):
            row = looked.faults.setdefault(begin, {}).setdefault(_little(body[:2]), {})
            row[_little(body[2:4])] = fault
    if not is_whole:
        raise broken("it ends early")
    return looked


def _is_endless(body: bytes) -> bool:
    """Whether a sheet says that of itself (2.4.90), for which its reader would need the memory.

    One that ends before it begins is as good as endless to it.
    """
    width = 4 if len(body) >= 14 else 2  # of the number of a row; four bytes since Excel 97
    rows = [_little(body[at : at + width]) for at in (0, width)]
    columns = [_little(body[at : at + 2]) for at in (2 * width, 2 * width + 2)]
    return (
        rows[0] > rows[1]
        or rows[1] > _MOST_ROWS
        or columns[0] > columns[1]
        or columns[1] > _MOST_COLUMNS
    )


def _is_outside(kind: int, body: bytes) -> bool:
    """Whether a cell stands where no column is: its reader makes room for all that lie before."""
    last = body[-2:] if kind == _MANY else body[2:4]
    return _little(last) >= _MOST_COLUMNS


def _fault(kind: int, body: bytes) -> str | None:
    """Return the error that a cell shows: a constant (2.4.24) or a formula's result (2.5.133)."""
    if kind == _BOOLERR:
        return _FAULTS.get(body[6], "#N/A") if body[7:8] == b"\1" else None
    is_fault = body[12:14] == b"\xff\xff" and body[6:7] == b"\2"
    return _FAULTS.get(body[8], "#N/A") if is_fault else None


def _records(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        kind, length = _little(data[at : at + 2]), _little(data[at + 2 : at + 4])
        yield at, kind, data[at + 4 : at + 4 + length]
        at += 4 + length


def _locked() -> Refusal:
    return Refusal(
        "password_required",
        "The workbook is locked with a password; save a copy without one and upload that.",
    )


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
