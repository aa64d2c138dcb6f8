"""The names of columns: what a first row says, made unique where a format needs that."""

from collections.abc import Sequence

from worker.converters.table.cells import looks_like_names
from worker.converters.table.request import Request

_MOST_LISTED = 10


def numbered(count: int, *, start: int = 1) -> tuple[str, ...]:
    """Return the names of columns that have none."""
    return tuple(f"column_{number}" for number in range(start, start + count))


def widened(names: Sequence[str], width: int) -> tuple[str, ...]:
    """Return names for `width` columns; those beyond the given ones are numbered."""
    return (*names, *numbered(width - len(names), start=len(names) + 1))


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with none empty and none twice: a, a becomes a, a_2."""
    taken = set(names)
    made: dict[str, None] = {}
    counts: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        wanted = plain = name or f"column_{number}"
        while wanted in made or (wanted != name and wanted in taken):
            counts[plain] = counts.get(plain, 1) + 1
            wanted = f"{plain}_{counts[plain]}"
        made[wanted] = None
    return tuple(made)


def listed(names: Sequence[str]) -> str:
    """Return names for a sentence: the first ten, each cut to a length that can be read."""
    shown = ", ".join(name[:40] for name in names[:_MOST_LISTED])
    return shown + (" and others" if len(names) > _MOST_LISTED else "")


def has_names(request: Request, first: Sequence[str]) -> bool:
    """Whether the first row holds names: what the options say, or else what it looks like."""
    if request.wish.header is not None:
        return request.wish.header
    if looks_like_names(first):
        return True
    request.note(
        "The first row looks like data, so it was not taken for the names of the columns. "
        "If it holds them, send the file again with header=true."
    )
    return False
