"""The options of film and sound conversions: what is accepted, and what a person is told."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.formats import catalogue
from app.formats.media import FILMS, LONGEST_SIDE, MEDIA, PICTURES, SOUNDS, MediaOptions


def _said(given: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        MediaOptions.model_validate(given)
    return " ".join(one["msg"] for one in refused.value.errors())


def test_everything_may_be_left_out() -> None:
    assert MediaOptions.model_validate({}) == MediaOptions()


def test_a_form_sends_texts_and_leaves_fields_empty() -> None:
    form = {"width": "640", "fps": "12.5", "mute": "on", "start": "", "duration": "90"}

    assert MediaOptions.model_validate(form) == MediaOptions(
        width=640, fps=12.5, mute=True, duration=90
    )


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("1:30", 90),
        ("0:01:30.5", 90.5),
        (" 2:03:04 ", 7384),
        ("90:00", 5400),
        ("12.5", 12.5),
        (7, 7),
        ("0", 0),
    ],
)
def test_a_time_is_read_however_it_is_written(given: object, seconds: float) -> None:
    assert MediaOptions.model_validate({"start": given}).start == seconds


TIME = "must be a number of seconds, or a time such as 1:30 or 0:01:30.5"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"width": 1}, f"width must be a whole number of pixels from 2 to {LONGEST_SIDE}, not 1."),
        (
            {"height": LONGEST_SIDE + 1},
            "height must be a whole number of pixels from 2 to 8192, not 8193.",
        ),
        ({"fps": 0}, "fps must be a number of frames a second from 1 to 120, not 0."),
        ({"fps": "nan"}, "fps must be a number of frames a second from 1 to 120, not 'nan'."),
        ({"fps": True}, "fps must be a number of frames a second from 1 to 120, not True."),
        ({"quality": 0}, "quality must be a whole number from 1 to 100, not 0."),
        ({"start": -1}, f"start {TIME}, not -1."),
        ({"start": "inf"}, f"start {TIME}, not 'inf'."),
        ({"start": "1:2:3:4"}, f"start {TIME}, not '1:2:3:4'."),
        ({"duration": 0}, f"duration {TIME}, and more than 0, not 0."),
        ({"mute": 2}, "mute must be true or false, not 2."),
        (
            {"audio_bitrate": "128k"},
            "audio_bitrate must be a whole number of kilobits a second from 8 to 512, not '128k'.",
        ),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(given: Any, sentence: str) -> None:
    assert _said(given) == sentence


def test_an_unknown_option_is_answered_with_the_known_ones() -> None:
    said = _said({"volume": 11})

    assert said.startswith("'volume' is not an option of film and sound conversions.")
    assert all(name in said for name in MediaOptions.model_fields)


def test_what_a_row_keeps_is_read_back_as_the_same() -> None:
    options = MediaOptions.model_validate({"start": "1:30", "fps": "23.976", "mute": True})

    assert MediaOptions.model_validate(options.model_dump(mode="json")) == options


def test_the_schema_describes_every_option_to_a_person() -> None:
    properties = MediaOptions.model_json_schema()["properties"]

    assert set(properties) == set(MediaOptions.model_fields) == set(MediaOptions.sentences)
    for name, schema in properties.items():
        assert schema["title"], name
        assert schema["description"].endswith("."), name
        assert "type" in schema, name  # one plain type: null is said by leaving it out


def test_every_source_has_a_default_target_that_is_another_format() -> None:
    assert set(MEDIA.default_targets) == set(MEDIA.sources)
    assert all(source != target for source, target in MEDIA.default_targets.items())


def test_a_sound_does_not_become_a_film_and_a_film_becomes_everything() -> None:
    for sound in SOUNDS:
        assert set(MEDIA.targets_of(sound)) == set(SOUNDS)
    for film in FILMS:
        assert set(MEDIA.targets_of(film)) == {*FILMS, *SOUNDS, *PICTURES, "gif"}


def test_a_gif_becomes_a_picture_by_default_and_a_film_on_request() -> None:
    assert catalogue.default_target("gif") == "webp"
    assert {"mp4", "webm"} <= set(catalogue.targets_of("gif"))
