"""Small documents with what no PDF shows: hidden sheets and slides, notes for the speaker."""

import re
from collections.abc import Mapping

from tests.worker.converters.office.documents import (
    Parts,
    parts_of,
    relationship,
    relationships,
    zipped,
)

HIDDEN = "Nobody sees this"
_KIND = "application/vnd.openxmlformats-officedocument."
_MAIN = {
    "xlsx": ("xl/workbook.xml", "xl/worksheets/sheet{}.xml", "spreadsheetml.worksheet"),
    "pptx": ("ppt/presentation.xml", "ppt/slides/slide{}.xml", "presentationml.slide"),
}

_HIDING = {
    "ods": ("table", "table", "table", '<style:table-properties table:display="false"/>'),
    "odp": (
        "draw",
        "page",
        "drawing-page",
        '<style:drawing-page-properties presentation:visibility="hidden"/>',
    ),
}


def with_hidden(name: str, more: Mapping[str, str | bytes] = {}) -> bytes:
    """Return a document of two sheets or slides; the second one is hidden."""
    parts = parts_of(name) | {**more}
    if name in _MAIN:
        return zipped(_ooxml(parts, name))
    return zipped(parts | {"content.xml": _odf(str(parts["content.xml"]), name)})


def _odf(content: str, name: str) -> str:
    space, element, family, how = _HIDING[name]
    (shown,) = re.findall(rf"<{space}:{element} .*</{space}:{element}>", content)
    hidden = re.sub(r">[^<>]+</text:p>", f">{HIDDEN}</text:p>", shown)
    hidden = hidden.replace(f"{element} ", f'{element} {space}:style-name="hidden" ', 1)
    hidden = hidden.replace(f'{space}:name="', f'{space}:name="Hidden ', 1)
    style = f'<style:style style:name="hidden" style:family="{family}">{how}</style:style>'
    end = "</office:automatic-styles>"
    return content.replace(shown, shown + hidden).replace(end, style + end)


def _ooxml(parts: Parts, name: str) -> Parts:
    main, pattern, kind = _MAIN[name]
    first, second = pattern.format(1), pattern.format(2)
    folder = main.rpartition("/")[0]
    related = f"{folder}/_rels/{main.rpartition('/')[2]}.rels"
    written = relationship("rId2", kind.rpartition(".")[2], second.removeprefix(f"{folder}/"))
    hidden = re.sub(r"(<(?:a:)?t>)[^<]+", rf"\g<1>{HIDDEN}", str(parts[first]))
    listed = (
        ("</sheets>", '<sheet name="Two" sheetId="2" state="veryHidden" r:id="rId2"/></sheets>')
        if name == "xlsx"
        else ("</p:sldIdLst>", '<p:sldId id="257" r:id="rId2"/></p:sldIdLst>')
    )
    type_ = f'<Override PartName="/{second}" ContentType="{_KIND}{kind}+xml"/></Types>'
    return parts | {
        main: str(parts[main]).replace(*listed),
        second: hidden.replace("<p:sld ", '<p:sld show="0" '),
        related: str(parts[related]).replace("</Rel", f"{written}</Rel"),
        "[Content_Types].xml": str(parts["[Content_Types].xml"]).replace("</Types>", type_),
    }


def with_empty_notes(name: str) -> bytes:
    """Return a presentation whose slide has notes with nothing but the number of the page."""
    return with_speaker_notes(name, "")


def with_speaker_notes(name: str, words: str = HIDDEN) -> bytes:
    """Return a presentation whose slide has notes."""
    parts = parts_of(name)
    if name == "odp":
        frame = '<draw:frame presentation:class="{}"><draw:text-box><text:p>{}</text:p>'
        frames = frame.format("notes", words), frame.format("page-number", "7")
        notes = "".join(f"{one}</draw:text-box></draw:frame>" for one in frames)
        content = str(parts["content.xml"]).replace(
            "</draw:page>", f"<presentation:notes>{notes}</presentation:notes></draw:page>"
        )
        return zipped(parts | {"content.xml": content})
    slide = str(parts["ppt/slides/slide1.xml"])
    (shape,) = re.findall(r"<p:sp>.*</p:sp>", slide)
    body = re.sub(r"<a:p>.*</a:p>", f"<a:p><a:r><a:t>{words}</a:t></a:r></a:p>", shape)
    body = body.replace("<p:nvPr/>", '<p:nvPr><p:ph type="body" idx="1"/></p:nvPr>')
    number = body.replace('type="body"', 'type="sldNum"').replace(f"{words}</a:t>", "7</a:t>")
    notes = slide.replace(shape, body + number).replace("p:sld ", "p:notes ")
    type_ = (
        f'<Override PartName="/ppt/notesSlides/n.xml" '
        f'ContentType="{_KIND}presentationml.notesSlide+xml"/></Types>'
    )
    return zipped(
        parts
        | {
            "ppt/notesSlides/n.xml": notes.replace("</p:sld>", "</p:notes>"),
            "ppt/slides/_rels/slide1.xml.rels": relationships(
                relationship("rId1", "notesSlide", "../notesSlides/n.xml")
            ),
            "ppt/notesSlides/_rels/n.xml.rels": relationships(
                relationship("rId1", "slide", "../slides/slide1.xml")
            ),
            "[Content_Types].xml": str(parts["[Content_Types].xml"]).replace("</Types>", type_),
        }
    )
