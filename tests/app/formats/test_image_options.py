"""The options of pictures: what is read, what is refused, and how both are put into words."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.formats.image import COLOURS, IMAGE, LONGEST_SIDE, ImageOptions


def _said(given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        ImageOptions.model_validate(given)
    return " ".join(error["msg"] for error in caught.value.errors())


def test_everything_may_be_left_out() -> None:
    assert ImageOptions.model_validate({}) == ImageOptions()


def test_a_form_sends_texts_and_leaves_fields_empty() -> None:
    form = {"width": "800", "height": "", "lossless": "on", "background": "", "quality": None}

    options = ImageOptions.model_validate(form)

    assert options == ImageOptions(width=800, lossless=True)


@pytest.mark.parametrize(
    ("given", "read"),
    [("#FFCC00", "#ffcc00"), ("#fc0", "#ffcc00"), (" Navy ", "#000080"), ("white", "#ffffff")],
)
def test_a_colour_is_read_however_it_is_written(given: str, read: str) -> None:
    assert ImageOptions(background=given).background == read


def test_every_named_colour_can_be_used() -> None:
    for name, value in COLOURS.items():
        assert ImageOptions(background=name).background == value


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"width": 0}, "width must be a whole number of pixels from 1 to 65535, not 0."),
        ({"height": 65_536}, "height must be a whole number of pixels from 1 to 65535, not 65536."),
        (
            {"height": "wide"},
            "height must be a whole number of pixels from 1 to 65535, not 'wide'.",
        ),
        ({"width": True}, "width must be a whole number of pixels from 1 to 65535, not True."),
        ({"width": 1.5}, "width must be a whole number of pixels from 1 to 65535, not 1.5."),
        ({"quality": 101}, "quality must be a whole number from 1 to 100, not 101."),
        ({"fit": "crop"}, "fit must be inside, cover, pad or fill, not 'crop'."),
        ({"strip": "maybe"}, "strip must be true or false, not 'maybe'."),
        ({"lossless": []}, "lossless must be true or false, not []."),
        ({"first_frame": 2}, "first_frame must be true or false, not 2."),
        ([], "The options must be an object of names."),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(given: Any, sentence: str) -> None:
    assert _said(given) == sentence


@pytest.mark.parametrize("colour", ["#12345", "rgb(1,2,3)", "#gggggg", 7, "url(x)"])
def test_a_wrong_colour_is_answered_with_the_names(colour: Any) -> None:
    said = _said({"background": colour})

    assert said.startswith("background must be a colour such as #ffcc00")
    assert "navy" in said


def test_an_unknown_option_is_answered_with_the_known_ones() -> None:
    said = _said({"colour": "red"})

    assert said.startswith("'colour' is not an option of image conversions.")
    assert all(name in said for name in ImageOptions.model_fields)


def test_quality_and_lossless_exclude_each_other() -> None:
    assert "leave one of them out" in _said({"quality": 80, "lossless": True})


def test_an_endless_value_is_not_repeated_endlessly() -> None:
    assert len(_said({"fit": "x" * 10_000})) < 200


def test_two_mistakes_are_two_sentences() -> None:
    assert _said({"width": 0, "fit": "x"}).count(".") == 2


def test_what_a_row_keeps_is_read_back_as_the_same() -> None:
    options = ImageOptions(width=10, fit="cover", background="red", strip=True)

    assert ImageOptions.model_validate(options.model_dump(mode="json")) == options


def test_the_schema_describes_every_option_to_a_person() -> None:
    properties = ImageOptions.model_json_schema()["properties"]

    assert set(properties) == set(ImageOptions.model_fields)
    for name, schema in properties.items():
        assert schema["title"], name
        assert schema["description"].endswith("."), name
        assert "type" in schema, name  # one plain type: null is said by leaving it out
    assert properties["width"]["maximum"] == LONGEST_SIDE
    assert properties["fit"]["enum"] == ["inside", "cover", "pad", "fill"]


def test_every_source_has_a_default_target_that_is_another_format() -> None:
    assert set(IMAGE.default_targets) == set(IMAGE.sources)
    for source, target in IMAGE.default_targets.items():
        assert target in IMAGE.targets
        assert target != source


def test_every_format_is_described_once() -> None:
    names = [known.name for known in IMAGE.formats]
    extensions = [extension for known in IMAGE.formats for extension in known.extensions]

    assert set(names) == {*IMAGE.sources, *IMAGE.targets}
    assert len(names) == len(set(names))
    assert len(extensions) == len(set(extensions))
    assert all(known.name in known.extensions for known in IMAGE.formats)
