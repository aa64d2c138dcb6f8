"""Whoever holds the horizon is named, with what to do about it."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from app import db
from app.diagnosis import horizon, idle
from app.diagnosis.catalogs import CatalogSlot
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
        (replace(HOLDER, name="x\x1b[31m", what="prepared transaction"), "ok", r"x\x1b[31m"),
        (replace(HOLDER, what="prepared transaction", seconds=301), "warning", "ROLLBACK PREPARED"),
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


def test_how_many_hold_it_beside_the_oldest_is_said() -> None:
    two, twenty = ([HOLDER] * number for number in (2, horizon.MOST))
    said = {
        number: finding.says
        for number, found in enumerate([[HOLDER], two, twenty])
        for finding in horizon.findings(found, all_seen=True)
    }
    assert "more" not in said[0]
    assert said[1].endswith("; and 1 more")
    assert said[2].endswith("; and 19 more at least")
    [old] = horizon.findings([HOLDER, replace(HOLDER, seconds=301)], all_seen=True)
    assert "for 301 s" in old.says
    assert "; and 1 more. End it with" in old.says


def test_a_slot_that_keeps_catalogs_alone_is_told_as_that() -> None:
    slot = CatalogSlot(slot="copy", plugin="pgoutput", is_active=False, transactions=12)
    [well] = horizon.findings([], catalogs=[slot], all_seen=True)
    assert well.state == "ok"
    assert well.says.startswith("nobody holds it; that of the catalogs alone is held by ")
    assert "'copy' of 'pgoutput' (inactive) for 12 transactions" in well.says
    late = replace(slot, transactions=2_000_000)
    [ill] = horizon.findings([HOLDER], catalogs=[late, slot], all_seen=True)
    assert ill.state == "warning"
    assert "; and 1 more. If its consumer is gone: SELECT pg_drop_replication_slot" in ill.says


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
