"""Bring the database schema up to date; any number may do so at the same time."""

import argparse

from app.cli.database import said_by, with_database
from app.cli.refusal import CannotRun
from app.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(_arguments: argparse.Namespace, settings: Settings) -> int:
    from sqlalchemy.exc import OperationalError

    from app.schema import upgrade

    try:
        upgrade(str(with_database(settings).database_url))
    except OperationalError as error:
        raise CannotRun(f"the database refuses: {said_by(error)}") from None
    print("The schema is up to date.")
    return 0
