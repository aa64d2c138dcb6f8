"""Many who ask at once cost one look and one seat, also when the look hangs."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.api import database as way
from app.api.database import Database, DatabaseAway
from app.api.ops.glance import Glance
from tests.polling import poll

FOR_EVER = 1e6


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url, open_up=lambda _: None)
    yield database
    database.close()


class Looks:
    """Counts looks; each waits until it may end."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = threading.Event()

    def __call__(self, session: Session) -> int:
        self.begun += 1
        self.may_end.wait(60)
        session.execute(text("SELECT 1"))
        return self.begun


def test_all_who_ask_meanwhile_and_soon_after_get_the_same_look(database: Database) -> None:
    looks = Looks()
    glance = Glance(database, looks, seconds=FOR_EVER)

    async def ask() -> list[int]:
        asking = [asyncio.ensure_future(glance.take()) for _ in range(10)]
        await asyncio.sleep(0)
        looks.may_end.set()
        return [*await asyncio.gather(*asking), await glance.take()]

    assert asyncio.run(ask()) == [1] * 11


def test_an_old_look_is_taken_anew(database: Database) -> None:
    looks = Looks()
    looks.may_end.set()
    glance = Glance(database, looks, seconds=0)

    async def ask() -> list[int]:
        return [await glance.take(), await glance.take()]

    assert asyncio.run(ask()) == [1, 2]


def test_while_a_look_hangs_no_second_one_begins_and_nobody_waits_for_long(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way, "ANSWER_SECONDS", 0.3)
    looks = Looks()
    glance = Glance(database, looks, seconds=0)

    async def ask() -> int:
        for _ in range(3):
            with pytest.raises(DatabaseAway):
                await glance.take()
            # Whoever was refused lets go; the first look hangs on.
            await asyncio.to_thread(poll, lambda: database.seats_in_use == 1 and looks.begun)
        assert looks.begun == 1
        looks.may_end.set()
        monkeypatch.setattr(way, "ANSWER_SECONDS", 30)
        while True:
            try:
                return await glance.take()
            except DatabaseAway:
                await asyncio.sleep(0.01)

    assert asyncio.run(ask()) == 2


def test_that_nothing_can_be_seen_is_kept_for_the_same_time(database: Database) -> None:
    asked = []

    def look(_: Session) -> None:
        asked.append(1)
        raise DatabaseAway

    glance = Glance(database, look, seconds=FOR_EVER)

    async def ask() -> None:
        for _ in range(3):
            with pytest.raises(DatabaseAway):
                await glance.take()

    asyncio.run(ask())
    assert len(asked) == 1


def test_whoever_leaves_takes_the_look_from_nobody(database: Database) -> None:
    looks = Looks()
    glance = Glance(database, looks, seconds=FOR_EVER)

    async def ask() -> int:
        leaving, staying = (asyncio.ensure_future(glance.take()) for _ in range(2))
        await asyncio.sleep(0)
        leaving.cancel()
        looks.may_end.set()
        return await staying

    assert asyncio.run(ask()) == 1
