"""Convert files until SIGTERM, as `python -m worker` does."""

import argparse
import os
import sys

from app.cli.database import with_database
from app.settings import Settings

# -P: a folder named worker in the current folder must not come before ours.
PROGRAM = [sys.executable, "-P", "-m", "worker"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(_arguments: argparse.Namespace, settings: Settings) -> int:
    url = str(with_database(settings).database_url)
    os.execve(PROGRAM[0], PROGRAM, {**os.environ, "DATABASE_URL": url})  # noqa: S606
