"""Run everything: embedded PostgreSQL (unless DATABASE_URL is set), the API and a worker."""

import argparse

from app.cli.alone import alone
from app.cli.listen import listen
from app.cli.service import Service
from app.cli.waiting import hold_signals, next_signal
from app.embedded import Interrupted
from app.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(_arguments: argparse.Namespace, settings: Settings) -> int:
    """Return 0 when somebody wanted to stop and everything has ended, in the right order."""
    hold_signals()
    with alone(settings.data), listen(settings) as door:
        service = Service(settings, door)
        try:
            service.run()
        except Interrupted:
            next_signal(0)  # the one that interrupted; only a further one asks for haste
        finally:
            service.stop()
    return 0
