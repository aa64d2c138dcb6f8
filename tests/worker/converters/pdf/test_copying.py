"""A document becomes a document: nothing is lost unsaid, and nothing stays that was left out."""

import io
import re
from collections.abc import Callable

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, OutlineItem, String

from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting

TEXTS = ("alpha", "beta", "gamma")


def _changed(change: Callable[[pikepdf.Pdf], None], content: bytes | None = None) -> bytes:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(content or documents.document(*TEXTS))) as pdf:
        change(pdf)
        pdf.save(out)
    return out.getvalue()


def _furnish(pdf: pikepdf.Pdf) -> None:
    """Give the document what belongs to it as a whole, and to its pages."""
    with pdf.open_metadata() as metadata:
        metadata["dc:creator"] = ["Ada"]
    pdf.docinfo["/Title"] = "The whole title"
    pdf.attachments["data.csv"] = pikepdf.AttachedFileSpec(pdf, b"a,b")
    pdf.Root.Lang = String("en-GB")
    pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.r), 1, Dictionary(S=Name.D)]))
    with pdf.open_outline() as outline:
        outline.root.extend(OutlineItem(f"To {text}", place) for place, text in enumerate(TEXTS))
    for place, page in enumerate(pdf.pages):
        page.obj.Annots = Array([_link(pdf, to=(place + 1) % 3)])


def _link(pdf: pikepdf.Pdf, *, to: int) -> pikepdf.Object:
    target = Array([pdf.pages[to].obj, Name.Fit])
    box = Array([0, 0, 10, 10])
    return pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=box, Dest=target))


