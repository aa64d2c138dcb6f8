"""The marker that ties a storage folder to one database, so that strangers sweep nothing."""

from pathlib import Path
from uuid import UUID

from app.storage import durable

MARKER = "house"


class WrongHouse(Exception):
    """The storage belongs to another database, or to none that is known; the text says why."""


def claim(root: Path, house_id: UUID, *, may_create: bool) -> None:
    """Check the marker, or write it into a new folder when `may_create`.

    Two processes may claim at once: the marker appears whole or not at all, and whoever comes
    second reads the first one's.
    """
    if may_create and not _marker(root).exists():
        _create(root, house_id)
    check(root, house_id)


def check(root: Path, house_id: UUID) -> None:
    found = _read(root)
    if found is None:
        raise WrongHouse(
            f"{root} has no file named {MARKER!r}, but the database knows house {house_id}: "
            "this is an empty or a foreign folder. Mount the right one, or set ROWMILL_DATA to it."
        )
    if found != house_id:
        raise WrongHouse(
            f"{root} belongs to house {found}, but the database is house {house_id}: "
            "one of the two was restored or moved. Bring the pair together that belongs together."
        )


def _create(root: Path, house_id: UUID) -> None:
    for area in ("objects", "results"):
        if any((root / area).iterdir()):
            raise WrongHouse(
                f"{root / area} has files in it, but no file named {MARKER!r} lies in {root}, and "
                "the database is new: these files belong to another database. "
                "Restore that one, or choose an empty folder."
            )
    try:
        durable.create(_marker(root), f"{house_id}\n".encode())
    except FileExistsError:
        return  # another process was faster; check() compares with what it wrote


def _read(root: Path) -> UUID | None:
    try:
        text = _marker(root).read_text("ascii")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise WrongHouse(f"{_marker(root)} cannot be read: {error}") from error
    try:
        return UUID(text.strip())
    except ValueError:
        raise WrongHouse(f"{_marker(root)} is damaged: it must hold one UUID.") from None


def _marker(root: Path) -> Path:
    return root / MARKER
