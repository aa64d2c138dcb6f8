"""Converter families that other installed packages bring, by entry point."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points

from app.formats.assembly import BadFamily, Candidate

GROUP = "rowmill.converters"


def installed() -> list[Candidate]:
    """Return what the installed packages offer, in an order that does not depend on the disk."""
    return loaded(entry_points(group=GROUP))


def loaded(found: Iterable[EntryPoint]) -> list[Candidate]:
    """Load entry points sorted by name; one that cannot be loaded raises BadFamily."""
    unique = {(point.name, point.value): point for point in found}
    return [_loaded(unique[key]) for key in sorted(unique)]


def _loaded(point: EntryPoint) -> Candidate:
    package = point.dist.name if point.dist else "an unknown package"
    origin = f"{package} (entry point {point.name} = {point.value})"
    try:
        return Candidate(origin, point.load())
    except Exception as fault:  # a stranger's import can raise anything
        reason = f"{type(fault).__name__}: {fault}"
        raise BadFamily(f"The converter family of {origin} cannot be loaded: {reason}") from fault
