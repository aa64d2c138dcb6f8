"""Small documents of every format with a comment."""

from tests.worker.converters.office.documents import (
    MORE,
    WORDS,
    Parts,
    odf_parts,
    paragraph,
    parts_of,
    relationship,
    relationships,
    zipped,
)

REMARK = "Which geese?"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_WHEN = 'date="2020-01-01T00:00:00Z"'
_ANNOTATION = f"<office:annotation><text:p>{REMARK}</text:p></office:annotation>"


def commented(name: str) -> bytes:
    """Return a document of a format that a hand can write."""
    match name:
        case "docx":
            return zipped(docx())
        case "rtf":
            return rtf()
        case "xlsx":
            return zipped(_xlsx())
        case "pptx":
            return zipped(_pptx())
        case "odt":
            written = f"<text:p>{_ANNOTATION}{WORDS}</text:p>"
            return zipped(odf_parts("text", f"<office:text>{written}</office:text>"))
        case "ods":
            return _with_annotation(parts_of("ods"), behind='office:value-type="string">')
        case _:
            return _with_annotation(parts_of("odp"), behind='draw:master-page-name="Plain">')


def docx(body: str = "") -> Parts:
    """Return a text of which two paragraphs are commented, one of them with an answer, closed."""
    marked = "".join(
        paragraph(words)
        + f'<w:p><w:commentRangeStart w:id="{number}"/><w:r><w:t>{words}</w:t></w:r>'
        f'<w:commentRangeEnd w:id="{number}"/>'
        f'<w:r><w:commentReference w:id="{number}"/></w:r></w:p>'
        for number, words in enumerate((WORDS, MORE, MORE))
    )
    comments = "".join(
        f'<w:comment w:id="{number}" w:author="B" w:{_WHEN}><w:p w14:paraId="0000000{number + 1}">'
        f"<w:r><w:t>{REMARK}</w:t></w:r></w:p></w:comment>"
        for number in range(3)
    )
    w14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    w15 = 'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"'
    answer = 'w15:paraId="00000003" w15:paraIdParent="00000002" w15:done="1"'
    made = _plus(
        parts_of("docx"),
        "word/comments.xml",
        f'<w:comments xmlns:w="{_WORD}" {w14}>{comments}</w:comments>',
        "wordprocessingml.comments",
    )
    made = _plus(
        made,
        "word/commentsExtended.xml",
        f'<w15:commentsEx {w15}><w15:commentEx w15:paraId="00000002" w15:done="1"/>'
        f"<w15:commentEx {answer}/></w15:commentsEx>",
        "wordprocessingml.commentsExtended",
    )
    made["word/document.xml"] = str(made["word/document.xml"]).replace(
        "</w:body>", f"{marked}{body}</w:body>"
    )
    extended = "http://schemas.microsoft.com/office/2011/relationships/commentsExtended"
    related = relationship("rId8", "comments", "comments.xml")
    related += f'<Relationship Id="rId9" Type="{extended}" Target="commentsExtended.xml"/>'
    return made | {"word/_rels/document.xml.rels": relationships(related)}


def rtf() -> bytes:
    """Return a text with a comment, as Word writes one."""
    comment = (
        r"{\*\atrfstart 1}"
        + WORDS
        + r"{\*\atrfend 1}{\*\atnid B}{\*\atnauthor Beth}\chatn{\*\annotation{\*\atnref 1}"
        + rf"{{\*\atndate 0}}\pard\plain {REMARK}}}"
    )
    return rf"{{\rtf1\ansi {comment}\par}}".encode()


def _xlsx() -> Parts:
    comments = (
        f'<comments xmlns="{_SHEET}"><authors><author>B</author></authors><commentList>'
        f'<comment ref="A1" authorId="0"><text><t>{REMARK}</t></text></comment>'
        "</commentList></comments>"
    )
    related = relationships(relationship("rId1", "comments", "../comments1.xml"))
    made = _plus(parts_of("xlsx"), "xl/comments1.xml", comments, "spreadsheetml.comments")
    return made | {"xl/worksheets/_rels/sheet1.xml.rels": related}


def _pptx() -> Parts:
    space = f'xmlns:p="{_SLIDE}"'
    comment = (
        f'<p:cmLst {space}><p:cm authorId="0" dt="2020-01-01T00:00:00" idx="1">'
        f'<p:pos x="10" y="10"/><p:text>{REMARK}</p:text></p:cm></p:cmLst>'
    )
    authors = (
        f'<p:cmAuthorLst {space}><p:cmAuthor id="0" name="B" initials="B" lastIdx="1" clrIdx="0"/>'
        "</p:cmAuthorLst>"
    )
    made = _plus(parts_of("pptx"), "ppt/comments/comment1.xml", comment, "presentationml.comments")
    made = _plus(made, "ppt/commentAuthors.xml", authors, "presentationml.commentAuthors")
    known = str(made["ppt/_rels/presentation.xml.rels"])
    written = relationship("rId8", "commentAuthors", "commentAuthors.xml")
    return made | {
        "ppt/_rels/presentation.xml.rels": known.replace("</Rel", f"{written}</Rel"),
        "ppt/slides/_rels/slide1.xml.rels": relationships(
            relationship("rId1", "comments", "../comments/comment1.xml")
        ),
    }


def _plus(parts: Parts, name: str, content: str, kind: str) -> Parts:
    """Add a part and its type to those of an OOXML document."""
    override = (
        f'<Override PartName="/{name}" '
        f'ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/></Types>'
    )
    types = str(parts["[Content_Types].xml"]).replace("</Types>", override)
    return parts | {"[Content_Types].xml": types, name: content}


def _with_annotation(parts: Parts, *, behind: str) -> bytes:
    content = str(parts["content.xml"]).replace(behind, behind + _ANNOTATION, 1)
    return zipped(parts | {"content.xml": content})
