"""The options of documents: what is read, what is refused, and how both are put into words."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.formats.document import DOCUMENT, DocumentOptions
from app.formats.encodings import NAMES, codec, named


def _said(given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        DocumentOptions.model_validate(given)
    return " ".join(error["msg"] for error in caught.value.errors())


def test_everything_may_be_left_out() -> None:
    assert DocumentOptions.model_validate({}) == DocumentOptions()


def test_a_form_sends_texts_and_leaves_fields_empty() -> None:
    form = {"toc": "on", "margin": "20", "font_size": "10.5", "wrap": "", "encoding": ""}

    options = DocumentOptions.model_validate(form)

    assert options == DocumentOptions(toc=True, margin=20, font_size=10.5)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"toc": "maybe"}, "toc must be true or false, not 'maybe'."),
        ({"number_sections": 3}, "number_sections must be true or false, not 3."),
        ({"paper": "a3"}, "paper must be a4, a5, letter or legal, not 'a3'."),
        ({"margin": 81}, "margin must be a whole number of millimetres from 0 to 80, not 81."),
        (
            {"margin": "1cm"},
            "margin must be a whole number of millimetres from 0 to 80, not '1cm'.",
        ),
        ({"font_size": 5}, "font_size must be a number of points from 6 to 36, not 5."),
        ({"font_size": "NaN"}, "font_size must be a number of points from 6 to 36, not 'NaN'."),
        ({"wrap": 19}, "wrap must be a whole number of characters from 20 to 400, not 19."),
        ({"wrap": True}, "wrap must be a whole number of characters from 20 to 400, not True."),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(given: Any, sentence: str) -> None:
    assert _said(given) == sentence


def test_an_unknown_option_is_answered_with_the_known_ones() -> None:
    said = _said({"template": "/etc/passwd"})

    assert said.startswith("'template' is not an option of document conversions.")
    assert all(name in said for name in DocumentOptions.model_fields)


@pytest.mark.parametrize("encoding", ["zip", "rot13", "unicode_escape", "idna", "../x", 7, "hex"])
def test_only_encodings_of_text_can_be_named(encoding: Any) -> None:
    assert "encoding must be one of utf-8, utf-16" in _said({"encoding": encoding})


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("UTF8", "utf-8"),
        (" Latin-1 ", "windows-1252"),
        ("cp1251", "windows-1251"),
        ("Windows-1251", "windows-1251"),
        ("Shift-JIS", "shift_jis"),
        ("GBK", "gb18030"),
    ],
)
def test_an_encoding_is_read_however_it_is_written(given: str, read: str) -> None:
    assert DocumentOptions(encoding=named(given)).encoding == read
    assert DocumentOptions.model_validate({"encoding": given}).encoding == read


def test_every_encoding_exists() -> None:
    for name in NAMES:
        assert "plain".encode(codec(name)).decode(codec(name)) == "plain"
        assert named(name.upper()) == name


def test_what_a_row_keeps_is_read_back_as_the_same() -> None:
    options = DocumentOptions(toc=True, paper="letter", margin=0, font_size=12, encoding="big5")

    assert DocumentOptions.model_validate(options.model_dump(mode="json")) == options


def test_the_schema_describes_every_option_to_a_person() -> None:
    properties = DocumentOptions.model_json_schema()["properties"]

    assert set(properties) == set(DocumentOptions.model_fields)
    for name, schema in properties.items():
        assert schema["title"], name
        assert schema["description"].endswith("."), name
        assert "type" in schema, name
    assert properties["encoding"]["enum"] == list(NAMES)


def test_no_format_becomes_itself_and_every_source_has_a_default() -> None:
    assert all(source != target for source, target in DOCUMENT.pairs)
    assert len(DOCUMENT.pairs) == 11 * 11
    assert set(DOCUMENT.default_targets) == set(DOCUMENT.sources)
