"""Looks at a document before LibreOffice does, which cannot say what is wrong with one.

It takes a password, damage and another type all for the same, and makes pages of garbage from
bytes of no type at all.
"""

from pathlib import Path

from worker.converters.limits import Limits
from worker.converters.office import binary, richtext, zipped
from worker.converters.office.seen import Seen


def look(source: Path, source_format: str, *, limits: Limits, target_format: str = "pdf") -> Seen:
    """Return what was seen of it; raise Refusal if it cannot be converted."""
    match source_format:
        case "rtf":
            return richtext.look(source)
        case "doc" | "xls" | "ppt" | "encrypted-office":
            return binary.look(source, source_format)
        case _:
            return zipped.look(source, source_format, limits=limits, target_format=target_format)
