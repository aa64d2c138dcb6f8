"""The options of tables: what is read, what is refused, and how both are put into words."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.formats.table import TABLE, TableOptions


def _said(given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        TableOptions.model_validate(given)
    return " ".join(error["msg"] for error in caught.value.errors())


def test_everything_may_be_left_out() -> None:
    assert TableOptions.model_validate({}) == TableOptions()


def test_a_form_sends_texts_and_leaves_fields_empty() -> None:
    form = {"encoding": "", "delimiter": "semicolon", "header": "true", "sheet": "2", "bom": "on"}

    assert TableOptions.model_validate(form) == TableOptions(
        delimiter=";", header=True, sheet="2", bom=True
    )


@pytest.mark.parametrize(
    ("given", "read"),
    [("UTF-8", "utf-8"), ("CP1252", "windows-1252"), ("Shift_JIS", "shift_jis")],
)
def test_an_encoding_is_read_however_it_is_written(given: str, read: str) -> None:
    assert TableOptions(encoding=given).encoding == read


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("comma", ","),
        ("Tab", "\t"),
        ("\\t", "\t"),
        ("\t", "\t"),
        ("|", "|"),
        (";", ";"),
        ("^", "^"),
    ],
)
def test_a_delimiter_is_a_name_or_a_character(given: str, read: str) -> None:
    assert TableOptions(delimiter=given).delimiter == read


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"encoding": "utf-7"}, "encoding must be one of utf-8, "),
        ({"delimiter": "ab"}, "delimiter must be comma, semicolon, tab, pipe, space"),
        ({"delimiter": '"'}, "delimiter must be"),
        ({"delimiter": "\n"}, "delimiter must be"),
        ({"delimiter": "5"}, "delimiter must be"),
        ({"result_delimiter": "x"}, "result_delimiter must be"),
        ({"header": "perhaps"}, "header must be true or false, not 'perhaps'."),
        ({"types": "float"}, "types must be text or auto, not 'float'."),
        ({"sheet": ["a"]}, "sheet must be the name of a sheet, its number from 1, or all"),
        ({"bom": 3}, "bom must be true or false, not 3."),
        ({"split": "maybe"}, "split must be true or false"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(given: Any, sentence: str) -> None:
    assert _said(given).startswith(sentence)


@pytest.mark.parametrize("given", [True, False])
def test_whether_there_is_a_header_can_be_said(given: bool) -> None:
    assert TableOptions(header=given).header is given


def test_a_truth_is_no_sheet() -> None:
    assert "sheet must not be" not in _said({"sheet": True})


def test_an_unknown_option_is_answered_with_the_known_ones() -> None:
    said = _said({"separator": ";"})

    assert said.startswith("'separator' is not an option of table conversions.")
    assert all(name in said for name in TableOptions.model_fields)


def test_what_a_row_keeps_is_read_back_as_the_same() -> None:
    options = TableOptions(
        encoding="Shift-JIS", delimiter="tab", sheet=2, types="auto", header=False
    )

    assert TableOptions.model_validate(options.model_dump(mode="json")) == options


def test_the_schema_describes_every_option_to_a_person() -> None:
    properties = TableOptions.model_json_schema()["properties"]

    assert set(properties) == set(TableOptions.model_fields)
    for name, schema in properties.items():
        assert schema["title"], name
        assert schema["description"].endswith("."), name
        assert "type" in schema, name


def test_every_source_has_a_default_and_no_format_turns_into_itself_for_nothing() -> None:
    assert set(TABLE.default_targets) == set(TABLE.sources)
    itself = {source for source, target in TABLE.pairs if source == target}
    assert itself == {"csv", "tsv", "xlsx"}
