"""A schema that cannot be brought up to date is one line that says what to do about it."""

import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg2
import pytest

from tests.pgbouncer import pgbouncer
from tests.postgres import Server

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def execute(url: str, *statements: str) -> None:
    connection = psycopg2.connect(url.replace("+psycopg2", ""))
    connection.autocommit = True
    for statement in statements:
        connection.cursor().execute(statement)
    connection.close()


def named(url: str, role: str) -> str:
    return url.replace("rowmill@", f"{role}@")


@pytest.fixture
def empty_url(postgres: Server) -> Iterator[str]:
    with postgres.database(template="template1") as url:
        yield url


@pytest.fixture
def role(empty_url: str) -> Iterator[str]:
    """Make a role that may connect to an empty database and no more."""
    role = f"app_{uuid.uuid4().hex[:12]}"
    execute(empty_url, f"CREATE ROLE {role} LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    yield role
    execute(empty_url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


@pytest.mark.parametrize("command", ["migrate", "up"])
@pytest.mark.parametrize("lacks", ["CREATE", "USAGE"])
def test_a_role_that_may_make_no_tables_is_told_what_to_grant(
    run: Run, empty_url: str, role: str, tmp_path: Path, command: str, lacks: str
) -> None:
    if lacks == "USAGE":
        execute(empty_url, "REVOKE ALL ON SCHEMA public FROM PUBLIC")
    url = named(empty_url, role)
    settings = {"DATABASE_URL": url, "ROWMILL_DATA": tmp_path, "ROWMILL_PORT": 0}
    done = run(command, **settings)
    assert done.returncode == 2, done
    says = done.stderr.splitlines()[-1]
    assert says.startswith(f"rowmill {command}: ")
    assert "Background on this error" not in says
    if command == "migrate":
        assert done.stderr.splitlines() == [says]
    grant = says.partition("As its owner run: ")[2].partition(". Or ")[0]
    assert grant == f'GRANT USAGE, CREATE ON SCHEMA public TO "{role}"'
    execute(empty_url, grant)
    assert run("migrate", **settings).stdout == "The schema is up to date.\n"


def test_a_role_that_does_not_own_the_tables_is_told_whose_they_are(
    run: Run, database_url: str, role: str
) -> None:
    execute(database_url, "DELETE FROM alembic_version")
    done = run("migrate", DATABASE_URL=named(database_url, role))
    assert done.returncode == 2, done
    (says,) = done.stderr.splitlines()
    assert "migrate as the role that owns the tables" in says


def test_a_standby_is_one_line(run: Run, empty_url: str) -> None:
    """Neither an owner nor a grant helps there, and none is named."""
    name = empty_url.rpartition("/")[2]
    execute(empty_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    done = run("migrate", DATABASE_URL=empty_url)
    assert done.returncode == 2, done
    (says,) = done.stderr.splitlines()
    assert says.startswith("rowmill migrate: the database refuses: cannot execute ")
    assert "GRANT" not in says


@pytest.mark.pgbouncer
def test_a_pooler_is_one_line(run: Run, postgres: Server, empty_url: str) -> None:
    with pgbouncer(postgres) as port:
        done = run("migrate", DATABASE_URL=empty_url.replace(f":{postgres.port}/", f":{port}/"))
    assert done.returncode == 2, done
    (says,) = done.stderr.splitlines()
    assert says.startswith("rowmill migrate: A connection pooler stands before the database.")
