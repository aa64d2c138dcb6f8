"""Looks at an OOXML or OpenDocument file: every part whole, the right kind, and no password."""

import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from xml.parsers import expat

from worker.converters import packed
from worker.converters.compound import MAGIC
from worker.converters.limits import Limits
from worker.converters.office.binary import is_locked
from worker.converters.office.cells import Attributes, OdfCells, OoxmlCells
from worker.converters.office.extent import Extent, Room, room_of
from worker.converters.office.glance import Glance
from worker.converters.office.hearing import HEARD, OdfContent, OoxmlPart
from worker.converters.office.refusal import damaged, foreign, locked
from worker.converters.office.seen import Seen
from worker.converters.refusal import Refusal

_CHUNK = 256 * 1024
_OOXML = {"docx": "document", "xlsx": "workbook", "pptx": "presentation"}
_ODF = {
    "odt": b"application/vnd.oasis.opendocument.text",
    "ods": b"application/vnd.oasis.opendocument.spreadsheet",
    "odp": b"application/vnd.oasis.opendocument.presentation",
}
_MAIN = "/officeDocument"  # how the relationship to the main part of an OOXML file ends
_PAGES = ("worksheet", "slide")
_FORMULA = b":oMath"  # an element, with whichever prefix
_ODF_FORMULA = "application/vnd.oasis.opendocument.formula"
_CLICKED = ("a", "hyperlink")  # these are fetched only when somebody clicks on them
Start = Callable[[str, Attributes], None]


def look(source: Path, source_format: str, *, limits: Limits, target_format: str) -> Seen:
    """Return what is worth telling about the document; raise Refusal unless all can be read."""
    with source.open("rb") as file:
        head = file.read(8)
    if head == MAGIC and is_locked(source):  # the name says docx, the bytes say otherwise
        raise locked()
    if not head.startswith(b"PK"):
        raise foreign(source_format)
    if refused := packed.check(source, limits=limits):
        raise Refusal(refused.code, refused.detail or "")
    try:
        with zipfile.ZipFile(source) as archive:
            document = _Document(archive, source_format, room_of(target_format))
            seen = document.ooxml() if source_format in _OOXML else document.odf()
            document.extent.check(target_format)
            return seen
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise damaged(source_format, "it cannot be unpacked") from error


