"""Takes out of a form what has no place on any page of the document."""

import pikepdf
from pikepdf import Array, Dictionary

_DEEPEST = 50

_Id = tuple[int, int]


def prune_fields(pdf: pikepdf.Pdf) -> None:
    """Remove the parts of fields that are shown on no page: they came along with their siblings."""
    form = pdf.Root.get("/AcroForm")
    if not isinstance(form, Dictionary) or not isinstance(form.get("/Fields"), Array):
        return
    shown = {annotation.objgen for page in pdf.pages for annotation in _annotations(page)}
    form.Fields = Array([field for field in form.Fields if _is_shown(field, shown, _DEEPEST)])


def _annotations(page: pikepdf.Page) -> list[pikepdf.Object]:
    annotations = page.obj.get("/Annots")
    return list(annotations) if isinstance(annotations, Array) else []


def _is_shown(field: pikepdf.Object, shown: set[_Id], depth: int) -> bool:
    """Whether a field, or anything below it, is on a page; what is not below it is taken away."""
    if field.objgen in shown:
        return True
    kids = field.get("/Kids") if isinstance(field, Dictionary) else None
    if depth == 0 or not isinstance(kids, Array):
        return False
    kept = [kid for kid in kids if _is_shown(kid, shown, depth - 1)]
    field.Kids = Array(kept)
    return bool(kept)
