"""The options of office documents: what is read, what is refused, and what stays secret."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.formats.family import Options
from app.formats.office import LOCKED, OFFICE, SHEETS, SLIDES, TEXTS, OfficeOptions
from app.formats.pdf import PdfOptions


def _said(given: Any, kind: type[Options] = OfficeOptions) -> str:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate(given)
    return " ".join(error["msg"] for error in caught.value.errors())


def test_everything_may_be_left_out() -> None:
    assert OfficeOptions.model_validate({"pages": "", "archive": "", "password": None}) == (
        OfficeOptions()
    )


@pytest.mark.parametrize("given", ["1", " 2 , 4 - 9 ", "5-5", "1,1", "10-", 3])
def test_pages_are_those_of_a_pdf(given: Any) -> None:
    ours, theirs = (kind.model_validate({"pages": given}) for kind in (OfficeOptions, PdfOptions))

    assert ours.pages == theirs.pages


@pytest.mark.parametrize("given", ["0", "3-1", "a", "1,,2", "-2", "1;2", "1234567890", True])
def test_other_pages_are_refused_in_the_same_sentence(given: Any) -> None:
    assert _said({"pages": given}) == _said({"pages": given}, PdfOptions)
    assert "pages must be page numbers from 1 on" in _said({"pages": given})


@pytest.mark.parametrize("given", ["x" * 256, "a\0b", 7])
def test_a_password_that_is_none_is_refused_and_not_repeated(given: Any) -> None:
    said = _said({"password": given})

    assert "password must be a text of at most 255 characters" in said
    assert str(given) not in said.replace("255", "")


def test_the_password_is_secret_and_typed_unseen() -> None:
    field = OfficeOptions.model_json_schema()["properties"]["password"]

    assert OfficeOptions.secret == {"password"}
    assert field["format"] == "password"
    assert field["writeOnly"] is True
    assert "default" not in field


def test_an_unknown_option_is_refused_with_those_there_are() -> None:
    assert "The options are pages, archive, password." in _said({"margin": 3})


@pytest.mark.parametrize("group", [TEXTS, SHEETS, SLIDES])
def test_a_group_becomes_pdf_and_its_own_formats(group: tuple[str, ...]) -> None:
    for source in group:
        assert set(OFFICE.targets_of(source)) == {"pdf", *group} - {source}


def test_what_is_locked_becomes_what_it_may_be() -> None:
    assert OFFICE.targets_of(LOCKED) == ("pdf", "docx", "xlsx", "pptx")


def test_a_cell_of_office_starts_nothing_and_talks_to_nobody() -> None:
    assert OFFICE.needs.programs == 0
    assert not OFFICE.needs.unix_sockets
