"""A document under a password: with it, without it, with another one."""

import random
from collections.abc import Callable

import pytest

from app.formats.office import LOCKED, OFFICE
from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.documents import WORDS
from tests.worker.converters.office.locked_samples import locked_by_libreoffice
from tests.worker.converters.office.locking import locked, locked_parts
from tests.worker.converters.office.reader import text_of

pytestmark = pytest.mark.office

NOISE = {"word/media/n.png": random.Random(1).randbytes(5000)}
PACKAGE = locked(
    documents.zipped(documents.docx_parts(documents.paragraph(WORDS), more=NOISE)), "gänse"
)


def package(target: str) -> bytes:
    """Return a locked document of the kind that can become this."""
    if target in ("xlsx", "pptx"):
        return locked(documents.zipped(documents.parts_of(target) | NOISE), "gänse")
    return PACKAGE


@pytest.mark.parametrize(
    ("source", "target"), [(LOCKED, target) for target in OFFICE.targets_of(LOCKED)]
)
def test_the_password_opens_it_and_the_result_has_none(
    converting: Converting, source: str, target: str
) -> None:
    result = converting(package(target), source, target, password="gänse")

    assert WORDS in text_of(result.path, target)
    assert result.facts["notes"] == []


@pytest.mark.parametrize("source", ["encrypted-office", "docx"])
def test_without_a_password_it_is_asked_for(converting: Converting, source: str) -> None:
    result = converting(PACKAGE, source, "pdf")

    assert result.refused.code == "password_required"
    assert "starting" not in {stage for _, stage in result.told}


def test_a_wrong_password_is_called_wrong(converting: Converting) -> None:
    result = converting(PACKAGE, "encrypted-office", "pdf", password="geese")

    assert result.refused.code == "password_wrong"
    assert "geese" not in str(result.outcome)


def test_a_text_that_comes_out_does_not_become_a_sheet(converting: Converting) -> None:
    result = converting(PACKAGE, "encrypted-office", "xlsx", password="gänse")

    assert result.refused.code == "unsupported_content"
    assert "no Excel workbook" in str(result.refused.detail)


def test_a_password_that_was_not_needed_is_no_obstacle(converting: Converting) -> None:
    result = converting(documents.sample("odt"), "odt", "pdf", password="geese")

    assert "was not needed" in result.facts["notes"][0]


@pytest.mark.parametrize("source", ["doc", "xls"])
def test_an_old_document_opens_with_its_password_alone(converting: Converting, source: str) -> None:
    content = locked_by_libreoffice(source)

    asked = converting(content, source, "pdf").refused
    opened = converting(content, source, "pdf", password="geese")
    wrong = converting(content, source, "pdf", password="goose").refused

    assert asked.code == "password_required"
    assert WORDS in text_of(opened.path, "pdf")
    assert wrong.code == "password_wrong"


def test_an_opendocument_text_opens_with_its_password_alone(converting: Converting) -> None:
    content = documents.zipped(locked_parts(documents.parts_of("odt"), "gänse"))

    asked = converting(content, "odt", "pdf")
    opened = converting(content, "odt", "pdf", password="gänse")
    wrong = converting(content, "odt", "pdf", password="geese").refused

    assert asked.refused.code == "password_required"
    assert "starting" not in {stage for _, stage in asked.told}
    assert WORDS in text_of(opened.path, "pdf")
    assert wrong.code == "password_wrong"


TOKEN = bytes.fromhex("5fc091e3")  # of the CurrentUserAtom, [MS-PPT] 2.3.2
CIPHERED = bytes.fromhex("dfc4d1f3")


@pytest.mark.parametrize("source", ["doc", "ppt"])
def test_an_old_document_that_says_it_is_locked_is_believed(
    converting: Converting, sample: Callable[[str], bytes], source: str
) -> None:
    content = bytearray(sample(source))
    if source == "ppt":
        at = content.index(TOKEN)
        content[at : at + 4] = CIPHERED
    else:
        content[content.index(b"\xec\xa5", 512) + 11] |= 1  # fEncrypted, [MS-DOC] 2.5.2

    result = converting(bytes(content), source, "pdf")

    assert result.refused.code == "password_required"
    assert "starting" not in {stage for _, stage in result.told}
