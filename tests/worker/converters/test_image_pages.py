"""A TIFF of several pages: none is lost, whatever it becomes."""

import io
import struct
import zipfile
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import Result, near, pixel
from worker.converters.image import directories
from worker.converters.limits import Limits
from worker.outcome import Converted

COLOURS = [samples.RED, samples.GREEN, samples.BLUE]
SIZES = [(40, 30), (20, 60), (50, 50)]
STILL = ("jpg", "png", "webp", "avif", "tiff", "gif", "bmp", "ico")


def _paged(*, kinds: tuple[int, ...] = (0, 0, 0), orientation: int = 1) -> bytes:
    """Return a TIFF with a page of each colour and size; `kinds` say what each image is for."""
    out = io.BytesIO()
    with Image.new("RGB", SIZES[0], COLOURS[0]) as first:
        first.save(
            out,
            "TIFF",
            save_all=True,
            append_images=[
                _tagged(Image.new("RGB", size, colour), kind, orientation)
                for size, colour, kind in zip(SIZES[1:], COLOURS[1:], kinds[1:], strict=True)
            ],
        )
    return out.getvalue()


def _tagged(picture: Image.Image, kind: int, orientation: int) -> Image.Image:
    picture.encoderinfo = {"tiffinfo": {254: kind, 274: orientation}}
    return picture


def _unpacked(result: Result) -> dict[str, Image.Image]:
    assert isinstance(result.outcome, Converted), result.outcome
    assert result.outcome.format == "zip"
    with zipfile.ZipFile(result.path) as archive:
        assert archive.testzip() is None
        return {name: Image.open(io.BytesIO(archive.read(name))) for name in archive.namelist()}


@pytest.mark.parametrize("target", STILL)
def test_each_page_becomes_a_picture_in_a_zip(converting: Converting, target: str) -> None:
    result = converting(_paged(), "tiff", target)

    pictures = _unpacked(result)
    assert list(pictures) == [f"page-00{number}.{target}" for number in (1, 2, 3)]
    assert [picture.size for picture in pictures.values()] == SIZES
    for picture, colour in zip(pictures.values(), COLOURS, strict=True):
        assert near(pixel(picture, 0.5, 0.5)[:3], colour)
    assert result.facts == {"pages": 3, "notes": []}
    assert {left.name for left in result.path.parent.iterdir()} == {"input.tiff", result.path.name}


@pytest.mark.parametrize("options", [{}, {"lossless": True}])
def test_each_page_becomes_a_page_of_a_document(
    converting: Converting, options: dict[str, bool]
) -> None:
    result = converting(_paged(), "tiff", "pdf", **options)

    assert isinstance(result.outcome, Converted)
    assert result.outcome.format is None
    with pypdfium2.PdfDocument(result.path) as document:
        assert [page.get_size() for page in document] == [
            (width * 0.75, height * 0.75) for width, height in SIZES
        ]
        for page, colour in zip(document, COLOURS, strict=True):
            assert near(pixel(page.render().to_pil(), 0.5, 0.5)[:3], colour)
    with pikepdf.open(result.path) as pdf:
        assert not pdf.get_warnings()
    assert result.facts["pages"] == 3


def test_the_options_are_for_each_page(converting: Converting) -> None:
    pictures = _unpacked(converting(_paged(), "tiff", "png", width=10)).values()

    assert [picture.size for picture in pictures] == [(10, 8), (10, 30), (10, 10)]


@pytest.mark.parametrize("target", ["png", "pdf"])
def test_the_first_page_alone_on_request(converting: Converting, target: str) -> None:
    result = converting(_paged(), "tiff", target, first_frame=True)

    assert result.image.size == SIZES[0]
    assert result.notes == "Only the first of 3 pages was taken."


@pytest.mark.parametrize("kind", [1, 4])
def test_previews_and_masks_are_no_pages(converting: Converting, kind: int) -> None:
    result = converting(_paged(kinds=(0, kind, kind)), "tiff", "png")

    assert result.image.size == SIZES[0]
    assert result.notes == ""


