"""Reads the parts of an xlsx workbook around its sheets: their list, the texts, the styles."""

from worker.converters.table.workbook.markup import Attributes, Reader, attribute
from worker.converters.table.workbook.numbers import count_of, unescaped


class Workbook(Reader):
    def __init__(self) -> None:
        self.sheets: list[tuple[str, str, bool]] = []
        self.starts_1904 = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "sheet":
            is_hidden = attributes.get("state", "visible") != "visible"
            key = attribute(attributes, "id") or ""
            self.sheets.append((attributes.get("name", ""), key, is_hidden))
        elif name == "workbookPr":
            self.starts_1904 = attributes.get("date1904") in ("1", "true")


class Texts(Reader):
    """The shared strings. Of text with a reading aid (rPh) only the text counts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._is_text = self._is_aside = False

    def start(self, name: str, _attributes: Attributes) -> None:
        if name == "si":
            self._parts = []
        elif name == "rPh":
            self._is_aside = True
        elif name == "t":
            self._is_text = not self._is_aside

    def end(self, name: str) -> None:
        if name == "si":
            self.texts.append(unescaped("".join(self._parts)))
        elif name == "rPh":
            self._is_aside = False
        elif name == "t":
            self._is_text = False

    def text(self, data: str) -> None:
        if self._is_text:
            self._parts.append(data)


class Styles(Reader):
    def __init__(self) -> None:
        self.codes: dict[int, str] = {}
        self.used: list[int] = []
        self._is_list = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "numFmt":
            self.codes[count_of(attributes.get("numFmtId"))] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self._is_list = True
        elif name == "xf" and self._is_list:
            self.used.append(count_of(attributes.get("numFmtId")))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._is_list = False
