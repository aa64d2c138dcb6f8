"""Serve HTTP until SIGTERM."""

import argparse
import multiprocessing
import os
import signal
import socket
import sys
from dataclasses import replace
from typing import Any

from app.cli.database import with_database
from app.cli.quick_imports import quick_imports
from app.cli.refusal import CannotRun
from app.settings import BadSetting, Settings, from_environment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=_count, default=1, help="processes that share the port")
    parser.add_argument("--fd", type=int, help=argparse.SUPPRESS)  # `rowmill up` keeps the port
    parser.add_argument("--gate", type=int, help=argparse.SUPPRESS)  # its database is on its way


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    from app.cli.listen import listen

    if arguments.gate is None:
        settings = with_database(settings)
    door = listen(settings) if arguments.fd is None else socket.socket(fileno=arguments.fd)
    if arguments.workers > 1:
        return _serve_many(door, settings, arguments.workers)
    return _serve_one(door, settings, arguments.gate)


def application() -> Any:
    """Make the application in a process of its own, which ends with the one that started it."""
    from app import log
    from app.embedded.tether import tether
    from app.main import create_app

    first = multiprocessing.parent_process()
    # Its number as it was told to us: by now it may be dead, and our parent somebody else.
    tether(signal.SIGKILL, parent=first.pid if first else os.getppid())()
    settings = from_environment()
    log.configure(level=settings.log_level, service="api")
    return create_app(settings)


def _serve_one(door: socket.socket, settings: Settings, gate: int | None) -> int:
    with quick_imports():
        import uvicorn

        from app import log
        from app.api.database import NotOpen
        from app.cli.reason import Reason
        from app.main import create_app

    if gate is not None:
        with os.fdopen(gate) as lines:
            url = lines.readline().strip()
        if not url:
            return 1  # the database does not come
        settings = replace(settings, database_url=url)
    log.configure(level=settings.log_level, service="api")
    application = Reason(create_app(settings))
    server = uvicorn.Server(uvicorn.Config(application, **_options(settings)))
    # uvicorn repeats the signal that ended it, for whoever had it before.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    try:
        server.run(sockets=[door])
    except SystemExit:
        if isinstance(application.error, NotOpen | BadSetting):
            raise CannotRun(str(application.error)) from None
        raise
    return 0 if server.started else 1


def _serve_many(door: socket.socket, settings: Settings, workers: int) -> int:
    import uvicorn
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    from app import log

    log.configure(level=settings.log_level, service="api")
    _refuse_hopeless(settings, workers)
    os.environ["DATABASE_URL"] = str(settings.database_url)  # for the processes
    config = uvicorn.Config(
        "app.cli.api:application", factory=True, workers=workers, **_options(settings)
    )
    supervisor = Multiprocess(config, sockets=[door])
    supervisor.run()
    # It also ends when one of them could not start, and says nothing about it.
    return int(any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes))


def _refuse_hopeless(settings: Settings, processes: int) -> None:
    """Raise CannotRun for what no process could ever work with; a database may come later.

    Seats that are too few for so many processes are only said.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from app.api.database import NotOpen
    from app.api.opening import open_up, warn_of_seats
    from app.db import is_away, sessions_of, single_engine
    from app.storage import DiskStorage

    engine = single_engine(str(settings.database_url), name="rowmill api")
    try:
        with sessions_of(engine).begin() as session:
            open_up(session, DiskStorage(settings.data))
            warn_of_seats(session, apis=processes, live_seconds=settings.lease_seconds)
    except NotOpen as error:
        raise CannotRun(str(error)) from None
    except SQLAlchemyError as error:
        if not is_away(error):
            raise


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes, 1 or more")
    return int(text)


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "http": "httptools",
        "loop": "uvloop",
        "ws": "none",
        "lifespan": "on",
        # Its lines hold what a stranger sent; the application logs its own, with fields.
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "timeout_graceful_shutdown": max(1, int(settings.grace_seconds)),
    }
