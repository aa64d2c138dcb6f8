"""The options of PDF: what is read, what is refused, and how both are put into words."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.formats.pdf import PDF, PdfOptions, ranges

PAGES = "pages must be page numbers from 1 on and ascending ranges, such as 1-3,7,10-"
DPI = "dpi must be a whole number from 10 to 1200"
PASSWORD = "password must be a text of at most 500 printable characters"


def _said(given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        PdfOptions.model_validate(given)
    return " ".join(error["msg"] for error in caught.value.errors())


def test_everything_may_be_left_out() -> None:
    form = {"pages": "", "dpi": "", "quality": None, "password": ""}

    assert PdfOptions.model_validate(form) == PdfOptions()
    assert PdfOptions().dpi == 150


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("1-3,7,10-", "1-3,7,10-"),
        (" 1 - 3 , 7 ", "1-3,7"),
        ("5-5", "5-5"),
        ("007", "007"),
        (4, "4"),
        ("999999999-", "999999999-"),
    ],
)
def test_pages_are_read_however_they_are_spaced(given: Any, read: str) -> None:
    assert PdfOptions(pages=given).pages == read


@pytest.mark.parametrize(
    "given",
    [
        "0",
        "3-1",
        "1-0",
        "a",
        "1,,2",
        ",1",
        "1-2-3",
        "-3",
        "1 2",
        "1;2",
        "-1",
        "\u0661",
        "1" * 10,
        1.5,
    ],
)
def test_pages_of_no_sense_are_answered_with_an_example(given: Any) -> None:
    assert _said({"pages": given}) == f"{PAGES}, not {given!r}."


def test_pages_without_end_are_not_read() -> None:
    assert _said({"pages": "1," * 300 + "1"}).startswith(PAGES)


def test_ranges_are_first_and_last_pages() -> None:
    assert ranges("1-3,7,10-") == [(1, 3), (7, 7), (10, None)]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"dpi": 9}, f"{DPI}, not 9."),
        ({"dpi": "1201"}, f"{DPI}, not '1201'."),
        ({"dpi": True}, f"{DPI}, not True."),
        ({"quality": 0}, "quality must be a whole number from 1 to 100, not 0."),
        ({"transparent": "maybe"}, "transparent must be true or false, not 'maybe'."),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(given: Any, sentence: str) -> None:
    assert _said(given) == sentence


@pytest.mark.parametrize("given", ["hunter2\0", "hunter2\n", ["hunter2"], "hunter2" * 100, True])
def test_a_wrong_password_is_not_repeated(given: Any) -> None:
    assert _said({"password": given}) == f"{PASSWORD}."


def test_a_password_is_not_shown_with_the_rest() -> None:
    assert "hunter2" not in repr(PdfOptions(password="hunter2"))
    assert PdfOptions.secret == {"password"}
    assert PdfOptions(password=" pass wörd🔑 ").password == " pass wörd🔑 "


def test_an_unknown_option_is_answered_with_the_known_ones() -> None:
    said = _said({"page": "1"})

    assert said.startswith("'page' is not an option of PDF conversions.")
    assert all(name in said for name in PdfOptions.model_fields)


def test_what_a_row_keeps_is_read_back_as_the_same() -> None:
    options = PdfOptions(pages="1 - 3", dpi=300, transparent=True, password="x")

    assert PdfOptions.model_validate(options.model_dump(mode="json")) == options


def test_the_schema_describes_every_option_to_a_person() -> None:
    properties = PdfOptions.model_json_schema()["properties"]

    assert set(properties) == set(PdfOptions.model_fields)
    for name, schema in properties.items():
        assert schema["title"], name
        assert schema["description"].endswith("."), name
        assert "type" in schema, name
        assert schema.get("default", "") is not None
    assert (properties["password"]["format"], properties["password"]["writeOnly"]) == (
        "password",
        True,
    )


def test_the_default_target_is_one_of_the_targets() -> None:
    assert PDF.default_targets == {"pdf": "png"}
    assert set(PDF.pairs) == {("pdf", target) for target in ("png", "jpg", "webp", "txt", "pdf")}
