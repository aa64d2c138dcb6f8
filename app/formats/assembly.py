"""Puts converter families together into one catalogue, and refuses those that do not fit."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.formats.family import Family, Format, Options
from app.formats.known import KNOWN, NEVER

_KIND = re.compile(r"[a-z][a-z0-9_-]{0,30}")
_FORMAT = re.compile(r"[a-z0-9][a-z0-9-]{0,19}")  # it becomes the extension of a file
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class BadFamily(Exception):
    """A converter family cannot join the others; the text names it, its origin and the fault."""


@dataclass(frozen=True)
class Candidate:
    """What an origin (Rowmill itself, an installed package) offers as a family."""

    origin: str
    family: Any


@dataclass(frozen=True)
class Catalogue:
    """Families in a fixed order, and what they say looked up the other way round."""

    families: tuple[Family, ...] = ()
    formats: Mapping[str, Format] = field(default_factory=dict)
    by_pair: Mapping[tuple[str, str], tuple[Family, ...]] = field(default_factory=dict)
    default_targets: Mapping[str, str] = field(default_factory=dict)


def assemble(candidates: Iterable[Candidate]) -> Catalogue:
    """Return the catalogue of these families, raising BadFamily at the first that does not fit.

    Nobody takes a kind or a format away from an earlier one, nor a pair from another origin; of
    one origin, the earlier family comes first and a later one may stand in for it. A default
    target that an earlier family gave stands.
    """
    catalogue = Catalogue(formats={known.name: known for known in KNOWN})
    origins: dict[str, str] = {}
    for candidate in candidates:
        try:
            family = _checked(candidate.family)
            _take_kind(family, origins, candidate.origin)
            catalogue = _joined(catalogue, family, origins)
        except BadFamily as fault:
            raise BadFamily(f"The converter family of {candidate.origin} {fault}") from None
    return catalogue


def _checked(family: Any) -> Family:
    """Look at a family alone: everything that later goes into a row, a path or a header."""
    if not isinstance(family, Family):
        raise BadFamily(f"is not a Family but {type(family).__name__}.")
    if not _KIND.fullmatch(family.kind):
        raise BadFamily(f"has the kind {family.kind!r}; a kind is a short lower-case word.")
    if not _FUNCTION.fullmatch(family.convert):
        raise BadFamily(f'names its converter {family.convert!r}, not "module:function".')
    if not (isinstance(family.options, type) and issubclass(family.options, Options)):
        raise BadFamily("has options that do not extend app.formats.family.Options.")
    for made in family.formats:
        if not _FORMAT.fullmatch(made.name) or not _MEDIA_TYPE.fullmatch(made.media_type):
            raise BadFamily(f"describes the format {made.name!r} ({made.media_type!r}) badly.")
    _check_tables(family)
    return family


def _check_tables(family: Family) -> None:
    for source in family.narrowed:
        if source not in family.sources:
            raise BadFamily(f"narrows {source!r}, which is none of its sources.")
    for pair in family.default_targets.items():
        if pair not in family.pairs:
            raise BadFamily(f"has the default {_arrow(pair)}, which it cannot do.")


def _take_kind(family: Family, origins: dict[str, str], origin: str) -> None:
    if family.kind in origins:
        raise BadFamily(f"reuses the kind {family.kind!r} of {origins[family.kind]}.")
    origins[family.kind] = origin


def _joined(catalogue: Catalogue, family: Family, origins: Mapping[str, str]) -> Catalogue:
    formats = {**catalogue.formats, **_new_formats(catalogue, family)}
    for pair in family.pairs:
        _check_pair(pair, formats)
        for other in catalogue.by_pair.get(pair, ()):
            if (owner := origins[other.kind]) != origins[family.kind]:
                raise BadFamily(f"offers {_arrow(pair)}, which {owner} does already.")
    joined = {pair: (*catalogue.by_pair.get(pair, ()), family) for pair in family.pairs}
    return Catalogue(
        families=(*catalogue.families, family),
        formats=formats,
        by_pair={**catalogue.by_pair, **joined},
        default_targets={**family.default_targets, **catalogue.default_targets},
    )


def _new_formats(catalogue: Catalogue, family: Family) -> dict[str, Format]:
    """Return the formats that nobody has described; a known one keeps its row."""
    new = {}
    for made in family.formats:
        known = catalogue.formats.get(made.name)
        if known is None:
            new[made.name] = made
        elif known.media_type != made.media_type:
            raise BadFamily(f"describes {made.name!r} anew, as {made.media_type!r}.")
    return new


def _check_pair(pair: tuple[str, str], formats: Mapping[str, Format]) -> None:
    for name in pair:
        if name not in formats:
            raise BadFamily(f"uses the format {name!r}, which nobody describes.")
        if name in NEVER:
            raise BadFamily(f"uses {name!r}, which is never converted: it opens other files.")


def _arrow(pair: tuple[str, str]) -> str:
    return f"{pair[0]} to {pair[1]}"
