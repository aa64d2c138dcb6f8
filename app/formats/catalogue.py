"""What Rowmill converts, and what it can name: one catalogue, put together once a process."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from app.formats.assembly import BadFamily, Candidate, Catalogue, assemble
from app.formats.document import DOCUMENT
from app.formats.family import Family, Format
from app.formats.image import IMAGE
from app.formats.media import MEDIA
from app.formats.office import LOCKED, OFFICE, OLD
from app.formats.pdf import PDF
from app.formats.plugins import installed
from app.formats.table import TABLE

__all__ = [
    "PLAIN_TEXT",
    "BadFamily",
    "default_target",
    "families",
    "families_for",
    "family_of_kind",
    "format_named",
    "format_of_name",
    "known_formats",
    "media_type_of",
    "name_agrees",
    "settled_format",
    "targets_of",
]

_BUILT_IN = (IMAGE, MEDIA, PDF, OFFICE, TABLE, DOCUMENT)
_GUESSED = frozenset({"txt", "md", "rst", "org", "csv", "tsv"})
_UNSURE = {  # what bytes show that are damaged or odd, and the names that say what it is
    "zip": {name: name for name in ("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub")},
    "ole": {name: name for name in OLD} | dict.fromkeys(("docx", "xlsx", "pptx"), LOCKED),
    "rough-text": {name: name for name in ("csv", "tsv")},
}
PLAIN_TEXT = _GUESSED | {"tex", "html", "xml", "json", "ndjson"}


def families() -> tuple[Family, ...]:
    """Return the built-in families, then those of installed packages; BadFamily if one is bad."""
    return _catalogue().families


def families_for(source: str, target: str) -> tuple[Family, ...]:
    """Return who can do a pair: first who does it best, then who stands in."""
    return _catalogue().by_pair.get((source, target), ())


def family_of_kind(kind: str) -> Family | None:
    return next((family for family in families() if family.kind == kind), None)


def targets_of(source: str) -> list[str]:
    """Return every format that this one can become, in the order of the families."""
    return [target for from_format, target in _catalogue().by_pair if from_format == source]


def default_target(source: str) -> str | None:
    """Return what a file of this format becomes when nobody says; None if nothing converts it."""
    return _catalogue().default_targets.get(source)


def known_formats() -> Mapping[str, Format]:
    """Return every format that has a name here, also those that nothing converts."""
    return MappingProxyType(_catalogue().formats)


def format_named(name: str) -> Format | None:
    return _catalogue().formats.get(name)


def media_type_of(name: str | None) -> str:
    """Return the media type of a format; of one that nobody knows, that of any bytes."""
    described = format_named(name or "")
    return described.media_type if described else "application/octet-stream"


def format_of_name(filename: str) -> str | None:
    """Return the format that the extension of a file name stands for; most people's, if several."""
    return _by_extension().get(_extension(filename))


def name_agrees(filename: str, name: str) -> bool:
    """Whether a file of this format may be called so; a name that claims nothing agrees."""
    extension, described = _extension(filename), format_named(name)
    if name in PLAIN_TEXT and format_of_name(filename) in PLAIN_TEXT:
        return True  # nobody errs who calls a table a text
    claims_nothing = extension not in _by_extension()
    return claims_nothing or described is None or extension in described.extensions


def settled_format(recognised: str | None, filename: str) -> str | None:
    """Let the name decide where bytes alone cannot, and nowhere else.

    Plain text often shows none of its kinds. A document that ends early, whose list of parts was
    at its end, shows no more than its packing: its converter can say that it is damaged.
    """
    named = format_of_name(filename)
    if recognised in _UNSURE:
        return _UNSURE[recognised].get(named or "", recognised)
    if recognised in _GUESSED and named in PLAIN_TEXT and named != "txt":
        return named
    one_line = (recognised, named) == ("json", "ndjson")
    return named if one_line else recognised


def _extension(filename: str) -> str:
    return filename.rpartition(".")[2].lower() if "." in filename else ""


@cache
def _catalogue() -> Catalogue:
    built_in = [Candidate("Rowmill itself", family) for family in _BUILT_IN]
    return assemble([*built_in, *installed()])


@cache
def _by_extension() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for described in known_formats().values():
        for extension in described.extensions:
            found.setdefault(extension, described.name)
    return found
