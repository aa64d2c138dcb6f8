"""The role and the database that Rowmill uses, made in a server that has neither."""

from pathlib import Path

import psycopg2

from app.embedded.account import EmbeddedFailed


def furnish(folder: Path) -> None:
    """Make what is missing; Rowmill's own role is no superuser."""
    connection = _connect(folder)
    connection.autocommit = True  # CREATE DATABASE refuses to run in a transaction
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = 'rowmill'")
            if cursor.fetchone() is None:
                cursor.execute("CREATE ROLE rowmill LOGIN")
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = 'rowmill'")
            if cursor.fetchone() is None:
                cursor.execute("CREATE DATABASE rowmill OWNER rowmill")
    finally:
        connection.close()


def _connect(folder: Path) -> "psycopg2.extensions.connection":
    try:
        return psycopg2.connect(
            host=str(folder), port=5432, user="postgres", dbname="postgres", connect_timeout=5
        )
    except psycopg2.OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        raise EmbeddedFailed(f"PostgreSQL runs, but lets nobody in: {reason}") from None
