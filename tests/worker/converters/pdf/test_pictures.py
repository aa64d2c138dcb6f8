"""Pages become pictures: all that is on them, upright, in the asked-for resolution."""

import io

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting
from tests.worker.converters.pdf.test_pairs import FLAG
from tests.worker.converters.reader import corners, near, pixel
from worker.converters.pdf import drawing
from worker.converters.pdf.pages import loaded
from worker.converters.pdf.size import Plan


def _dark(image: Image.Image, box: tuple[int, int, int, int]) -> int:
    """Return how many pixels of a box, in points from the top left, have something dark."""
    scale = image.width / 200
    part = image.convert("L").crop(tuple(round(side * scale) for side in box))  # type: ignore[arg-type]
    return sum(part.histogram()[:100])


def test_several_pages_become_a_zip_in_which_they_have_their_numbers(
    converting: Converting,
) -> None:
    content = documents.document(*(f"{number}" * number for number in range(1, 5)))

    result = converting(content, "png")

    assert list(result.images) == [f"page-00{number}.png" for number in range(1, 5)]
    inked = [_dark(image, (0, 0, 200, 100)) for image in result.images.values()]
    assert inked == sorted(inked)
    assert inked[0] > 0
    assert result.facts == {"pages": 4, "of_pages": 4, "dpi": 150, "notes": []}


@pytest.mark.parametrize("target", ["png", "jpg", "webp"])
def test_chosen_pages_keep_their_numbers_and_the_asked_for_order(
    converting: Converting, target: str
) -> None:
    content = documents.document(*"abcdefgh")

    result = converting(content, target, pages="7-,2,2-3")

    assert list(result.images) == [f"page-00{number}.{target}" for number in (7, 8, 2, 3)]
    assert result.facts["pages"] == 4
    assert result.facts["of_pages"] == 8


def test_one_chosen_page_is_one_picture(converting: Converting) -> None:
    result = converting(documents.document("a", "b"), "png", pages="2")

    assert result.image.size == (417, 208)
    assert (result.facts["pages"], result.facts["of_pages"]) == (1, 2)


@pytest.mark.parametrize(("dpi", "size"), [(72, (200, 100)), (144, (400, 200)), (10, (28, 14))])
def test_the_resolution_decides_about_the_size(
    converting: Converting, dpi: int, size: tuple[int, int]
) -> None:
    assert converting(documents.document("a"), "png", dpi=dpi).image.size == size


@pytest.mark.parametrize(
    ("unit", "size"),
    [
        (b"2", (400, 200)),
        (b"2.5", (500, 250)),
        (b"0", (200, 100)),
        (b"-1", (200, 100)),
        (b"/None", (200, 100)),
        (b"99999999", (200, 100)),
    ],
)
@pytest.mark.parametrize("end", [None, -60])
def test_a_page_may_count_in_more_than_points(
    converting: Converting, unit: bytes, size: tuple[int, int], end: int | None
) -> None:
    content = documents.document("a", page=b"/UserUnit " + unit)[:end]

    result = converting(content, "png", dpi=72)

    assert result.image.size == size
    assert result.facts["dpi"] == 72


def test_a_unit_is_that_of_its_own_page(converting: Converting) -> None:
    large = documents.locked(documents.document("a", page=b"/UserUnit 3"))
    content = documents.joined(documents.document("b"), large)

    images = converting(content, "png", dpi=72).images.values()

    assert [image.size for image in images] == [(200, 100), (600, 300)]


@pytest.mark.parametrize("target", ["png", "jpg"])
def test_a_picture_says_its_resolution(converting: Converting, target: str) -> None:
    image = converting(documents.document("a"), target, dpi=200).image

    assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (0, FLAG),
        (90, [samples.BLUE, samples.RED, samples.YELLOW, samples.GREEN]),
        (180, FLAG[::-1]),
        (270, [samples.GREEN, samples.YELLOW, samples.RED, samples.BLUE]),
    ],
)
def test_a_turned_page_stands_upright(
    converting: Converting, turn: int, expected: list[samples.Rgb]
) -> None:
    image = converting(documents.flag(b"/Rotate %d" % turn), "png").image

    assert near(corners(image), expected)
    assert (image.width > image.height) == (turn in {0, 180})


def test_only_what_is_inside_the_crop_box_is_shown(converting: Converting) -> None:
    image = converting(documents.flag(b"/CropBox[100 50 200 100]"), "png", dpi=72).image

    assert image.size == (100, 50)
    assert near(corners(image), [samples.GREEN] * 4)


def test_a_page_need_not_begin_at_zero(converting: Converting) -> None:
    image = converting(documents.document("Hello", box="-10 30 190 80"), "png", dpi=72).image

    assert image.size == (200, 50)
    assert _dark(image, (15, 20, 80, 50)) > 20


@pytest.mark.parametrize("drawn", [True, False])
def test_fields_and_stamps_are_drawn(converting: Converting, drawn: bool) -> None:
    image = converting(documents.form(drawn=drawn), "png").image

    assert _dark(image, (60, 5, 190, 30)) > 100  # the value of the field
    assert near(pixel(image, 0.08, 0.45)[:3], (0, 0, 255))  # the stamp


