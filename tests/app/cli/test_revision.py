"""Whether anything is to be migrated: the cheap look agrees with the tool that migrates."""

import psycopg2
import pytest
from alembic.script import ScriptDirectory

from app import schema
from app.cli.revision import is_current, known
from tests.postgres import Server


def set_revision(url: str, revision: str) -> None:
    connection = psycopg2.connect(url.replace("+psycopg2", ""))
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute("UPDATE alembic_version SET version_num = %s", (revision,))
    finally:
        connection.close()


def test_the_names_of_the_files_are_the_revisions_and_the_last_one_is_the_newest() -> None:
    scripts = ScriptDirectory.from_config(schema._config(""))
    assert known() == [script.revision for script in scripts.walk_revisions()][::-1]
    assert known()[-1] == scripts.get_current_head()


def test_a_migrated_database_is_current(database_url: str) -> None:
    assert is_current(database_url)


def test_a_database_of_a_newer_version_is_left_alone(database_url: str) -> None:
    set_revision(database_url, "9999")
    assert is_current(database_url)


def test_an_older_one_is_not_current(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = [*known(), "9999"]
    monkeypatch.setattr("app.cli.revision.known", lambda: newer)
    assert not is_current(database_url)


def test_one_without_tables_or_without_an_answer_is_not_current(postgres: Server) -> None:
    assert not is_current(postgres.url("postgres"))
    assert not is_current("postgresql+psycopg2://nobody@127.0.0.1:1/none")
