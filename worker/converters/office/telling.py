"""What people are told of a conversion that went well: what the result lacks, and why."""

from pathlib import Path

from worker.converters.office import boxes, grids, libreoffice
from worker.converters.office.filters import MATH
from worker.converters.office.kit import Document
from worker.converters.office.libreoffice import Order


def notes(order: Order, document: Document) -> list[str]:
    """Return whole sentences about the result that this order for this document led to."""
    told = order.seen.notes
    if order.seen.formulas and not MATH.is_in(libreoffice.place()):
        told.append(
            "The document has formulas, and this service lacks LibreOffice's Math: they may be "
            "missing. The operator can install it (on Debian: libreoffice-math-nogui)."
        )
    if order.target_format == "pdf":
        told += [*order.seen.notes_on_pdf, *_on_boxes(order.target)]
    if grids.get_lost(order.seen, order.target_format):
        told.append(grids.NOTE)
    if order.password is not None and not document.was_locked:
        told.append("The document has no password; the one that was sent along was not needed.")
    return told


def _on_boxes(made: Path) -> list[str]:
    if not (drawn := boxes.drawn(made)):
        return []
    such = ", ".join(map(_named, drawn[:3]))
    sentence = (
        f"No font of this service has some of the characters, such as {such}: boxes stand in "
        "their places. The operator can install fonts for them."
    )
    return [sentence]


def _named(character: str) -> str:
    code = " ".join(f"U+{ord(one):04X}" for one in character)
    return f"{character} ({code})" if character.isprintable() else code
