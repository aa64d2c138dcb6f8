"""Some pages of a document as a document of their own, with what belongs to them and to the whole.

The pages that were not chosen must not be in the new file, not even out of sight: deleting them
from the old one would leave whatever bookmarks, form fields and links still point to.
"""

import pikepdf
from pikepdf import Array, Dictionary, String

from worker.converters.pdf.fields import prune_fields

# What of the catalogue speaks of the document as a whole (ISO 32000-2, table 29).
_OF_THE_WHOLE = (
    "/Metadata",
    "/Lang",
    "/ViewerPreferences",
    "/PageLayout",
    "/PageMode",
    "/OutputIntents",
    "/Extensions",
    "/Collection",
)
_NAMES_OF_THE_WHOLE = ("/EmbeddedFiles", "/JavaScript")


def only(pdf: pikepdf.Pdf, indices: list[int]) -> tuple[pikepdf.Pdf, list[str]]:
    """Return a new document of these pages, and what did not come along, in sentences."""
    new = pikepdf.new()
    result = new.add_pages_from(pdf, indices)
    prune_fields(new)
    _carry_over(pdf, new)
    _keep_labels(pdf, new, indices)
    return new, _left_out(pdf, result)


def _carry_over(pdf: pikepdf.Pdf, new: pikepdf.Pdf) -> None:
    if "/Info" in pdf.trailer:
        new.trailer.Info = _copied(pdf, new, pdf.trailer.Info)
    for key in _OF_THE_WHOLE:
        if key in pdf.Root:
            new.Root[key] = _copied(pdf, new, pdf.Root[key])
    names = pdf.Root.get("/Names", Dictionary())
    for key in _NAMES_OF_THE_WHOLE:
        if key in names:
            if "/Names" not in new.Root:
                new.Root.Names = Dictionary()
            new.Root.Names[key] = _copied(pdf, new, names[key])


def _copied(pdf: pikepdf.Pdf, new: pikepdf.Pdf, thing: pikepdf.Object) -> pikepdf.Object:
    owned = thing if thing.is_indirect else pdf.make_indirect(thing)
    return new.copy_foreign(owned)


def _keep_labels(pdf: pikepdf.Pdf, new: pikepdf.Pdf, indices: list[int]) -> None:
    """Give each page the number that it was printed with, iv or A-3, whatever its place is now."""
    if "/PageLabels" not in pdf.Root:
        return
    numbers = Array()
    for place, index in enumerate(indices):
        numbers.append(place)
        numbers.append(Dictionary(P=String(pdf.pages[index].label)))
    new.Root.PageLabels = new.make_indirect(Dictionary(Nums=numbers))


def _left_out(pdf: pikepdf.Pdf, result: "pikepdf.PageCopyResult") -> list[str]:
    notes = []
    if result.outline_items_dropped:
        notes.append("Bookmarks that lead to none of the chosen pages were left out.")
    if result.dropped_dests:
        notes.append("Links to pages that were not chosen lead nowhere now.")
    if "/StructTreeRoot" in pdf.Root:
        notes.append(
            "The tags that screen readers follow were left out: they describe the whole document."
        )
    return notes
