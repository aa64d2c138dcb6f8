"""Office documents that reach for files, addresses and code; each says WORDS beside it."""

from tests import samples
from tests.worker.converters.office.documents import (
    WORDS,
    docx_parts,
    odf_parts,
    paragraph,
    parts_of,
    relationship,
    zipped,
)

RED = samples.RED
_PICTURE = (
    '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="3000000" cy="3000000"/>'
    '<wp:docPr id="1" name="p"/><a:graphic><a:graphicData '
    'uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>'
    '<pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>'
    '<a:blip {how}="rId9"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm>'
    '<a:off x="0" y="0"/><a:ext cx="3000000" cy="3000000"/></a:xfrm><a:prstGeom prst="rect">'
    "<a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline>"
    "</w:drawing></w:r></w:p>"
)


def docx_with_its_own_picture(png: bytes) -> bytes:
    """Return a document that shows a picture which it holds itself."""
    body = paragraph(WORDS) + _PICTURE.format(how="r:embed")
    relation = relationship("rId9", "image", "media/p.png")
    return zipped(docx_parts(body, relations=relation, more={"word/media/p.png": png}))


def docx_showing(address: str) -> bytes:
    body = paragraph(WORDS) + _PICTURE.format(how="r:link")
    relation = relationship("rId9", "image", address, external=True)
    return zipped(docx_parts(body, relations=relation))


def docx_including(address: str) -> bytes:
    """Return a document with fields that take in another text and another picture."""
    fields = "".join(
        f"<w:p><w:fldSimple w:instr='{kind} \"{address}\"'><w:r><w:t>old</w:t></w:r>"
        "</w:fldSimple></w:p>"
        for kind in ("INCLUDETEXT", "INCLUDEPICTURE")
    )
    return zipped(docx_parts(paragraph(WORDS) + fields))


def rtf_including(address: str) -> bytes:
    field = f'{{\\field{{\\*\\fldinst INCLUDEPICTURE "{address}" \\\\d}}{{\\fldrslt old}}}}'
    return f"{{\\rtf1\\ansi {WORDS}\\par {field}\\par}}".encode()


def odt_showing(address: str) -> bytes:
    frame = (
        '<draw:frame svg:width="8cm" svg:height="8cm" text:anchor-type="as-char">'
        f'<draw:image xlink:href="{address}" xlink:type="simple" xlink:actuate="onLoad"/>'
        "</draw:frame>"
    )
    body = f"<office:text><text:p>{WORDS}</text:p><text:p>{frame}</text:p></office:text>"
    return zipped(odf_parts("text", body))


def odt_including(address: str) -> bytes:
    section = (
        f'<text:section text:name="s"><text:section-source xlink:href="{address}"/>'
        "<text:p>old</text:p></text:section>"
    )
    return zipped(
        odf_parts("text", f"<office:text><text:p>{WORDS}</text:p>{section}</office:text>")
    )


def odp_showing(address: str) -> bytes:
    frame = (
        '<draw:frame svg:x="2cm" svg:y="9cm" svg:width="8cm" svg:height="8cm">'
        f'<draw:image xlink:href="{address}" xlink:type="simple" xlink:actuate="onLoad"/>'
        "</draw:frame></draw:page>"
    )
    parts = parts_of("odp")
    parts["content.xml"] = str(parts["content.xml"]).replace("</draw:page>", frame)
    return zipped(parts)


def ods_asking(address: str) -> bytes:
    """Return a sheet with a formula that asks the web, and one that links to another sheet."""
    formula = f"of:=WEBSERVICE(&quot;{address}&quot;)"
    cells = (
        f'<table:table-cell table:formula="{formula}" office:value-type="string">'
        "<text:p>old</text:p></table:table-cell>"
    )
    linked = (
        f'<table:table table:name="L"><table:table-source xlink:href="{address}" '
        'xlink:type="simple" table:table-name="a"/><table:table-row><table:table-cell/>'
        "</table:table-row></table:table>"
    )
    parts = parts_of("ods")
    parts["content.xml"] = (
        str(parts["content.xml"])
        .replace("</table:table-row>", cells + "</table:table-row>", 1)
        .replace("</office:spreadsheet>", linked + "</office:spreadsheet>")
    )
    return zipped(parts)


def xlsx_asking_anew(address: str) -> bytes:
    """Return one whose formulas have to be worked out as it is opened."""
    return xlsx_asking(address, calculation='<calcPr fullCalcOnLoad="1"/>')


def xlsx_asking(address: str, calculation: str = "") -> bytes:
    parts = parts_of("xlsx")
    book = "xl/workbook.xml"
    parts[book] = str(parts[book]).replace("</sheets>", f"</sheets>{calculation}")
    cell = f'<c r="C1" t="str"><f>_xlfn.WEBSERVICE("{address}")</f></c></row>'
    name = "xl/worksheets/sheet1.xml"
    parts[name] = str(parts[name]).replace("</row>", cell, 1)
    return zipped(parts)


def odt_with_macro(path: str) -> bytes:
    """Return a text whose macro, when it is opened, writes a file."""
    event = (
        "<office:scripts><office:event-listeners>"
        '<script:event-listener script:language="ooo:StarBasic" script:event-name="dom:load" '
        'script:macro-name="Standard.M.Main" script:location="document" '
        'xmlns:dom="http://www.w3.org/2001/xml-events" '
        'xmlns:ooo="http://openoffice.org/2004/office"/>'
        "</office:event-listeners></office:scripts>"
    )
    space = 'xmlns:library="http://openoffice.org/2000/library"'
    doctype = '<!DOCTYPE {0} PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "{1}.dtd">'
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    source = f"Sub Main\nOpen &quot;{path}&quot; For Output As #1\nPrint #1, 1\nClose #1\nEnd Sub"
    parts = odf_parts("text", f"<office:text><text:p>{WORDS}</text:p></office:text>", scripts=event)
    parts |= {
        "Basic/script-lc.xml": head
        + doctype.format("library:libraries", "libraries")
        + f'<library:libraries {space} xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<library:library library:name="Standard" library:link="false"/></library:libraries>',
        "Basic/Standard/script-lb.xml": head
        + doctype.format("library:library", "library")
        + f'<library:library {space} library:name="Standard" library:readonly="false" '
        'library:passwordprotected="false"><library:element library:name="M"/></library:library>',
        "Basic/Standard/M.xml": head
        + doctype.format("script:module", "module")
        + '<script:module xmlns:script="http://openoffice.org/2000/script" script:name="M" '
        f'script:language="StarBasic">{source}</script:module>',
    }
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>'
        for name in parts
        if name.startswith("Basic/")
    )
    manifest = str(parts["META-INF/manifest.xml"])
    parts["META-INF/manifest.xml"] = manifest.replace(
        "</manifest:manifest>", entries + "</manifest:manifest>"
    )
    return zipped(parts)
