"""Bring the database schema up to date; any number may do so at the same time."""

import argparse

from app.cli.database import said_by, with_database
from app.cli.refusal import CannotRun
from app.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(_arguments: argparse.Namespace, settings: Settings) -> int:
    from sqlalchemy.exc import DBAPIError

    from app.schema import upgrade

    url = str(with_database(settings).database_url)
    try:
        upgrade(url)
    except DBAPIError as error:
        raise CannotRun(f"the database refuses: {said_by(error)}{_remedy(error, url)}") from None
    except RuntimeError as error:  # what stands before the database is none
        raise CannotRun(str(error)) from None
    print("The schema is up to date.")
    return 0


def _remedy(error: Exception, url: str) -> str:
    """Return what a role lacks that may not make tables; nothing where it is something else."""
    from psycopg2.errors import InsufficientPrivilege, InvalidSchemaName
    from sqlalchemy import make_url

    match getattr(error, "orig", None):
        case InvalidSchemaName() | InsufficientPrivilege():
            role = (make_url(url).username or "…").replace('"', '""')
            grant = f'GRANT USAGE, CREATE ON SCHEMA public TO "{role}"'
            return f". As its owner run: {grant}. Or migrate as the role that owns the tables."
        case _:
            return ""
