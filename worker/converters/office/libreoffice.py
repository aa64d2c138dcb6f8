"""Has LibreOffice read one document and write another, and tells apart why it could not."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from worker.converters.office import panes, profile, room
from worker.converters.office.kit import Document, Kit, Unable
from worker.converters.office.progress import OfficeMeter
from worker.converters.office.seen import Seen

_PLACES = ("/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program")


class CannotRead(Exception):
    """The document could not be opened; `asked_for_password` is how often one was missing.

    The text is LibreOffice's own, for operators.
    """

    def __init__(self, asked_for_password: int, said: str) -> None:
        super().__init__(said)
        self.asked_for_password = asked_for_password


@dataclass(frozen=True)
class Order:
    """What to read and what to write, by names; `options` are those of the filter that writes.

    `seen` is what a look at the source found.
    """

    source: Path
    seen: Seen
    target: Path
    target_format: str
    options: str
    password: str | None


def place() -> Path | None:
    """Return the folder of LibreOffice's programs, or None if it is not installed."""
    return next((place for place in map(Path, _PLACES) if (place / "versionrc").exists()), None)


def start(
    seen: Seen,
    *,
    password: str | None = None,
    moved: Callable[[int], None] | None = None,
) -> Kit:
    """Start LibreOffice for a document, in this process, which it may be only once."""
    programs = place()
    if programs is None:
        raise FileNotFoundError(errno.ENOENT, "LibreOffice is not installed")
    room.check_before()
    os.environ["TMPDIR"] = str(Path.cwd())  # a process that ends at once leaves files there
    settings = Path.cwd() / "profile"
    # What is locked may have a grid (grids.py), and is saved once in order to be looked at.
    profile.write(settings, recalculates=seen.stale, thumbnails=not seen.locked)
    if seen.comments or seen.locked:
        panes.describe(settings / "panes", place=programs)
    if password is not None:
        _give_certificates_a_place()
    kit = Kit(programs, profile=settings, password=password, moved=moved)
    room.watch()  # after LibreOffice has set its own signals: it would abort
    return kit


def _give_certificates_a_place() -> None:
    """Have NSS, which decrypts, use its old kind of store for certificates, made here and empty.

    It would make one of the new kind and chmod it, which a cell cannot.
    """
    os.environ["MOZILLA_CERTIFICATE_FOLDER"] = f"dbm:{Path.cwd()}"


def read(order: Order, meter: OfficeMeter) -> Document:
    """Start LibreOffice and open the document; raise CannotRead."""
    with meter.watched("starting", until=0.2):
        kit = start(order.seen, password=order.password, moved=meter.told)
    with meter.watched("reading", until=0.6):
        try:
            return kit.load(Path.cwd() / order.source.name)
        except Unable as unable:
            room.check_after(Path.cwd(), size=meter.size)
            raise CannotRead(kit.asked_for_password, str(unable)) from unable


def write(document: Document, order: Order, meter: OfficeMeter) -> None:
    """Write the result; raise Unable, or what kept it from being written."""
    with meter.watched("writing", until=0.95):
        try:
            document.save(Path.cwd() / order.target.name, order.target_format, order.options)
        except Unable:
            room.check_after(Path.cwd(), size=meter.size)
            raise
        room.check_written(Path.cwd() / order.target.name)
