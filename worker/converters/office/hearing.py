"""Hears in the parts of a document what a PDF shows in another way, or not at all."""

from worker.converters.office.cells import Attributes
from worker.converters.office.seen import Seen, Unprinted

HEARD = frozenset({"workbook", "sld", "notes", "comments", "cmLst"})
# What may lie behind the notes of a slide and have a text of its own.
_OTHERS = frozenset({"annotation", "custom-shape", "rect", "ellipse", "path", "polygon", "caption"})
_YES, _NO = ("1", "true", "on"), ("0", "false", "off")


def is_grid(name: str, attributes: Attributes) -> bool:
    """Whether LibreOffice takes this element of a form for a table of records."""
    kind = attributes.get("control-implementation", "").rpartition(".")[2]
    return name == "grid" or kind in ("GridControl", "Grid")


class OoxmlPart:
    """Of a part of an OOXML document whose root is among those HEARD."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._is_of_speaker = self._is_note = False

    def start(self, name: str, attributes: Attributes) -> None:
        match name:
            case "sheet" if attributes.get("state", "visible") != "visible":
                self._seen.unprinted.add(Unprinted.SHEETS)
            case "calcPr":
                self._seen.stale = attributes.get("fullCalcOnLoad") in _YES
            case "sld" if attributes.get("show") in _NO:
                self._seen.unprinted.add(Unprinted.SLIDES)
            case "comment" | "cm":
                self._seen.comments = True
            case "notes":
                self._is_of_speaker = True
            case "sp":
                self._is_note = False
            case "ph":  # others are for the number of the page, the date and the like
                self._is_note = self._is_of_speaker and attributes.get("type") == "body"

    def text(self, text: str) -> None:
        if self._is_note and text.strip():
            self._seen.unprinted.add(Unprinted.SPEAKER_NOTES)


class OdfContent:
    """Of the content of an OpenDocument file, where styles come before what has them."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._style = ("", "")
        self._hidden: set[tuple[str, str]] = set()
        self._is_of_speaker = self._is_note = False

    def start(self, name: str, attributes: Attributes) -> None:
        self._seen.grids |= is_grid(name, attributes)
        if name in _OTHERS:
            self._seen.comments |= name == "annotation"
            self._is_note = False
        match name:
            case "style":
                self._style = (attributes.get("family", ""), attributes.get("name", ""))
            case "drawing-page-properties" if attributes.get("visibility") == "hidden":
                self._hidden.add(self._style)
            case "table-properties" if attributes.get("display") == "false":
                self._hidden.add(self._style)
            case "table" if ("table", attributes.get("style-name", "")) in self._hidden:
                self._seen.unprinted.add(Unprinted.SHEETS)
            case "page":
                self._is_of_speaker = self._is_note = False
                if ("drawing-page", attributes.get("style-name", "")) in self._hidden:
                    self._seen.unprinted.add(Unprinted.SLIDES)
            case "notes":
                self._is_of_speaker = True
            case "frame":
                self._is_note = self._is_of_speaker and attributes.get("class") == "notes"

    def text(self, text: str) -> None:
        if self._is_note and text.strip():
            self._seen.unprinted.add(Unprinted.SPEAKER_NOTES)
