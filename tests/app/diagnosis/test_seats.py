"""The seats are counted, limited by whatever is lowest, and judged by what replicas may take."""

import os
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace

import pytest
from sqlalchemy import Engine, make_url, text

from app import db
from app.api.database import Database
from app.diagnosis import horizon, seats
from app.diagnosis.seats import Seats
from tests.app.diagnosis.roles import Role
from tests.pgbouncer import pgbouncer
from tests.postgres import Server

STOCK = Seats(most=100, reserved=3, room=97, limited_by="max_connections", taken={})


def test_a_superuser_may_take_reserved_seats_too(sessions: db.Sessions) -> None:
    with sessions() as session:
        found = seats.read(session)
    assert (found.limited_by, found.room) == ("max_connections", found.most)
    assert found.reserved >= 3


def test_an_ordinary_role_has_what_its_own_limit_leaves(role: Role, database_url: str) -> None:
    mine = db.sessions_of(db.single_engine(role(limit=4), name="test"))
    with db.single_engine(database_url, name="a report").connect(), mine() as session:
        found = seats.read(session)
    assert (found.room, found.limited_by) == (4, "the connection limit of the role")
    assert found.in_use == 1  # those of other roles do not count for it


def test_the_limit_of_who_logs_in_holds_for_the_role_that_is_taken_on(
    role: Role, database_url: str
) -> None:
    vault, owner = role(limit=4), role()
    who, whom = (make_url(url).username for url in (vault, owner))
    with db.single_engine(database_url, name="test").begin() as connection:
        connection.execute(text(f"GRANT {whom} TO {who}"))
        connection.execute(text(f"ALTER ROLE {who} SET role = {whom}"))
    with db.sessions_of(db.single_engine(vault, name="test"))() as session:
        assert session.scalar(text("SELECT current_user")) == whom
        found = seats.read(session)
    assert (found.room, found.limited_by) == (4, "the connection limit of the role")
    assert found.in_use == 1


def test_an_ordinary_role_counts_the_sessions_of_others_and_sees_who_holds_the_horizon(
    role: Role, database_url: str
) -> None:
    names = ("rowmill worker there", "a report")
    with ExitStack() as strangers:
        for name in names:
            holding = strangers.enter_context(db.single_engine(database_url, name=name).connect())
            holding.execute(text("SELECT pg_current_xact_id()"))
        with db.sessions_of(db.single_engine(role(), name="test"))() as session:
            found = seats.read(session)
            holders = {one.application: one for one in horizon.read(session)}
    assert found.limited_by == "max_connections"
    assert found.room < found.most
    assert found.taken["worker"] == 1
    assert found.taken["other"] >= 2  # the asker is no process of Rowmill either
    assert set(names) <= set(holders)
    hidden = holders["a report"]
    assert (hidden.client, hidden.query, hidden.seconds) == ("unknown", "", None)


def test_a_rowmill_on_another_database_is_a_stranger(
    sessions: db.Sessions, database_url: str
) -> None:
    elsewhere = database_url.rpartition("/")[0] + "/postgres"
    with db.single_engine(elsewhere, name="rowmill api there-1").connect(), sessions() as session:
        found = seats.read(session)
    assert found.taken.get("api", 0) == 0
    assert found.apis == 0


def test_api_processes_are_counted_by_their_names(sessions: db.Sessions, database_url: str) -> None:
    names = ("rowmill api here-1", "rowmill api here-1", "rowmill api there-1", "rowmill api")
    with ExitStack() as connected:
        for name in names:
            connected.enter_context(db.single_engine(database_url, name=name).connect())
        with sessions() as session:
            found = seats.read(session)
    assert (found.taken["api"], found.apis) == (4, 2)


@pytest.mark.parametrize("host", ["x" * 64, "é" * 32])
def test_api_processes_of_hosts_with_long_names_are_told_apart(
    sessions: db.Sessions, database_url: str, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: host)
    monkeypatch.setattr(os, "getpid", lambda: 4_194_304)
    with ExitStack() as running:
        for _ in range(2):
            api = Database(database_url, open_up=lambda _: None)
            running.callback(api.close)
            running.enter_context(api.engine.connect())
        with sessions() as session:
            found = seats.read(session)
    assert (found.taken["api"], found.apis) == (2, 2)


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
        (
            {"other": 60},
            30,
            "warning",
            "1 = 45 seats, max_connections leaves 97, and other programs have 60",
        ),
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


def test_behind_a_pooler_its_limits_count_and_not_the_sum() -> None:
    given = Seats(
        most=100, reserved=3, room=20, limited_by="max_connections", taken={}, pooled=True
    )
    [finding] = seats.findings(given, workers=30)
    assert finding.state == "ok"
    assert "a pooler hands them out" in finding.says
    [finding] = seats.findings(replace(given, taken={"other": 20}), workers=1)
    assert finding.state == "ok"


def test_replicas_that_still_fit_are_counted() -> None:
    assert STOCK.apis_that_fit(workers=7) == 6
    assert STOCK.workers_that_fit(apis=6) == 7
    assert STOCK.workers_that_fit(apis=7) == 0


@pytest.mark.pgbouncer
def test_a_pooler_gives_itself_away(postgres: Server, database_url: str) -> None:
    with pgbouncer(postgres) as port:
        pooled = make_url(database_url).set(port=port).render_as_string(hide_password=False)
        found = {
            url: _read(db.single_engine(url, name="test")).pooled for url in (database_url, pooled)
        }
    assert found == {database_url: False, pooled: True}


def _read(engine: Engine) -> Seats:
    with db.sessions_of(engine)() as session:
        return seats.read(session)
