"""A document read by qpdf, which finds its way through files that PDFium gives up on."""

import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pikepdf

from worker.converters.pdf.refusal import blamed_on, damaged
from worker.converters.refusal import Refusal

_END = b"%%EOF"
_TAIL_BYTES = 1024  # within which a reader looks for the end
_BLOCK_BYTES = 1024**2
_ENCODINGS = ("utf-8", "pdfdoc", "latin-1")  # the second is that of PDF before 2.0


@dataclass(frozen=True)
class Opened:
    """`is_damaged` says whether something had to be repaired, or pages are missing.

    `was_locked` says whether it took a password.
    """

    pdf: pikepdf.Pdf
    is_damaged: bool
    was_locked: bool


@contextmanager
def opened(source: Path, password: str | None) -> Iterator[Opened]:
    """Open a document, repairing what can be; raise Refusal if it is locked or beyond repair."""
    with _ended(source) as whole, whole.open("rb") as file:
        with blamed_on(damaged()):
            pdf, was_locked = _unlocked(file, password)
        with pdf:
            yield Opened(pdf, is_damaged=_is_damaged(pdf), was_locked=was_locked)


def repair(source: Path, target: Path, password: str | None) -> None:
    """Write a copy without faults in its structure and without encryption."""
    with opened(source, password) as found, target.open("wb") as file, blamed_on(damaged()):
        found.pdf.save(file)


def cut(pdf: pikepdf.Pdf, indices: Iterable[int]) -> list[int]:
    """Return which of these pages of a damaged document have lost instructions, or all of them."""
    return [index for index in indices if not _is_legible(pdf.pages[index])]


def _is_damaged(pdf: pikepdf.Pdf) -> bool:
    """Look before anything else does: qpdf forgets what was wrong as it goes on."""
    with blamed_on(damaged()):
        stated = pdf.Root.Pages.get("/Count")
        found = len(pdf.pages)
        if not found:
            raise damaged()
        # A page without resources is merely blank.
        warnings = [one for one in pdf.get_warnings() if "Resources is missing" not in str(one)]
        return bool(warnings) or stated != found


@contextmanager
def _ended(source: Path) -> Iterator[Path]:
    """Give a file that is cut an end, in a copy: the last object before it is lost otherwise."""
    with source.open("rb") as file:
        file.seek(max(0, source.stat().st_size - _TAIL_BYTES))
        if _END in file.read():
            yield source
            return
        file.seek(0)
        copy = source.with_name("ended.pdf")
        try:
            with copy.open("wb") as ended:
                shutil.copyfileobj(file, ended, _BLOCK_BYTES)
                ended.write(b"\n" + _END + b"\n")
            yield copy
        finally:
            copy.unlink(missing_ok=True)


def _unlocked(file: BinaryIO, password: str | None) -> tuple[pikepdf.Pdf, bool]:
    """Try without the password first: many documents only ask for one to be changed."""
    for candidate in (b"", *_candidates(password)):
        with suppress(pikepdf.PasswordError):
            pdf = _read(file, candidate)
            # Some programs leave the owner's password empty; that is not meant to open it.
            if candidate or not pdf.is_encrypted or pdf.user_password_matched:
                return pdf, bool(candidate)
            pdf.close()
    raise locked(password)


def _read(file: BinaryIO, password: bytes) -> pikepdf.Pdf:
    try:
        return pikepdf.open(file, password=password, inherit_page_attributes=False)
    except pikepdf.PdfError as error:
        if "encryption" in str(error):
            raise sealed() from error
        raise


def locked(password: str | None) -> Refusal:
    """Return the refusal of a document that the password, or none, does not open."""
    if password is None:
        return Refusal("password_required", "The PDF is locked with a password.")
    return Refusal("password_wrong", "The password does not open the PDF.")


def unneeded(password: str | None, *, was_locked: bool) -> list[str]:
    """Return the note on a password that a document did not ask for."""
    if password is None or was_locked:
        return []
    return ["The PDF opens without a password; the one that was sent along was not needed."]


def sealed() -> Refusal:
    """Return the refusal of a document that no password opens."""
    return Refusal(
        "unsupported_content",
        "The PDF is locked by a certificate or a rights management that only certain "
        "programs can open. Print it to a new PDF there, and send that.",
    )


def spellings(password: str | None) -> list[str]:
    """Return the ways in which an accented letter may have been typed; PDF 2.0 wants NFKC."""
    if password is None:
        return []
    forms = (unicodedata.normalize(form, password) for form in ("NFKC", "NFC", "NFD"))
    return list(dict.fromkeys((password, *forms)))


def _candidates(password: str | None) -> list[bytes]:
    found: dict[bytes, None] = {}
    for spelling in spellings(password):
        for encoding in _ENCODINGS:
            with suppress(UnicodeEncodeError, ValueError):
                found[spelling.encode(encoding)] = None
    return list(found)


def _is_legible(page: pikepdf.Page) -> bool:
    contents = page.obj.get("/Contents")  # None if it is an object that is lost
    streams = list(contents) if isinstance(contents, pikepdf.Array) else [contents]
    try:
        for stream in streams:
            stream.read_bytes()  # type: ignore[union-attr]
    except Exception:  # noqa: BLE001 - whatever it is, a reader stumbles over it too
        return False
    return True
