"""The options of office documents: what is read, what is refused, and what stays secret."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.formats.office import LOCKED, OFFICE, SHEETS, SLIDES, TEXTS, OfficeOptions


def _said(given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        OfficeOptions.model_validate(given)
    return " ".join(error["msg"] for error in caught.value.errors())


def test_everything_may_be_left_out() -> None:
    assert OfficeOptions.model_validate({"pages": "", "archive": "", "password": None}) == (
        OfficeOptions()
    )


@pytest.mark.parametrize(
    ("given", "read"), [("1", "1"), ("1-3,7", "1-3,7"), (" 2 , 4 - 9 ", "2,4-9"), ("5-5", "5-5")]
)
def test_pages_are_read_however_they_are_spaced(given: str, read: str) -> None:
    assert OfficeOptions.model_validate({"pages": given}).pages == read


@pytest.mark.parametrize("given", ["0", "3-1", "a", "1,,2", "1-", "-2", "1;2", "1234567", 3, True])
def test_other_pages_are_refused_in_a_sentence(given: Any) -> None:
    assert "pages must be page numbers and ranges such as 1-3,7" in _said({"pages": given})


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
