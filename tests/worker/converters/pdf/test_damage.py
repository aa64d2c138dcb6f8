"""Damaged documents: what can be repaired is, and said to be; the rest is refused."""

import io

import pikepdf
import pytest

from app.formats.pdf import PDF
from tests import samples
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting

WHOLE = documents.document("one", "two", "three")
SAYS = "The file is damaged."


@pytest.mark.parametrize("target", PDF.targets)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(WHOLE[: WHOLE.index(b"xref")], id="without its table"),
        pytest.param(WHOLE.replace(b"startxref\n", b"startxref\n9"), id="table elsewhere"),
        pytest.param(WHOLE.replace(b"0000000", b"0000007"), id="wrong offsets"),
        pytest.param(b"noise\n" * 40 + WHOLE[: WHOLE.index(b"xref")], id="noise before it"),
    ],
)
def test_what_can_be_repaired_is(converting: Converting, content: bytes, target: str) -> None:
    result = converting(content, target)

    assert (result.facts["pages"], result.facts["of_pages"]) == (3, 3)
    assert SAYS in result.notes
    if target == "txt":
        assert result.text == "one\n\ftwo\n\fthree\n"


@pytest.mark.parametrize("target", PDF.targets)
def test_a_wrong_number_of_pages_is_put_right(converting: Converting, target: str) -> None:
    result = converting(WHOLE.replace(b"/Count 3", b"/Count 9"), target)

    assert (result.facts["pages"], result.facts["of_pages"]) == (3, 3)
    assert SAYS in result.notes


@pytest.mark.parametrize("target", PDF.targets)
def test_a_page_that_is_not_there_is_left_out(converting: Converting, target: str) -> None:
    content = WHOLE.replace(b"/Kids[10 0 R 12 0 R 14 0 R]", b"/Kids[10 0 R 99 0 R 14 0 R]")

    result = converting(content, target)

    assert (result.facts["pages"], result.facts["of_pages"]) == (2, 2)
    assert SAYS in result.notes


@pytest.mark.parametrize("target", PDF.targets)
def test_a_document_somewhere_inside_other_bytes_is_none(
    converting: Converting, target: str
) -> None:
    """Readers look for the beginning in the first kilobyte; qpdf would search gigabytes for it."""
    refused = converting(b"noise\n" * 400 + WHOLE, target).refused

    assert refused.code == "corrupt_input"
    assert "not a PDF at all" in str(refused.detail)


def test_a_repaired_copy_is_sound(converting: Converting) -> None:
    copy = converting(WHOLE[: WHOLE.index(b"xref")], "pdf")

    assert converting(copy.path, "txt").text == "one\n\ftwo\n\fthree\n"
    assert converting(copy.path, "txt").notes == ""


def test_the_beginning_of_a_large_document_is_saved(converting: Converting) -> None:
    """What counts stands at the front in many files, and PDFium alone would find nothing."""
    noise = samples.noise((600, 400)).tobytes()
    photo = documents.picture_page(noise, "/Width 600/Height 400/ColorSpace/DeviceRGB")
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(photo)) as pdf:
        with pikepdf.open(io.BytesIO(WHOLE)) as other:
            pdf.pages[:0] = [other.pages[0]]
        pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    assert len(out.getvalue()) > 300_000

    result = converting(out.getvalue()[:20_000], "txt")

    assert result.text.startswith("one\n")
    assert SAYS in result.notes


@pytest.mark.parametrize("target", ["png", "txt"])
def test_pages_that_are_cut_are_named(converting: Converting, target: str) -> None:
    packed = documents.saved(documents.document("one", "two", "three" * 300))
    content = _with_broken_stream(packed, page=1)

    result = converting(content, target)

    assert "The content of page 2 is cut short or missing." in result.notes
    assert result.facts["pages"] == 3


@pytest.mark.parametrize("target", ["png", "txt"])
def test_a_document_of_which_nothing_is_left_is_refused(
    converting: Converting, target: str
) -> None:
    content = _with_broken_stream(documents.saved(documents.document("one", "two")), page=1)

    refused = converting(content, target, pages="2").refused

    assert refused.code == "corrupt_input"
    assert "could not be repaired" in str(refused.detail)


@pytest.mark.parametrize("target", ["png", "txt", "pdf"])
def test_what_was_encrypted_and_lost_its_key_is_not_taken_for_a_document(
    converting: Converting, target: str
) -> None:
    """The key stands at the end of the file; without it everything is noise."""
    content = documents.locked(documents.document("one"), owner="x")
    end = content.rindex(b"trailer" if b"trailer" in content else b"startxref")

    assert converting(content[: end - 200], target).refused.code == "corrupt_input"


@pytest.mark.parametrize("target", PDF.targets)
def test_pages_in_a_circle_end_somewhere(converting: Converting, target: str) -> None:
    circle = WHOLE.replace(b"/Kids[10 0 R 12 0 R 14 0 R]", b"/Kids[2 0 R 12 0 R 14 0 R ]")

    outcome = converting(circle, target)

    assert outcome.refused.code == "corrupt_input"


@pytest.mark.parametrize("target", ["png", "txt"])
def test_what_pdfium_alone_can_read_is_said_to_be_damaged_too(
    converting: Converting, target: str
) -> None:
    circle = WHOLE.replace(b"/Kids[10 0 R 12 0 R 14 0 R]", b"/Kids[10 0 R 12 0 R 2 0 R ]")

    result = converting(circle, target, pages="1-2")

    assert SAYS in result.notes
    assert result.facts["pages"] == 2
    third = converting(circle, target, pages="3").refused
    assert str(third.detail).startswith("Page 3 of 3 is damaged.")


def _with_broken_stream(content: bytes, *, page: int) -> bytes:
    """Spoil the packed instructions of one page, and the table, so that it has to be repaired."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        raw = pdf.pages[page].Contents.read_raw_bytes()
    spoiled = raw[:4] + bytes(255 - byte for byte in raw[4:])
    assert content.count(raw) == 1
    return content.replace(raw, spoiled).replace(b"startxref\n", b"startxref\n9")


def test_a_page_without_resources_is_blank_and_not_damaged(converting: Converting) -> None:
    pdf = pikepdf.new()
    for _ in range(2):
        pdf.add_blank_page()
    del pdf.pages[1]["/Resources"]
    made = io.BytesIO()
    pdf.save(made)

    result = converting(made.getvalue(), "pdf", pages="2")

    assert (result.facts["pages"], list(result.notes)) == (1, [])
