"""Whoever holds the horizon is named, with what to do about it."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from app import db
from app.diagnosis import horizon, idle
from app.diagnosis.horizon import Holder
from app.diagnosis.idle import Idle

HOLDER = Holder(
    what="session",
    name="4711",
    state="idle in transaction",
    application="report",
    client="local",
    query="SELECT 1",
    transactions=12,
    seconds=5.0,
)


def holders_of(sessions: db.Sessions, application: str) -> list[Holder]:
    with sessions() as session:
        return [one for one in horizon.read(session) if one.application == application]


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE written (a int)"],
        ["SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM jobs"],
        ["DECLARE c CURSOR FOR SELECT * FROM jobs", "FETCH 1 FROM c"],
    ],
    ids=["wrote", "repeatable read", "open cursor"],
)
def test_a_session_that_holds_it_is_found(
    sessions: db.Sessions, database_url: str, statements: list[str]
) -> None:
    engine = db.single_engine(database_url, name="a report")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
        [found] = holders_of(sessions, "a report")
        assert found.state == "idle in transaction"
        assert found.query.endswith(statements[-1])
        assert f"last statement: {found.query}" in found.sentence
        assert found.what == "session"
        seen = idle_of(sessions, "a report")
    assert [one.pid for one in seen] == [int(found.name)]
    assert holders_of(sessions, "a report") == []


def test_a_transaction_that_only_read_holds_nothing(
    sessions: db.Sessions, database_url: str
) -> None:
    engine = db.single_engine(database_url, name="a reader")
    with engine.connect() as connection:
        connection.execute(text("SELECT count(*) FROM jobs"))
        assert holders_of(sessions, "a reader") == []
        assert len(idle_of(sessions, "a reader")) == 1


def idle_of(sessions: db.Sessions, application: str) -> list[Idle]:
    with sessions() as session:
        return [one for one in idle.read(session) if one.application == application]


@pytest.mark.parametrize(
    ("holder", "state", "says"),
    [
        (HOLDER, "ok", "oldest: session 4711 of 'report'"),
        (replace(HOLDER, seconds=301), "warning", "SELECT pg_terminate_backend(4711);"),
        (replace(HOLDER, seconds=None), "ok", "for 12 transactions"),
        (replace(HOLDER, name="x\x1b[31m", what="prepared transaction"), "warning", r"x\x1b[31m"),
        (replace(HOLDER, what="prepared transaction"), "warning", "ROLLBACK PREPARED"),
        (replace(HOLDER, what="replication slot", seconds=None), "ok", "for 12 transactions"),
        (
            replace(HOLDER, what="replication slot", seconds=None, transactions=2_000_000),
            "warning",
            "pg_drop_replication_slot",
        ),
        (
            replace(HOLDER, what="standby", seconds=None, transactions=2_000_000),
            "warning",
            "hot_standby_feedback",
        ),
    ],
)
def test_an_old_holder_is_a_warning_with_its_remedy(holder: Holder, state: str, says: str) -> None:
    [finding] = horizon.findings([holder], all_seen=True)
    assert finding.state == state
    assert says in finding.says


def test_a_role_that_sees_little_says_so() -> None:
    hidden = replace(HOLDER, seconds=None, state=None)
    [finding] = horizon.findings([hidden], all_seen=False)
    assert "(state unknown) for 12 transactions" in finding.says
    [forgotten] = idle.findings([], all_seen=False)
    assert all("GRANT pg_monitor" in one.says for one in (finding, forgotten))
    [nobody] = horizon.findings([], all_seen=False)
    assert nobody.says == "nobody holds it"


def test_a_forgotten_transaction_is_named_with_its_last_statement() -> None:
    one = Idle(pid=7, application="psql", client="local", query="UPDATE t", seconds=11)
    [finding] = idle.findings([one], all_seen=True)
    assert finding.state == "warning"
    assert "process 7 of 'psql'" in finding.says
    assert "UPDATE t" in finding.says
    [short] = idle.findings([replace(one, seconds=9)], all_seen=True)
    assert short.state == "ok"