def _everything(content: bytes) -> bytes:
    """Return every object of a file, unpacked."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        parts = []
        for one in pdf.objects:
            if isinstance(one, pikepdf.Stream):
                parts.append(one.read_bytes())
            parts.append(pikepdf.Object.unparse(one, resolved=True) if one is not None else b"")
    return b"\n".join(parts)


def test_all_pages_keep_all_there_is(converting: Converting) -> None:
    content = _changed(_furnish)

    result = converting(content, "pdf")

    with result.pdf as copy, pikepdf.open(io.BytesIO(content)) as original:
        assert len(copy.objects) == len(original.objects)
        assert set(copy.Root.keys()) == set(original.Root.keys())
        assert str(copy.docinfo["/Title"]) == "The whole title"
        assert copy.attachments["data.csv"].get_file().read_bytes() == b"a,b"
        assert not copy.is_linearized
    assert result.notes == ""


def test_chosen_pages_keep_what_belongs_to_them_and_to_the_whole(converting: Converting) -> None:
    result = converting(_changed(_furnish), "pdf", pages="3,1")

    with result.pdf as copy:
        assert len(copy.pages) == 2
        assert str(copy.docinfo["/Title"]) == "The whole title"
        assert "Ada" in copy.open_metadata()["dc:creator"]
        assert str(copy.Root.Lang) == "en-GB"
        assert copy.attachments["data.csv"].get_file().read_bytes() == b"a,b"
        assert [page.label for page in copy.pages] == ["2", "i"]
        with copy.open_outline() as outline:
            assert [item.title for item in outline.root] == ["To alpha", "To gamma"]
            first = outline.root[0].destination
        assert isinstance(first, Array)
        assert first[0].objgen == copy.pages[1].obj.objgen
        assert copy.pages[0].Annots[0].Dest[0].objgen == copy.pages[1].obj.objgen
    assert converting(result.path, "txt").text == "gamma\n\falpha\n"
    assert result.notes == "Bookmarks that lead to none of the chosen pages were left out."


@pytest.mark.parametrize("options", [{}, {"pages": "2"}])
def test_what_pages_have_in_common_stays_with_each(
    converting: Converting, options: dict[str, str]
) -> None:
    common = b"/Type/Pages/MediaBox[0 0 300 90]/Rotate 90/Resources<</Font<</F 3 0 R>>>>"
    content = documents.document("one", "two", page=b"/Resources 99 0 R")
    content = content.replace(b"/MediaBox[0 0 200 100]", b"").replace(b"/Resources 99 0 R", b"")
    content = documents.saved(content.replace(b"/Type/Pages", common))

    result = converting(content, "pdf", **options)

    assert converting(result.path, "txt").text.endswith("two\n")
    assert converting(result.path, "png", dpi=72, pages="1").image.size == (90, 300)


@pytest.mark.parametrize("pages", ["1", "1,3", "3,1"])
def test_nothing_stays_of_a_page_that_was_left_out(converting: Converting, pages: str) -> None:
    """Links and bookmarks lead to it, so that deleting it would only put it out of sight."""
    content = _changed(_furnish)
    assert b"(beta)" in _everything(content)

    result = converting(content, "pdf", pages=pages)

    left = _everything(result.path.read_bytes())
    assert b"(alpha)" in left
    assert b"(beta)" not in left
    assert b"To beta" not in left


def _share_a_field(pdf: pikepdf.Pdf) -> None:
    """Give page 1 and page 2 a part each of one field, and page 2 one that is its own."""
    whole = pdf.make_indirect(Dictionary(T=String("shared")))
    parts = []
    for place, value in ((0, "first"), (1, "second")):
        part = _widget(pdf, place, T=String(value), V=String(f"value-{value}"), Parent=whole)
        parts.append(part)
    own = _widget(pdf, 1, T=String("own"), V=String("value-own"))
    whole.Kids = Array(parts)
    for place, annotations in ((0, [parts[0]]), (1, [parts[1], own])):
        pdf.pages[place].obj.Annots = Array(annotations)
    pdf.Root.AcroForm = pdf.make_indirect(Dictionary(Fields=Array([whole, own])))


def _widget(pdf: pikepdf.Pdf, place: int, **entries: pikepdf.Object) -> pikepdf.Object:
    box = Array([10, 10, 90, 30])
    return pdf.make_indirect(
        Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            FT=Name.Tx,
            Rect=box,
            P=pdf.pages[place].obj,
            **entries,  # type: ignore[arg-type]
        )
    )


def test_fields_of_other_pages_do_not_come_along(converting: Converting) -> None:
    result = converting(_changed(_share_a_field), "pdf", pages="1")

    left = _everything(result.path.read_bytes())
    assert re.findall(rb"value-(\w+)", left) == [b"first"]
    with result.pdf as copy:
        assert [field.fully_qualified_name for field in copy.acroform.fields] == ["shared.first"]


def test_a_form_stays_a_form(converting: Converting) -> None:
    content = documents.joined(documents.form(), documents.document("other"))

    result = converting(content, "pdf", pages="1")

    assert converting(result.path, "txt").text.split() == ["Name:", "Lovelace", "APPROVED"]
    with result.pdf as copy:
        assert [field.fully_qualified_name for field in copy.acroform.fields] == ["name"]


def test_a_signature_that_no_longer_holds_is_spoken_of(converting: Converting) -> None:
    result = converting(documents.form(catalogue=b"/SigFlags 3"), "pdf")

    assert result.notes == "The digital signature no longer holds: it was for the file as it was."


def test_tags_that_are_left_out_are_spoken_of(converting: Converting) -> None:
    content = documents.document(
        *TEXTS,
        catalogue=b"/StructTreeRoot 4 0 R/MarkInfo<</Marked true>>",
        more={4: b"<</Type/StructTreeRoot/K 5 0 R>>", 5: b"<</S/P/ActualText(beta)/Pg 12 0 R>>"},
    )

    chosen = converting(content, "pdf", pages="1")

    assert "The tags that screen readers follow were left out" in chosen.notes
    assert b"(beta)" not in _everything(chosen.path.read_bytes())
    assert converting(content, "pdf").notes == ""


def test_links_into_nothing_are_spoken_of(converting: Converting) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        link = _link(pdf, to=1)
        link.Dest = String("chapter")
        pdf.pages[0].obj.Annots = Array([link])
        target = Array([pdf.pages[1].obj, Name.Fit])
        pdf.Root.Names = Dictionary(Dests=Dictionary(Names=Array([String("chapter"), target])))

    result = converting(_changed(change), "pdf", pages="1")

    assert result.notes == "Links to pages that were not chosen lead nowhere now."


def test_progress_is_told_while_it_is_written(converting: Converting) -> None:
    content = documents.document(*(f"page {number}" for number in range(600)))

    told = converting(content, "pdf").told

    values = [value for value, _ in told]
    assert values == sorted(values)
    assert {stage for _, stage in told} <= {"", "opening", "copying", "writing"}
