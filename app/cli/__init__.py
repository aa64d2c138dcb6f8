"""The commands of `rowmill`, each in a file of its name."""

import argparse
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from app.cli import api, doctor, migrate, up, why, worker
from app.cli.refusal import CannotRun
from app.embedded import EmbeddedFailed
from app.settings import BadSetting, from_environment

COMMANDS: dict[str, ModuleType] = {
    "up": up,
    "api": api,
    "worker": worker,
    "migrate": migrate,
    "doctor": doctor,
    "why": why,
}


def main(given: Sequence[str] | None = None) -> int:
    """Run one command; 2 means that a person has to change something before it can run."""
    arguments = _parser().parse_args(given)
    try:
        return int(COMMANDS[arguments.command].run(arguments, from_environment()))
    except (BadSetting, CannotRun, EmbeddedFailed) as error:
        print(f"rowmill {arguments.command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"rowmill {arguments.command}: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rowmill",
        description="Converts files in the background and says truthfully how far each one is.",
        epilog="Settings come from the environment: DATABASE_URL, ROWMILL_DATA, ROWMILL_PORT, …",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="say which one this is")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, module in COMMANDS.items():
        says = str(module.__doc__)
        module.add_arguments(commands.add_parser(name, help=says, description=says))
    return parser


class _Version(argparse.Action):
    """Argparse's own wants the text now, and all of the API would be imported for each command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from app.main import rowmill_version

        print(f"rowmill {rowmill_version()}")
        parser.exit()
