"""The seats are counted, limited by whatever is lowest, and judged by what replicas may take."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import pytest
from sqlalchemy import make_url, text

from app import db
from app.diagnosis import seats
from app.diagnosis.seats import Seats

STOCK = Seats(most=100, reserved=3, room=97, limited_by="max_connections", taken={})


@pytest.fixture
def ordinary(database_url: str) -> Iterator[str]:
    """The URL of the database for a role that may do little, and have four connections."""
    url = make_url(database_url)
    engine = db.single_engine(database_url, name="test")
    with engine.begin() as connection:
        connection.execute(text("CREATE ROLE ordinary LOGIN CONNECTION LIMIT 4"))
        connection.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA public TO ordinary"))
    yield url.set(username="ordinary").render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text("DROP OWNED BY ordinary"))
        connection.execute(text("DROP ROLE ordinary"))


def test_a_superuser_may_take_reserved_seats_too(sessions: db.Sessions) -> None:
    with sessions() as session:
        found = seats.read(session)
    assert (found.limited_by, found.room) == ("max_connections", found.most)
    assert found.reserved >= 3


def test_an_ordinary_role_has_what_its_own_limit_leaves(ordinary: str) -> None:
    with db.sessions_of(db.single_engine(ordinary, name="test"))() as session:
        found = seats.read(session)
    assert (found.room, found.limited_by) == (4, "the connection limit of the role")


def test_seats_are_told_by_who_sits_there(sessions: db.Sessions, database_url: str) -> None:
    before = taken(sessions)
    names = ("rowmill worker here", "rowmill worker there", "rowmill api", "psql")
    engines = [db.single_engine(database_url, name=name) for name in names]
    with ExitStack() as strangers:
        for engine in engines:
            strangers.enter_context(engine.connect())
        after = taken(sessions)
    gained = {who: seats - before.get(who, 0) for who, seats in after.items()}
    assert {who: gained[who] for who in ("worker", "api")} == {"worker": 2, "api": 1}
    assert gained["other"] >= 1  # the server is shared with other tests


def taken(sessions: db.Sessions) -> Mapping[str, int]:
    with sessions() as session:  # a transaction sees the activity of its first look for ever
        return seats.read(session).taken


def test_a_stock_server_has_room_for_one_api_and_82_workers() -> None:
    assert STOCK.workers_that_fit() == 82
    assert STOCK.fits(apis=1, workers=82)
    assert not STOCK.fits(apis=1, workers=83)


def test_strangers_take_room_from_workers() -> None:
    crowded = Seats(most=100, reserved=3, room=97, limited_by="", taken={"other": 40, "worker": 3})
    assert crowded.workers_that_fit() == 42
    assert not crowded.fits(apis=1, workers=43)


@pytest.mark.parametrize(
    ("taken", "workers", "state", "says"),
    [
        ({"api": 2}, 3, "ok", "79 more workers fit beside one API"),
        ({"other": 60}, 30, "warning", "one API and 30 workers may need 45 beside 60 of other"),
        ({"other": 97}, 1, "failure", "none is free"),
    ],
)
def test_a_budget_that_cannot_fit_is_said_with_its_sum(
    taken: dict[str, int], workers: int, state: str, says: str
) -> None:
    given = Seats(most=100, reserved=3, room=97, limited_by="max_connections", taken=taken)
    [finding] = seats.findings(given, workers=workers)
    assert finding.state == state
    assert says in finding.says
