"""Documents that people made with other programs become every target that is offered."""

from pathlib import Path

import pytest

from app.formats.pdf import PDF
from tests.worker.converters.pdf.conftest import Converting
from tests.worker.converters.reader import pixel

PASSWORDS = {"user-password.pdf": "asdfzxcv"}
WORDS = {
    "form.pdf": "foo",
    "owner-password.pdf": "encryption test",
    "user-password.pdf": "encryption test",
    "real-pdf.pdf": "Example Title Heading",
    "scanned-multipage.pdf": "Claim #",
}


@pytest.mark.corpus
@pytest.mark.parametrize("target", PDF.targets)
@pytest.mark.parametrize("name", WORDS)
def test_a_real_document_becomes_every_target(
    converting: Converting, corpus: Path, name: str, target: str
) -> None:
    options = {"password": PASSWORDS[name]} if name in PASSWORDS else {}

    result = converting(corpus / name, target, **options)

    assert result.format == ("zip" if "multi" in name and target not in {"pdf", "txt"} else target)
    if target == "txt":
        assert WORDS[name] in result.text
    elif target == "pdf":
        assert WORDS[name] in converting(result.path, "txt").text
    else:
        images = result.images.values() if result.format == "zip" else [result.image]
        for image in images:
            darkest, lightest = image.convert("L").getextrema()
            assert (darkest, lightest) == pytest.approx((0, 255), abs=60)


@pytest.mark.corpus
@pytest.mark.parametrize("target", PDF.targets)
def test_a_real_lock_is_respected(converting: Converting, corpus: Path, target: str) -> None:
    content = corpus / "user-password.pdf"

    assert converting(content, target).refused.code == "password_required"
    assert converting(content, target, password="no").refused.code == "password_wrong"


@pytest.mark.corpus
def test_the_field_of_a_real_form_is_drawn(converting: Converting, corpus: Path) -> None:
    image = converting(corpus / "form.pdf", "png").image

    assert any(
        pixel(image, across / 40, down / 40)[:3] != (255, 255, 255)
        for across in range(40)
        for down in range(40)
    )


@pytest.mark.corpus
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_the_head_of_a_real_document_is_saved(
    converting: Converting, corpus: Path, kept: float
) -> None:
    whole = (corpus / "scanned-multipage.pdf").read_bytes()

    result = converting(whole[: int(len(whole) * kept)], "txt")

    assert "Claim #" in result.text
    assert "The file is damaged." in result.notes


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["real-docx.docx", "random.bin", "real-txt.txt", "cmyk.jpg"])
@pytest.mark.parametrize("target", PDF.targets)
def test_a_real_file_of_another_format_is_refused(
    converting: Converting, corpus: Path, name: str, target: str
) -> None:
    assert converting(corpus / name, target).refused.code == "corrupt_input"