def test_the_limit_of_pixels_is_for_each_page(converting: Converting) -> None:
    assert converting(_paged(), "tiff", "png", Limits(max_pixels=2500)).facts["pages"] == 3
    refused = converting(_paged(), "tiff", "png", Limits(max_pixels=2499)).refused
    assert refused.code == "too_many_pixels"


def test_too_many_pages_are_refused_with_the_limit_and_its_name(converting: Converting) -> None:
    assert converting(_paged(), "tiff", "png", Limits(max_pages=3)).facts["pages"] == 3
    refused = converting(_paged(), "tiff", "pdf", Limits(max_pages=2)).refused
    assert refused.code == "too_many_pages"
    assert "more than 2 pages" in str(refused.detail)
    assert "ROWMILL_MAX_PAGES" in str(refused.detail)


def test_progress_names_the_pages(converting: Converting) -> None:
    told: list[tuple[float, str]] = []

    converting(_paged(), "tiff", "png", progress=lambda value, stage: told.append((value, stage)))

    values = [value for value, _ in told]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(0.95)
    assert {f"page {place} of 3" for place in (1, 2, 3)} <= {stage for _, stage in told}


def test_a_page_that_ends_early_is_refused(converting: Converting) -> None:
    content = samples.encoded(samples.noise((80, 60)), "tiff", save_all=True,
        append_images=[samples.noise((80, 60))], compression="raw")  # fmt: skip
    assert converting(content, "tiff", "png").facts["pages"] == 2

    refused = converting(content[: len(content) - 4000], "tiff", "png").refused

    assert refused.code == "corrupt_input"


@pytest.mark.parametrize("order", ["II", "MM"])
@pytest.mark.parametrize("options", [{}, {"big_tiff": True}])
def test_the_order_of_bytes_and_the_length_of_offsets_do_not_matter(
    converting: Converting, order: str, options: dict[str, bool]
) -> None:
    pages = [Image.new("I;16B" if order == "MM" else "I;16", (4, 4), value) for value in (1, 2, 3)]
    content = samples.encoded(pages[0], "tiff", save_all=True, append_images=pages[1:], **options)
    assert content[:2] == order.encode()

    assert converting(content, "tiff", "png").facts["pages"] == 3


def test_a_link_that_leads_out_of_the_file_is_refused(converting: Converting) -> None:
    """What stood behind it is lost, and nobody would notice."""
    refused = converting(_linked(_paged(), 0x7FFFFFFF), "tiff", "png").refused

    assert refused.code == "corrupt_input"


def test_a_chain_that_bites_its_own_tail_ends_there(converting: Converting) -> None:
    content = _paged()
    first = struct.unpack_from("<I", content, 4)[0]

    assert converting(_linked(content, first), "tiff", "png").facts["pages"] == 3


def test_a_chain_that_never_comes_to_a_page_is_given_up(tmp_path: Path) -> None:
    copies = 70_000
    chain = (struct.pack("<HHHIII", 1, 254, 4, 1, 1, 26 + 18 * at) for at in range(copies))
    bomb = tmp_path / "bomb.tiff"
    bomb.write_bytes(b"II*\0" + struct.pack("<I", 8) + b"".join(chain))

    with pytest.raises(ValueError, match="longer than any"):
        list(directories.pages(bomb))


def _linked(content: bytes, offset: int) -> bytes:
    """Return the TIFF with the link of its last directory bent to an offset."""
    changed, at = bytearray(content), 4
    while place := struct.unpack_from("<I", content, at)[0]:
        at = place + 2 + 12 * struct.unpack_from("<H", content, place)[0]
    struct.pack_into("<I", changed, at, offset)
    return bytes(changed)


@pytest.mark.corpus
@pytest.mark.parametrize("target", ["png", "pdf"])
def test_no_page_of_a_real_file_is_lost(converting: Converting, corpus: Path, target: str) -> None:
    assert converting(corpus / "multipage.tiff", "tiff", target).facts["pages"] == 3
