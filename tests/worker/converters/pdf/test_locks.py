"""Passwords: asked for only where one is needed, tried as typed, and never repeated anywhere."""

from typing import Any

import pytest

from app.formats.pdf import PDF
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting

SECRET = "correct horse 7"
PLAIN = documents.document("Hello")


@pytest.mark.parametrize("target", PDF.targets)
def test_a_locked_document_asks_for_its_password(converting: Converting, target: str) -> None:
    refused = converting(documents.locked(PLAIN, user=SECRET), target).refused

    assert refused.code == "password_required"
    assert refused.detail == "The PDF is locked with a password."


@pytest.mark.parametrize("target", PDF.targets)
def test_a_wrong_password_is_told_from_none(converting: Converting, target: str) -> None:
    refused = converting(documents.locked(PLAIN, user="other"), target, password=SECRET).refused

    assert refused.code == "password_wrong"
    assert refused.detail == "The password does not open the PDF."


@pytest.mark.parametrize("target", PDF.targets)
def test_the_password_opens_it(converting: Converting, target: str) -> None:
    result = converting(documents.locked(PLAIN, user=SECRET), target, password=SECRET)

    assert result.format == target
    assert result.facts["pages"] == 1
    assert "not needed" not in result.notes


@pytest.mark.parametrize("level", [2, 3, 4, 6])
@pytest.mark.parametrize("password", ["plain", "pässwörd"])
@pytest.mark.parametrize("target", ["txt", "pdf"])
def test_every_kind_of_lock_opens(
    converting: Converting, level: int, password: str, target: str
) -> None:
    content = documents.locked(PLAIN, user=password, level=level)

    result = converting(content, target, password=password)

    text = result if target == "txt" else converting(result.path, "txt")
    assert text.text == "Hello\n"


@pytest.mark.parametrize("target", ["txt", "pdf"])
@pytest.mark.parametrize("typed", ["пароль", "e\u0301te\u0301", "\ufb01n"])
def test_letters_are_tried_in_each_of_their_spellings(
    converting: Converting, target: str, typed: str
) -> None:
    """Programs for PDF 2.0 bring a password into one form first; a keyboard may give another."""
    kept = {"пароль": "пароль", "e\u0301te\u0301": "\xe9t\xe9", "\ufb01n": "fin"}[typed]

    result = converting(documents.locked(PLAIN, user=kept), target, password=typed)

    assert result.facts["pages"] == 1


@pytest.mark.parametrize("target", ["txt", "pdf"])
def test_the_password_of_the_owner_opens_it_too(converting: Converting, target: str) -> None:
    content = documents.locked(PLAIN, user="other", owner=SECRET)

    assert converting(content, target, password=SECRET).facts["pages"] == 1


@pytest.mark.parametrize("target", PDF.targets)
@pytest.mark.parametrize("options", [{}, {"password": "any"}])
def test_what_only_its_owner_may_change_opens_without(
    converting: Converting, target: str, options: dict[str, Any]
) -> None:
    result = converting(documents.locked(PLAIN, owner=SECRET), target, **options)

    assert result.format == target
    assert ("encrypted" in result.notes) == (target == "pdf")


@pytest.mark.parametrize("target", PDF.targets)
@pytest.mark.parametrize("content", [PLAIN, documents.locked(PLAIN, owner=SECRET)])
def test_a_password_that_nothing_asks_for_does_no_harm_and_that_is_said(
    converting: Converting, target: str, content: bytes
) -> None:
    said = "The PDF opens without a password; the one that was sent along was not needed."

    assert said in converting(content, target, password=SECRET).notes
    assert said not in converting(content, target).notes


@pytest.mark.parametrize("target", PDF.targets)
def test_an_owner_without_a_password_leaves_the_lock_to_the_reader(
    converting: Converting, target: str
) -> None:
    content = documents.locked(PLAIN, user=SECRET, owner="")

    assert converting(content, target).refused.code == "password_required"
    assert converting(content, target, password="no").refused.code == "password_wrong"
    assert converting(content, target, password=SECRET).facts["pages"] == 1


def test_a_copy_has_no_lock(converting: Converting) -> None:
    result = converting(documents.locked(PLAIN, user=SECRET), "pdf", password=SECRET)

    with result.pdf as copy:
        assert not copy.is_encrypted
    assert result.notes == (
        "The document was encrypted, with rules about printing, copying or changing it; "
        "the copy is not."
    )


def test_a_lock_of_another_kind_is_refused_with_the_way_out(converting: Converting) -> None:
    """A certificate opens this one; no password would."""
    lock = b"/Encrypt<</Filter/Adobe.PubSec/V 4/SubFilter/adbe.pkcs7.s5>>/ID[<00><00>]"
    content = PLAIN.replace(b"/Root 1 0 R", b"/Root 1 0 R" + lock)

    for target in PDF.targets:
        refused = converting(content, target).refused
        assert refused.code == "unsupported_content"
        assert "certificate" in str(refused.detail)


@pytest.mark.parametrize("target", PDF.targets)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(documents.locked(PLAIN, user=SECRET), id="right"),
        pytest.param(documents.locked(PLAIN, user="other"), id="wrong"),
        pytest.param(documents.locked(PLAIN, user=SECRET)[:-60], id="damaged"),
        pytest.param(documents.locked(documents.scan(), user=SECRET), id="scan"),
        pytest.param(PLAIN, id="not locked"),
        pytest.param(b"", id="empty"),
    ],
)
def test_a_password_is_repeated_nowhere(
    converting: Converting, target: str, content: bytes
) -> None:
    result = converting(content, target, password=SECRET)

    assert SECRET not in repr(result.outcome)
    assert SECRET not in result.printed
    assert SECRET not in repr(result.told)
    if target not in {"jpg", "png", "webp"} and result.path.exists():
        assert SECRET.encode() not in result.path.read_bytes()


@pytest.mark.parametrize("changes", [{"memory_bytes": 200 * 1024**2}, {"file_bytes": 10}])
def test_a_password_is_not_in_what_a_breakdown_leaves(
    converting: Converting, changes: dict[str, int]
) -> None:
    content = documents.locked(documents.document("a", box="0 0 3000 3000"), user=SECRET)

    result = converting(content, "png", password=SECRET, dpi=400, **changes)

    assert result.broken.code in {"memory_limit", "result_too_large"}
    assert SECRET not in repr(result.outcome)
    assert SECRET not in result.printed


def test_options_that_do_not_fit_do_not_repeat_it(converting: Converting) -> None:
    refused = converting(PLAIN, "png", password=f"{SECRET}\n", pages="x").refused

    assert refused.code == "bad_options"
    assert SECRET not in str(refused.detail)
