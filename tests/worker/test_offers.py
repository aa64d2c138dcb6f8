"""A worker offers what it has tried, and says why it does not offer the rest."""

from dataclasses import replace

import pytest

from app.formats.family import Family, Options
from app.formats.image import IMAGE
from app.settings import BadSetting, Settings
from worker import offers

SOUND = Family(
    kind="sound",
    convert="sound:convert",
    sources=("wav",),
    targets=("mp3", "flac"),
    options=Options,
    default_targets={},
)


def test_a_family_that_passed_its_trial_is_offered_whole() -> None:
    can = offers.make([(SOUND, {"wav": {"mp3": None, "flac": None}})], Settings(slots=4))
    assert can.rooms == {"sound": 4}
    assert can.pairs == {"sound": {"wav": ["mp3", "flac"]}}
    assert (can.problems, can.lacking) == ([], set())


def test_a_pair_that_failed_its_trial_is_lacking_and_said() -> None:
    can = offers.make([(SOUND, {"wav": {"mp3": "no encoder"}})], Settings())
    assert can.pairs == {"sound": {"wav": ["flac"]}}
    assert can.lacking == {"sound:wav>mp3"}
    assert can.problems == ["sound: wav to mp3: no encoder"]


def test_a_reason_is_said_once_however_many_pairs_it_stands_against() -> None:
    reasons = {"wav": dict.fromkeys(("a", "b", "c", "d", "e"), "no encoder")}
    family = replace(SOUND, targets=("a", "b", "c", "d", "e"))
    can = offers.make([(family, reasons)], Settings())
    assert can.problems == ["sound: wav to a, wav to b, wav to c and 2 more: no encoder"]


def test_a_family_that_cannot_run_is_not_offered_and_said() -> None:
    can = offers.make([(SOUND, "ModuleNotFoundError: sound")], Settings())
    assert (can.rooms, can.pairs) == ({}, {})
    assert can.problems == ["sound: ModuleNotFoundError: sound"]


def test_a_setting_limits_the_kinds_and_their_slots() -> None:
    settings = Settings(slots=4, kinds={"sound": 1})
    assert offers.wanted((IMAGE, SOUND), settings) == [SOUND]
    assert offers.make([(SOUND, {})], settings).rooms == {"sound": 1}


def test_a_kind_that_nobody_knows_stops_the_start_and_names_those_there_are() -> None:
    with pytest.raises(BadSetting, match="'film', which is not one of: image, sound"):
        offers.wanted((IMAGE, SOUND), Settings(kinds={"film": None}))