class _Document:
    def __init__(self, archive: zipfile.ZipFile, source_format: str, room: Room) -> None:
        self.extent = Extent()
        self._archive = archive
        self._format = source_format
        self._room = room
        self._names = set(archive.namelist())
        self._lower = {f"/{name}".lower() for name in self._names}
        self._seen = Seen()
        self._main = ""

    def ooxml(self) -> Seen:
        """Follow the relationships to the main part (ECMA-376 part 2, 8.2), then read all of it."""
        self._parse("_rels/.rels", self._note_main)
        main = self._main
        if self._parse(main) != _OOXML[self._format]:
            raise foreign(self._format)
        folder = main.rpartition("/")[0] + "/"
        for name in sorted(self._names - {main}):
            if name == f"{folder}_rels/{main.removeprefix(folder)}.rels":
                self._parse(name, partial(self._need_pages, folder))
            elif name.endswith(".rels") and name != "_rels/.rels":
                self._parse(name, self._note_elsewhere)
            elif name.startswith(folder) and name.endswith(".xml"):
                self._read_part(name)
            self._seen.macros |= name.endswith("vbaProject.bin")
        return self._seen

    def odf(self) -> Seen:
        """Read the type, the manifest and the parts that make up the document (ODF 1.3 part 2)."""
        said = self._content("mimetype").strip() if "mimetype" in self._names else b""
        if said and said.removesuffix(b"-template") != _ODF[self._format]:
            raise foreign(self._format)
        if "META-INF/manifest.xml" in self._names:
            self._parse("META-INF/manifest.xml", self._note_listed)
        if self._seen.locked:
            return self._seen
        if "content.xml" not in self._names:
            raise damaged(self._format, "its text is missing")
        if self._read_content() != "document-content":
            raise damaged(self._format, "its text makes no sense")
        for name in ("styles.xml", "meta.xml", "settings.xml"):
            if name in self._names:
                self._parse(name)
        self._seen.macros = any(
            name.startswith(("Basic/", "Scripts/")) and not name.endswith("/")
            for name in self._names
        )
        return self._seen

    def _read_part(self, name: str) -> None:
        glance = Glance(self._room)
        self._parse(name, glance=glance)
        if glance.is_suspicious:
            cells = OoxmlCells(self.extent)
            self._parse(name, cells.start, cells.text)

    def _read_content(self) -> str:
        hearing, cells = OdfContent(self._seen), OdfCells(self.extent)
        is_workbook = self._format == "ods"

        def start(name: str, attributes: Attributes) -> None:
            self._note_shown(name, attributes)
            hearing.start(name, attributes)
            if is_workbook:
                cells.start(name, attributes)

        return self._parse("content.xml", start, cells.text if is_workbook else hearing.text)

    def _note_main(self, name: str, attributes: Attributes) -> None:
        if name == "Relationship" and attributes.get("Type", "").endswith(_MAIN):
            self._main = attributes.get("Target", "").removeprefix("/")

    def _need_pages(self, folder: str, name: str, attributes: Attributes) -> None:
        """Miss a sheet or a slide, instead of which LibreOffice would make an empty one."""
        self._note_elsewhere(name, attributes)
        if attributes.get("Type", "").rpartition("/")[2] in _PAGES:
            target = posixpath.normpath(posixpath.join("/" + folder, attributes.get("Target", "")))
            if target.lower() not in self._lower:
                raise damaged(self._format, "a part of it is missing")

    def _note_elsewhere(self, _name: str, attributes: Attributes) -> None:
        kind = attributes.get("Type", "").rpartition("/")[2]
        if attributes.get("TargetMode") == "External" and kind not in _CLICKED:
            self._seen.elsewhere += 1

    def _note_listed(self, name: str, attributes: Attributes) -> None:
        self._seen.locked |= name == "encryption-data"
        self._seen.formulas |= attributes.get("media-type") == _ODF_FORMULA

    def _note_shown(self, name: str, attributes: Attributes) -> None:
        target = attributes.get("href", "")
        if name not in _CLICKED and ":" in target.split("/")[0]:
            self._seen.elsewhere += 1

    def _parse(
        self,
        name: str,
        start: Start | None = None,
        text: Callable[[str], None] | None = None,
        *,
        glance: Glance | None = None,
    ) -> str:
        """Read a part to its end and return the name of its root; Refusal if it is no XML."""
        if name not in self._names:
            raise foreign(self._format)
        root: list[str] = []

        def begin(full: str, attributes: Attributes) -> None:
            nonlocal start
            if not root:
                root.append(_local(full))
                if start is None and root[0] in HEARD:
                    part = OoxmlPart(self._seen)
                    start, parser.CharacterDataHandler = part.start, part.text
                if start is None:
                    parser.StartElementHandler = None  # no call for each of a million cells
            if start is not None:
                start(_local(full), {_local(key): value for key, value in attributes.items()})

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = begin
        parser.CharacterDataHandler = text
        parser.EntityDeclHandler = self._refuse_entities
        rest = b""
        try:
            for chunk in self._chunks(name):
                parser.Parse(chunk)
                self._seen.formulas |= _FORMULA in rest + chunk
                rest = chunk[1 - len(_FORMULA) :]
                if glance is not None and root:
                    glance.take(root[0], chunk)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise damaged(self._format, "a part of it breaks off or makes no sense") from error
        return root[0]

    def _refuse_entities(self, *_declared: object) -> None:
        raise Refusal(
            "unsupported_content",
            "The document defines abbreviations of its own (XML entities), which can stand for "
            "more than fits anywhere; save it anew with your office program.",
        )

    def _content(self, name: str) -> bytes:
        return b"".join(self._chunks(name))

    def _chunks(self, name: str) -> Iterator[bytes]:
        with self._archive.open(name) as member:
            while chunk := member.read(_CHUNK):
                yield chunk


def _local(full: str) -> str:
    return full.rpartition(" ")[2]
