"""Files that ask for what others have, in every way that their formats know; each says WORDS too.

A maker gets the ways to what others have (looting.ways_to): files first, the web last.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.worker.converters.document import packages
from tests.worker.converters.office import documents as office
from tests.worker.converters.office import hostile
from tests.worker.converters.office.documents import WORDS
from tests.worker.converters.pdf import documents as pages

Maker = Callable[[Sequence[str]], bytes]


@dataclass(frozen=True)
class Lure:
    make: Maker
    source: str
    target: str
    kind: str


def repeated(piece: str, *, within: str) -> Maker:
    """Return a maker of a text with this piece for each way, within another."""
    return lambda ways: within.replace(
        "@@", "".join(piece.replace("@", way) for way in ways)
    ).encode()


def first(make: Callable[[str], bytes]) -> Maker:
    return lambda ways: make(ways[0])


def last(make: Callable[[str], bytes]) -> Maker:
    return lambda ways: make(ways[-1])


def drawing(ways: Sequence[str]) -> bytes:
    shown = "".join(f'<image xlink:href="{way}" width="64" height="64"/>' for way in ways)
    space = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {space} width="64" height="64">{shown}</svg>'.encode()


def postscript(ways: Sequence[str]) -> bytes:
    """Return a picture for which LibreOffice looks for programs: gs, convert, pstoedit."""
    read = "".join(f"({way}) (r) file 100 string readstring pop show " for way in ways)
    head = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 64 64\n"
    return f"{head}/F findfont setfont (%pipe%id) (r) file pop {read}showpage\n".encode()


def epub_asking(ways: Sequence[str]) -> bytes:
    entity = f'<!DOCTYPE html [<!ENTITY e SYSTEM "{ways[0]}">]>'
    page = "".join(f'<img src="{way}"/><iframe src="{way}"></iframe>' for way in ways)
    head = f'<head><title>t</title><link rel="stylesheet" href="{ways[0]}"/></head>'
    body = f"{head}<body><p>{WORDS} &e;</p>{page}</body></html>"
    start = f'<?xml version="1.0"?>{entity}<html xmlns="http://www.w3.org/1999/xhtml">'
    return packages.epub({"OEBPS/c.xhtml": start + body})


def odt_framing(what: str, *, its_own: Maker | None = None, name: str = "Pictures/a.svg") -> Maker:
    """Return a maker of a text that shows things as this, or a picture of its own that asks."""
    frame = (
        '<text:p><draw:frame svg:width="3cm" svg:height="3cm" text:anchor-type="as-char">'
        f'<draw:{what} xlink:href="@" xlink:type="simple" xlink:actuate="onLoad"/></draw:frame>'
        "</text:p>"
    )

    def make(ways: Sequence[str]) -> bytes:
        shown = "".join(frame.replace("@", way) for way in ([name] if its_own else ways))
        body = f"<office:text><text:p>{WORDS}</text:p>{shown}</office:text>"
        return office.zipped(office.odf_parts("text", body) | {name: (its_own or drawing)(ways)})

    return make


def docx_of_a_template(ways: Sequence[str]) -> bytes:
    """Return a text whose template, and the objects in whose body, lie in other files."""
    objects, relations = "", office.relationship("rId1", "settings", "settings.xml")
    for number, way in enumerate(ways, start=20):
        relations += office.relationship(f"rId{number}", "oleObject", way, external=True)
        relations += office.relationship(f"rId{number + 20}", "aFChunk", way, external=True)
        objects += (
            '<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" '
            f'Type="Link" ProgID="Word.Document" r:id="rId{number}" UpdateMode="Always"/>'
            f'</w:object></w:r></w:p><w:altChunk r:id="rId{number + 20}"/>'
        )
    parts = office.docx_parts(office.paragraph(WORDS) + objects, relations=relations)
    space = str(parts["word/document.xml"]).partition("<w:document ")[2].partition(">")[0]
    template = office.relationship("rId1", "attachedTemplate", ways[0], external=True)
    settings = f'<w:settings {space}><w:attachedTemplate r:id="rId1"/></w:settings>'
    more = {"settings.xml": settings, "_rels/settings.xml.rels": office.relationships(template)}
    return office.zipped(parts | {f"word/{name}": part for name, part in more.items()})


def xlsx_linking(ways: Sequence[str]) -> bytes:
    """Return a workbook with links to others and connections that would bring in texts."""
    parts = office.parts_of("xlsx")
    space = str(parts["xl/workbook.xml"]).partition("<workbook ")[2].partition(">")[0]
    links, sources = "", ""
    for number, way in enumerate(ways, start=1):
        name = f"externalLinks/externalLink{number}.xml"
        links += office.relationship(f"rId{number + 1}", "externalLink", name)
        sources += (
            f'<connection id="{number}" name="c{number}" type="6" refreshOnLoad="1">'
            f'<textPr sourceFile="{way}"/><webPr url="{way}"/></connection>'
        )
        parts[f"xl/{name}"] = f'<externalLink {space}><externalBook r:id="rId1"/></externalLink>'
        parts[f"xl/externalLinks/_rels/externalLink{number}.xml.rels"] = office.relationships(
            office.relationship("rId1", "externalLinkPath", way, external=True)
        )
    parts["xl/connections.xml"] = f"<connections {space}>{sources}</connections>"
    linked = '<c r="C1" t="str"><f>[1]Sheet1!A1</f></c></row>'
    for name, end, more in (
        ("xl/_rels/workbook.xml.rels", "</Relationships>", links + "</Relationships>"),
        ("xl/worksheets/sheet1.xml", "</row>", linked),
    ):
        parts[name] = str(parts[name]).replace(end, more, 1)
    return office.zipped(parts)


def pdf_naming(ways: Sequence[str]) -> bytes:
    """Return a page whose streams and actions are said to lie in other files."""
    files = [way.encode() for way in ways]
    picture = b"/Type/XObject/Subtype/Image/Width 64/Height 64/BitsPerComponent 8"
    group = b"/Type/XObject/Subtype/Form/BBox[0 0 64 64]/Ref<</F(%b)/Page 0>>"
    more, named = {}, b""
    for number, file in enumerate(files):
        more[100 + number] = pages.stream(
            b"", picture + b"/ColorSpace/DeviceRGB/F(%b)/FFilter/FlateDecode" % file
        )
        more[200 + number] = pages.stream(b"", group % file)
        more[300 + number] = b"<</Type/Filespec/F(%b)/EF<</F 100 0 R>>>>" % file
        named += b"/P%d %d 0 R/G%d %d 0 R" % (number, 100 + number, number, 200 + number)
    drawn = b"".join(b"q 64 0 0 64 0 0 cm /P%d Do Q /G%d Do " % (n, n) for n in range(len(files)))
    actions = b"".join(
        b"<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/%b/F(%b)/D[0/Fit]/NewWindow true>>>>"
        % (kind, file)
        for file in files
        for kind in (b"GoToR", b"Launch", b"ImportData", b"SubmitForm")
    )
    return pages.document(
        drawn + pages.shown(WORDS, size=10),
        page=b"/Resources<</XObject<<%b>>/Font<</F 3 0 R>>>>/Annots[%b]" % (named, actions),
        catalogue=b"/OpenAction<</S/Launch/F(%b)>>/Names<</EmbeddedFiles<</Names[(a) 300 0 R]>>>>"
        % files[0],
        more=more,
    )


HTML = repeated(
    '<link rel="stylesheet" href="@"><script src="@"></script><style>@import url("@");</style>'
    '<p style="background: url(@)">p</p><img src="@" srcset="@ 2x"><iframe src="@"></iframe>'
    '<object data="@"></object><embed src="@"><video src="@" poster="@"></video>'
    '<audio src="@"></audio><svg width="9" height="9"><image href="@"/></svg>',
    within=f"<html><head><title>t</title></head><body><p>{WORDS}</p>@@</body></html>",
)
MD = repeated("\n\n![x](@)", within=f"{WORDS} @@\n")
RST = repeated("\n\n.. include:: @\n\n.. image:: @", within=f"{WORDS}@@\n")
ORG = repeated('\n\n#+INCLUDE: "@"\n\n[[@]]', within=f"{WORDS}@@\n")
TEX = repeated(
    r" \input{@} \includegraphics{@} \verbatiminput{@}",
    within=rf"\documentclass{{article}}\begin{{document}}{WORDS}@@\end{{document}}",
)
ROWS = repeated('\n"=WEBSERVICE(""@"")",=@#$A.A1', within=f"a,b\n{WORDS},1@@\n")
OBJECTS = repeated(
    ',\n{"a": "x", "$ref": "@", "$include": {"href": "@"}}', within=f'[{{"a": "{WORDS}"}}@@]'
)

LURES: dict[str, Lure] = {
    "md": Lure(MD, "md", "html", "document"),
    "rst": Lure(RST, "rst", "docx", "document"),
    "org": Lure(ORG, "org", "epub", "document"),
    "tex": Lure(TEX, "tex", "docx", "document"),
    "html to docx": Lure(HTML, "html", "docx", "document"),
    "html to pdf": Lure(HTML, "html", "pdf", "document"),
    "epub": Lure(epub_asking, "epub", "html", "document"),
    "odt": Lure(odt_framing("image"), "odt", "html", "document"),
    "pdf to txt": Lure(pdf_naming, "pdf", "txt", "pdf"),
    "pdf to pdf": Lure(pdf_naming, "pdf", "pdf", "pdf"),
    "xlsx": Lure(xlsx_linking, "xlsx", "csv", "table"),
    "xlsx, web": Lure(last(hostile.xlsx_asking), "xlsx", "csv", "table"),
    "ods": Lure(first(hostile.ods_asking), "ods", "csv", "table"),
    "ods, web": Lure(last(hostile.ods_asking), "ods", "csv", "table"),
    "csv": Lure(ROWS, "csv", "json", "table"),
    "json": Lure(OBJECTS, "json", "csv", "table"),
    "office, docx": Lure(first(hostile.docx_showing), "docx", "pdf", "office"),
    "office, docx, web": Lure(last(hostile.docx_showing), "docx", "pdf", "office"),
    "office, docx, template": Lure(docx_of_a_template, "docx", "pdf", "office"),
    "office, odt": Lure(odt_framing("image"), "odt", "pdf", "office"),
    "office, odt, object": Lure(odt_framing("object"), "odt", "pdf", "office"),
    "office, odt, frame": Lure(odt_framing("floating-frame"), "odt", "pdf", "office"),
    "office, odt, sound": Lure(odt_framing("plugin"), "odt", "pdf", "office"),
    "office, odt, drawing": Lure(odt_framing("image", its_own=drawing), "odt", "pdf", "office"),
    "office, odt, PostScript": Lure(
        odt_framing("image", its_own=postscript, name="Pictures/a.eps"), "odt", "pdf", "office"
    ),
    "office, xlsx": Lure(xlsx_linking, "xlsx", "pdf", "office"),
    "office, rtf": Lure(first(hostile.rtf_including), "rtf", "pdf", "office"),
}
