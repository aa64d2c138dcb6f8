"""A full disk at the start is not taken for what a machine cannot do: it is tried again."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from app.db import Sessions
from app.formats.family import Family, Options
from app.models import Worker
from app.queue import Claimed
from app.settings import Settings
from tests import make
from tests.chaos import disk
from tests.polling import poll
from tests.worker.cell.probing import spawner_of
from tests.worker.desks import desk_of
from worker import offers, trials
from worker.attempt import Control
from worker.offers import Offers
from worker.outcome import Interrupted
from worker.report import HandIn, Report
from worker.retrial import Retrial
from worker.spawner.client import Spawner

ABLE = {"png": {"nap": None}}
SOON = Settings(sweep_seconds=0.05)
FAMILY = Family(
    kind="tried",
    convert="rowmill_trial:convert",
    trial="rowmill_writes:trial",
    sources=("png",),
    targets=("nap",),
    options=Options,
    default_targets={},
)


@pytest.fixture
def spawner() -> Iterator[Spawner]:
    with spawner_of(os.getuid(), "rowmill_trial:convert", "rowmill_writes:trial") as running:
        yield running


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder on a disk that can be filled, where this machine lets root have one."""
    with disk.small_disk() as small:
        yield small / "house"


def test_what_there_is_no_room_to_try_is_tried_again(spawner: Spawner, place: Path) -> None:
    [(_, able)] = trials.run([FAMILY], spawner, SOON, place=place)
    assert able == ABLE
    if not disk.is_small(place.parent):
        return
    with disk.full(place.parent):
        assert trials.unconfined(spawner, SOON, place=place) is None
        tried = trials.run([FAMILY], spawner, SOON, place=place)
        assert tried == [(FAMILY, trials.NO_ROOM)]
        assert offers.make(tried, SOON).problems == [f"tried: {trials.NO_ROOM}"]
        retrial = Retrial(tried, spawner, SOON, place=place)
        told: list[bool] = []
        retrial.begin(lambda: told.append(True))
        assert retrial.take() is None
    poll(lambda: told)
    can = retrial.take()
    assert can is not None
    assert (can.pairs, can.problems, told) == ({"tried": {"png": ["nap"]}}, [], [True])
    assert retrial.take() is None


def test_what_fails_with_room_is_not_tried_again(spawner: Spawner, place: Path) -> None:
    """Here it is a folder, and no disk, that keeps a trial from being made."""
    place.touch()
    [(_, why)] = trials.run([FAMILY], spawner, SOON, place=place)
    assert isinstance(why, trials.Untried)
    place.unlink()
    unknown = Family(**vars(FAMILY) | {"convert": "rowmill_nowhere:convert"})
    [(_, why)] = trials.run([unknown], spawner, SOON, place=place)
    assert not isinstance(why, trials.Untried)
    Retrial([(unknown, why)], spawner, SOON, place=place).begin(lambda: pytest.fail("tried"))


def test_a_trial_that_was_asked_to_end_tells_nothing(spawner: Spawner, place: Path) -> None:
    retrial = Retrial([(FAMILY, trials.NO_ROOM)], spawner, SOON, place=place)
    retrial.end()
    retrial.begin(lambda: pytest.fail("tried"))
    assert retrial.take() is None


def test_what_is_found_later_leaves_alone_what_others_have_noted() -> None:
    others = {"tried:png>nap", "newer:png>webp"}
    first = Offers({}, {}, lacking=others, reasons={"tried:png>nap": "no room"})
    again = first.renewed(Offers({"tried": 2}, {"tried": {"png": ["nap"]}}))
    assert again.rooms == {"tried": 2}
    assert again.lacking is others
    assert others == {"newer:png>webp"}


def test_who_has_withdrawn_offers_nothing_again(
    database_url: str, sessions: Sessions, tmp_path: Path
) -> None:
    """A trial may end after a cell has turned out to hold nobody."""

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        hand_in(Report(job, Interrupted(), unconfined="it does not hold"))

    told: list[str] = []

    def silent() -> bool:
        with sessions() as session:
            for row in session.scalars(select(Worker)):
                told.extend(row.offers["problems"])
        return not told

    can = Offers({"misbehave": 1}, {})
    with sessions.begin() as session:
        make.make_job(session)
    with desk_of(database_url, tmp_path, work=work, renewed=lambda: can) as running:
        running.run_while(lambda: silent() and running.turns < 30)
    assert told == ["it does not hold"]
