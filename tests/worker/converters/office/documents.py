"""Small office documents made on the spot: every format that a hand can write, and their parts."""

import io
import zipfile
from collections.abc import Mapping

WORDS = "Twelve geese fly south"
MORE = "Grüße aus Łódź"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "svg": "svg-compatible",
        "fo": "xsl-fo-compatible",
        "presentation": "presentation",
        "script": "script",
    }.items()
)
_SPACES += (
    ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'
)
Parts = dict[str, str | bytes]


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """Return an archive; `mimetype`, and what is locked or a picture, is stored as it is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            is_stored = name == "mimetype" or isinstance(content, bytes)
            packing = zipfile.ZIP_STORED if is_stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=packing)
    return out.getvalue()


def parts_of(name: str) -> Parts:
    """Return the parts of a small document of this format."""
    match name:
        case "docx":
            return docx_parts(paragraph(WORDS) + paragraph(MORE))
        case "xlsx":
            return xlsx_parts()
        case "pptx":
            return pptx_parts()
        case "odt":
            written = f"<text:p>{WORDS}</text:p><text:p>{MORE}</text:p>"
            return odf_parts("text", f"<office:text>{written}</office:text>")
        case "ods":
            return odf_parts("spreadsheet", _ODS)
        case _:
            return odf_parts("presentation", _ODP, styles=_ODP_STYLES)


def sample(name: str) -> bytes:
    """Return a small document of this format, one that a hand can write."""
    return rtf() if name == "rtf" else zipped(parts_of(name))


def rtf(words: str = WORDS) -> bytes:
    more = "".join(one if one.isascii() else f"\\u{ord(one)}?" for one in MORE)
    return f"{{\\rtf1\\ansi {words}\\par {more}\\par}}".encode()


def paragraph(words: str) -> str:
    return f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>"


def docx_parts(body: str, *, relations: str = "", more: Mapping[str, str | bytes] = {}) -> Parts:
    """Return the parts of a Word document with this in its body."""
    document = (
        f'{_HEAD}<w:document xmlns:w="{_WORD}" xmlns:r="{_OFFICE}" xmlns:a="{_DRAWING}" '
        'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
        'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">'
        f"<w:body>{body}</w:body></w:document>"
    )
    main = {"word/document.xml": "wordprocessingml.document.main"}
    return _ooxml(main, {"word/document.xml": document}) | {
        "word/_rels/document.xml.rels": relationships(relations),
        **more,
    }


def xlsx_parts() -> Parts:
    workbook = (
        f'{_HEAD}<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}">'
        '<sheets><sheet name="Geese" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    sheet = (
        f'{_HEAD}<worksheet xmlns="{_SHEET}"><cols><col min="1" max="1" width="40" '
        'customWidth="1"/></cols><sheetData>'
        f'<row r="1"><c r="A1" t="inlineStr"><is><t>{WORDS}</t></is></c>'
        '<c r="B1"><v>12</v></c></row>'
        f'<row r="2"><c r="A2" t="inlineStr"><is><t>{MORE}</t></is></c>'
        '<c r="B2"><f>B1*2</f><v>24</v></c></row></sheetData></worksheet>'
    )
    types = {
        "xl/workbook.xml": "spreadsheetml.sheet.main",
        "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
    }
    parts = {"xl/workbook.xml": workbook, "xl/worksheets/sheet1.xml": sheet}
    relation = relationship("rId1", "worksheet", "worksheets/sheet1.xml")
    return _ooxml(types, parts) | {"xl/_rels/workbook.xml.rels": relationships(relation)}


def pptx_parts() -> Parts:
    spaces = f'xmlns:p="{_SLIDE}" xmlns:r="{_OFFICE}" xmlns:a="{_DRAWING}"'
    show = (
        f'{_HEAD}<p:presentation {spaces}><p:sldIdLst><p:sldId id="256" r:id="rId1"/>'
        '</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>'
        "</p:presentation>"
    )
    lines = "".join(f"<a:p><a:r><a:t>{words}</a:t></a:r></a:p>" for words in (WORDS, MORE))
    slide = (
        f'{_HEAD}<p:sld {spaces}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/>'
        "<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>"
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr>'
        '<p:spPr><a:xfrm><a:off x="900000" y="900000"/><a:ext cx="7000000" cy="2000000"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:lstStyle/>{lines}</p:txBody></p:sp>"
        "</p:spTree></p:cSld></p:sld>"
    )
    types = {
        "ppt/presentation.xml": "presentationml.presentation.main",
        "ppt/slides/slide1.xml": "presentationml.slide",
    }
    parts = {"ppt/presentation.xml": show, "ppt/slides/slide1.xml": slide}
    relation = relationship("rId1", "slide", "slides/slide1.xml")
    return _ooxml(types, parts) | {"ppt/_rels/presentation.xml.rels": relationships(relation)}


def odf_parts(kind: str, body: str, *, styles: str = "", scripts: str = "") -> Parts:
    """Return the parts of an OpenDocument file with this body."""
    content = (
        f'{_HEAD}<office:document-content {_SPACES} office:version="1.2">{scripts}'
        '<office:automatic-styles><style:style style:name="wide" style:family="table-column">'
        '<style:table-column-properties style:column-width="9cm"/></style:style>'
        f"</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    )
    entry = '<manifest:file-entry manifest:full-path="{}" manifest:media-type="{}"/>'
    style = (
        f'{_HEAD}<office:document-styles {_SPACES} office:version="1.2">{styles}'
        "</office:document-styles>"
    )
    listed = [("/", _ODF + kind), ("content.xml", "text/xml"), ("styles.xml", "text/xml")]
    manifest = (
        f'{_HEAD}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:'
        'manifest:1.0" manifest:version="1.2">'
        f"{''.join(entry.format(*one) for one in listed)}</manifest:manifest>"
    )
    return {
        "mimetype": _ODF + kind,
        "content.xml": content,
        "styles.xml": style,
        "META-INF/manifest.xml": manifest,
    }


def relationship(name: str, kind: str, target: str, *, external: bool = False) -> str:
    mode = ' TargetMode="External"' if external else ""
    return f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"{mode}/>'


def relationships(inside: str) -> str:
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}">{inside}</Relationships>'


def _ooxml(types: Mapping[str, str], parts: Mapping[str, str]) -> Parts:
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{_KIND}{kind}+xml"/>'
        for name, kind in types.items()
    )
    return {
        "[Content_Types].xml": (
            f'{_HEAD}<Types xmlns="{_TYPES}"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Default Extension="png" ContentType="image/png"/>{overrides}</Types>'
        ),
        "_rels/.rels": relationships(relationship("rId1", "officeDocument", next(iter(types)))),
        **parts,
    }


_ODS = (
    '<office:spreadsheet><table:table table:name="Geese"><table:table-column '
    'table:style-name="wide"/><table:table-column/>'
    f'<table:table-row><table:table-cell office:value-type="string"><text:p>{WORDS}</text:p>'
    '</table:table-cell><table:table-cell office:value-type="float" office:value="12"/>'
    '</table:table-row><table:table-row><table:table-cell office:value-type="string">'
    f"<text:p>{MORE}</text:p></table:table-cell>"
    '<table:table-cell table:formula="of:=[.B1]*2" office:value-type="float" office:value="24"/>'
    "</table:table-row></table:table></office:spreadsheet>"
)
_ODP = (
    '<office:presentation><draw:page draw:name="One" draw:master-page-name="Plain"><draw:frame '
    'svg:x="2cm" svg:y="2cm" svg:width="18cm" svg:height="6cm"><draw:text-box>'
    f"<text:p>{WORDS}</text:p><text:p>{MORE}</text:p></draw:text-box></draw:frame></draw:page>"
    "</office:presentation>"
)
_ODP_STYLES = (
    '<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties '
    'fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles>'
    '<office:master-styles><style:master-page style:name="Plain" style:page-layout-name="L"/>'
    "</office:master-styles>"
)
