"""Migrations: the models and the revisions say the same, and replicas may run them at once."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, create_engine, select, text, update
from sqlalchemy.dialects.postgresql import JSONB

from app import db, queue, schema
from app.cli.revision import known
from app.models import Base, Event
from app.states import Move
from tests import make
from tests.polling import poll
from tests.postgres import Server

ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty_url(each_postgres: Server) -> Iterator[str]:
    with each_postgres.database(template="template1") as url:
        yield url


def test_the_revisions_make_what_the_models_say(empty_url: str) -> None:
    schema.upgrade(empty_url)
    engine = create_engine(empty_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        schema.check(connection)
    engine.dispose()


NAMED = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL
SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL
SELECT relname, 'storage parameters', array_to_string(reloptions, ', ') FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL
"""


def test_constraints_indexes_and_storage_parameters_are_the_same_too(
    each_postgres: Server,
) -> None:
    """Autogenerate compares no CHECK, no WHERE and no fillfactor; PostgreSQL tells all of them."""
    with (
        each_postgres.database(template="template1") as by_revisions,
        each_postgres.database(template="template1") as by_models,
    ):
        schema.upgrade(by_revisions)
        engine = create_engine(by_models)
        Base.metadata.create_all(engine)
        engine.dispose()
        assert _named(by_revisions) == _named(by_models) != []


def _named(url: str) -> list[tuple[str, ...]]:
    """Return each of them: its table, its name and what it says, of a constraint also if valid."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = sorted(tuple(row) for row in connection.execute(text(NAMED)))
    engine.dispose()
    return [row for row in found if row[0] != "alembic_version"]


NULLABLE = [
    column
    for table in Base.metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, JSONB) and column.nullable
]


@pytest.mark.parametrize("column", NULLABLE, ids=str)
def test_none_in_a_json_column_is_sql_null(sessions: db.Sessions, column: Column[object]) -> None:
    """JSON null would be a value: a job with one for its result would count as succeeded."""
    with sessions.begin() as session:
        make.make_job(session, status="running")
        session.execute(update(column.table).values({column: None}))
        assert set(session.scalars(select(column.is_(None)))) == {True}


def test_two_replicas_migrate_at_once(empty_url: str) -> None:
    migrate = [sys.executable, "-c", f"from app import schema; schema.upgrade({empty_url!r})"]
    replicas = [subprocess.Popen(migrate, cwd=ROOT) for _ in range(2)]
    assert [replica.wait(150) for replica in replicas] == [0, 0]


def test_a_replica_that_waits_for_the_lock_holds_no_snapshot(empty_url: str) -> None:
    """CREATE INDEX CONCURRENTLY in the other replica would wait for it for ever."""
    engine = create_engine(empty_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as holder:
        holder.execute(text("SELECT pg_advisory_lock(7265983112)"))
        waiting = threading.Thread(target=schema.upgrade, args=(empty_url,))
        waiting.start()
        rests = text(  # between two looks at the lock, where it is nearly all the time
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rowmill migrate'"
            " AND query = 'ROLLBACK' AND state = 'idle' AND datname = current_database()"
        )
        poll(lambda: holder.scalar(rests))
        holder.execute(text("CREATE TABLE other (id int)"))
        holder.execute(text("SET statement_timeout = '60s'"))
        holder.execute(text("CREATE INDEX CONCURRENTLY other_id ON other (id)"))
        holder.execute(text("SELECT pg_advisory_unlock(7265983112)"))
    waiting.join(150)
    assert not waiting.is_alive()
    engine.dispose()


WATCH = """
CREATE TABLE limits (statement text, lock text, statement_seconds text);
CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO limits VALUES (
        current_query(), current_setting('lock_timeout'), current_setting('statement_timeout'));
END $$;
CREATE EVENT TRIGGER note ON ddl_command_start EXECUTE FUNCTION note();
"""


def test_every_change_has_limits_and_only_a_concurrent_index_may_take_long(empty_url: str) -> None:
    engine = create_engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text(WATCH))
    schema.upgrade(empty_url)
    with engine.connect() as connection:
        seen = connection.execute(text("SELECT * FROM limits")).all()
    engine.dispose()
    concurrent = [row for row in seen if "CONCURRENTLY" in row.statement]
    others = [row for row in seen if "CONCURRENTLY" not in row.statement]
    assert {(row.lock, row.statement_seconds) for row in concurrent} == {("5s", "0")}
    assert {(row.lock, row.statement_seconds) for row in others} == {("5s", "1min")}


def test_a_database_without_tables_is_refused_with_the_command_to_run(empty_url: str) -> None:
    engine = create_engine(empty_url)
    with (
        engine.connect() as connection,
        pytest.raises(schema.SchemaTooOld, match="rowmill migrate"),
    ):
        schema.check(connection)
    engine.dispose()


def test_an_older_schema_is_refused_and_a_newer_one_accepted(empty_url: str) -> None:
    schema.upgrade(empty_url)
    engine = create_engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        schema.check(connection)
        connection.execute(text("DELETE FROM alembic_version"))
        with pytest.raises(schema.SchemaTooOld, match="rowmill migrate"):
            schema.check(connection)
    engine.dispose()


def test_a_house_of_the_first_revision_is_refused_until_it_has_all_the_others(
    empty_url: str,
) -> None:
    command.upgrade(schema._config(empty_url), "0001")
    engine = create_engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text(FIRST_ROWS))
    for revision in known()[:-1]:
        command.upgrade(schema._config(empty_url), revision)
        with (
            engine.connect() as connection,
            pytest.raises(schema.SchemaTooOld, match=f"revision {revision}.*rowmill migrate"),
        ):
            schema.check(connection)
    schema.upgrade(empty_url)
    with engine.connect() as connection:
        schema.check(connection)
    with db.sessions_of(engine).begin() as session:
        (job_id,) = queue.hand_over(session, {"office:docx>pdf": "document"})
        told = select(Event.move).where(Event.job_id == job_id).order_by(Event.id)
        assert list(session.scalars(told)) == [Move.ENQUEUE, Move.HAND_OVER]
    engine.dispose()


FIRST_ROWS = """
INSERT INTO uploads (id, name, size, received, completed_at)
VALUES (gen_random_uuid(), 'a.docx', 1, 1, now());
INSERT INTO jobs (upload_id, number, kind, payload)
SELECT id, 1, 'office', '{"from": "docx", "to": "pdf", "options": {}}' FROM uploads;
INSERT INTO events (job_id, move, attempt) SELECT id, 'enqueue', 0 FROM jobs;
"""


def test_a_revision_can_be_taken_back(empty_url: str) -> None:
    schema.upgrade(empty_url)
    engine = create_engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text(FIRST_ROWS.replace("enqueue", "hand_over")))
    engine.dispose()
    command.downgrade(schema._config(empty_url), "base")
    schema.upgrade(empty_url)
