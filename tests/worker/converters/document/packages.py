"""Small documents that are archives: Word, OpenDocument and EPUB."""

import io
import zipfile
from collections.abc import Mapping
from types import MappingProxyType

from tests.worker.converters.document.words import CELLS, HEADING, NOTE, WORDS, png

NOTHING: Mapping[str, str | bytes] = MappingProxyType({})

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DRAWING = """<w:drawing><wp:inline><wp:extent cx="114300" cy="76200"/>
<wp:docPr id="1" name="p" descr="the picture"/><a:graphic><a:graphicData>
<pic:pic><pic:blipFill><a:blip r:embed="rId9"/></pic:blipFill></pic:pic>
</a:graphicData></a:graphic></wp:inline></w:drawing>"""


def _cells() -> str:
    return "".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in CELLS)


def docx(more: Mapping[str, str | bytes] = NOTHING) -> bytes:
    """Return a Word document; `more` are members by their names."""
    body = f"""<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>
<w:r><w:t>{HEADING}</w:t></w:r></w:p>
<w:p><w:r><w:t>{WORDS}, then </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r>
<w:r><w:footnoteReference w:id="2"/></w:r>
<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>
</m:oMath></w:p>
<w:tbl><w:tr>{_cells()}</w:tr></w:tbl><w:p><w:r>{_DRAWING}</w:r></w:p>"""
    document = f"""<?xml version="1.0" encoding="UTF-8"?><w:document {_W} xmlns:r="{_R}"
 xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"
 xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
 xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">
<w:body>{body}</w:body></w:document>"""
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": f"""<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="png" ContentType="image/png"/>
<Override PartName="/word/document.xml" ContentType="application/\
vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>""",
        "_rels/.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_R}/officeDocument" Target="word/document.xml"/></Relationships>""",
        "word/_rels/document.xml.rels": f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId2" Type="{_R}/footnotes" Target="footnotes.xml"/>
<Relationship Id="rId3" Type="{_R}/styles" Target="styles.xml"/>
<Relationship Id="rId9" Type="{_R}/image" Target="media/image1.png"/></Relationships>""",
        "word/document.xml": document,
        "word/footnotes.xml": f"""<w:footnotes {_W}><w:footnote w:id="2"><w:p><w:r><w:t>{NOTE}</w:t>
</w:r></w:p></w:footnote></w:footnotes>""",
        "word/styles.xml": f"""<w:styles {_W}><w:style w:type="paragraph" w:styleId="Heading1">
<w:name w:val="heading 1"/></w:style></w:styles>""",
        "word/media/image1.png": png(),
    }
    return archive({**members, **more})


_O = "urn:oasis:names:tc:opendocument:xmlns"
ODT_TYPE = "application/vnd.oasis.opendocument.text"


def odt(more: Mapping[str, str | bytes] = NOTHING) -> bytes:
    """Return an OpenDocument text; `more` are members by their names."""
    body = f"""<text:h text:outline-level="1">{HEADING}</text:h>
<text:p>{WORDS}, then bold.<text:note text:note-class="footnote"><text:note-citation>1
</text:note-citation><text:note-body><text:p>{NOTE}</text:p></text:note-body></text:note></text:p>
<table:table><table:table-column table:number-columns-repeated="2"/><table:table-row>
<table:table-cell><text:p>{CELLS[0]}</text:p></table:table-cell>
<table:table-cell><text:p>{CELLS[1]}</text:p></table:table-cell></table:table-row></table:table>
<text:p><draw:frame svg:width="1cm" svg:height="1cm"><draw:image xlink:href="Pictures/a.png"/>
</draw:frame></text:p>"""
    members: dict[str, str | bytes] = {
        "mimetype": ODT_TYPE,
        "META-INF/manifest.xml": f"""<manifest:manifest xmlns:manifest="{_O}:manifest:1.0">
<manifest:file-entry manifest:full-path="/" manifest:media-type="{ODT_TYPE}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>
</manifest:manifest>""",
        "content.xml": f"""<?xml version="1.0"?><office:document-content
 xmlns:office="{_O}:office:1.0" xmlns:text="{_O}:text:1.0" xmlns:table="{_O}:table:1.0"
 xmlns:draw="{_O}:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:svg="{_O}:svg-compatible:1.0"><office:body><office:text>{body}
</office:text></office:body></office:document-content>""",
        "styles.xml": f"""<?xml version="1.0"?><office:document-styles
 xmlns:office="{_O}:office:1.0" xmlns:style="{_O}:style:1.0"><office:font-face-decls/>
<office:styles/><office:automatic-styles/><office:master-styles/></office:document-styles>""",
        "Pictures/a.png": png(),
    }
    return archive({**members, **more}, stored=("mimetype",))


OPF = """<?xml version="1.0"?><package version="3.0" unique-identifier="i"
 xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="i">urn:x:1</dc:identifier><dc:title>t</dc:title><dc:language>en</dc:language>
</metadata><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>
<item id="p" href="images/a.png" media-type="image/png"/></manifest>
<spine><itemref idref="c"/></spine></package>"""


def epub(more: Mapping[str, str | bytes] = NOTHING) -> bytes:
    """Return an EPUB of one chapter; `more` are members by their names."""
    body = f"""<h1>{HEADING}</h1><p>{WORDS}, then <b>bold</b>. ({NOTE})</p>
<table><tr><td>{CELLS[0]}</td><td>{CELLS[1]}</td></tr></table>
<p><img src="images/a.png" alt="the picture"/></p>"""
    members: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": """<?xml version="1.0"?><container version="1.0"
 xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile
 full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>""",
        "OEBPS/content.opf": OPF,
        "OEBPS/c.xhtml": f"""<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head>
<body>{body}</body></html>""",
        "OEBPS/images/a.png": png(),
    }
    return archive({**members, **more}, stored=("mimetype",))


def archive(members: Mapping[str, str | bytes], *, stored: tuple[str, ...] = ()) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            method = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            packed.writestr(zipfile.ZipInfo(name), content, method)
    return out.getvalue()