def test_what_is_hidden_is_not_drawn(converting: Converting) -> None:
    image = converting(documents.form(flags=2), "png").image

    assert _dark(image, (60, 5, 190, 30)) == 0
    assert near(pixel(image, 0.08, 0.45)[:3], (255, 255, 255))


@pytest.mark.parametrize("target", ["png", "webp"])
def test_without_paper_it_can_be_seen_through(converting: Converting, target: str) -> None:
    image = converting(documents.document(b"1 0 0 rg 0 0 100 100 re f"), target, transparent=True)

    assert pixel(image.image, 0.9, 0.5)[3] == 0
    assert near(pixel(image.image, 0.2, 0.5), (255, 0, 0, 255))


def test_jpeg_has_paper_all_the_same_and_says_so(converting: Converting) -> None:
    result = converting(documents.document("a"), "jpg", transparent=True)

    assert near(pixel(result.image, 0.9, 0.9), (255, 255, 255, 255))
    assert result.notes == "JPEG knows no transparency: the paper is white."


@pytest.mark.parametrize("target", ["jpg", "webp"])
def test_quality_decides_about_the_bytes(converting: Converting, target: str) -> None:
    noise = samples.noise((200, 100))
    content = documents.picture_page(noise.tobytes(), "/Width 200/Height 100/ColorSpace/DeviceRGB")

    low, high = (converting(content, target, quality=each).path for each in (10, 95))

    assert low.stat().st_size * 3 < high.stat().st_size


def test_quality_that_has_no_meaning_is_spoken_of(converting: Converting) -> None:
    assert "PNG has no quality" in converting(documents.flag(), "png", quality=50).notes
    notes = converting(documents.document("a"), "txt", quality=50, dpi=100).notes
    assert notes == "dpi and quality have no meaning without a picture."


def test_a_photo_for_print_has_its_colours(converting: Converting) -> None:
    """Programs for print store the inks of a JPEG the other way round, and say so beside it."""
    inks = "/ColorSpace/DeviceCMYK/Decode[1 0 1 0 1 0 1 0]"
    entries = f"/Width 40/Height 20/Filter/DCTDecode{inks}"

    image = converting(documents.picture_page(documents.cmyk_photo(), entries), "png").image

    assert near(pixel(image, 0.5, 0.5), (0, 166, 80, 255))  # cyan and yellow


def test_a_jpeg_2000_picture_is_drawn(converting: Converting) -> None:
    packed = io.BytesIO()
    samples.flag((200, 100)).save(packed, "JPEG2000")
    entries = "/Width 200/Height 100/Filter/JPXDecode"

    image = converting(documents.picture_page(packed.getvalue(), entries), "png").image

    assert near(corners(image), FLAG)


@pytest.mark.parametrize("transparent", [False, True])
@pytest.mark.parametrize("content", [documents.form(), documents.flag(), documents.scan()])
def test_bands_leave_no_seam(content: bytes, transparent: bool) -> None:
    with pypdfium2.PdfDocument(content) as document:
        document.init_forms()
        with loaded(document, 0) as page:
            whole, bands = (
                drawing.drawn(
                    page,
                    Plan(401, 203, 144),
                    transparent=transparent,
                    tell=lambda _part: None,
                    band_pixels=pixels,
                )
                for pixels in (401 * 203, 401 * 7)
            )

    assert whole.tobytes() == bands.tobytes()
    assert len(set(whole.tobytes())) > 2


def test_progress_names_the_pages(converting: Converting) -> None:
    result = converting(documents.document(*["Hello"] * 12), "png", dpi=600)

    values = [value for value, _ in result.told]
    stages = list(dict.fromkeys(stage for _, stage in result.told if stage))
    assert values == sorted(values)
    assert len(set(values)) >= 5
    assert set(stages) <= {"opening", *(f"page {place} of 12" for place in range(1, 13))}
    assert len(stages) >= 4


def test_one_long_page_tells_how_far_it_is(converting: Converting) -> None:
    told = converting(documents.document("a", box="0 0 500 500"), "png", dpi=1200).told

    assert len({value for value, stage in told if stage == "page 1 of 1"}) >= 5


@pytest.mark.parametrize("target", ["png", "txt"])
def test_a_form_that_only_one_program_shows_is_refused(converting: Converting, target: str) -> None:
    """Its pages are made by that program; the file has one that says to go and get it."""
    content = documents.form(catalogue=b"/XFA 8 0 R").replace(
        b"/Type/Catalog", b"/Type/Catalog/NeedsRendering true"
    )

    refused = converting(documents.saved(content), target).refused

    assert refused.code == "unsupported_content"
    assert "XFA" in str(refused.detail)
    assert converting(documents.saved(content), "pdf").facts["pages"] == 1


def test_attached_files_are_spoken_of(converting: Converting) -> None:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(documents.document("a"))) as pdf:
        pdf.attachments["notes.txt"] = pikepdf.AttachedFileSpec(pdf, b"hidden")
        pdf.save(out)

    assert "a file attached" in converting(out.getvalue(), "png").notes
    assert converting(out.getvalue(), "pdf").notes == ""
    with converting(out.getvalue(), "pdf").pdf as kept:
        assert kept.attachments["notes.txt"].get_file().read_bytes() == b"hidden"
