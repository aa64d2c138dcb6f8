"""Engines and session makers: named, limited in time, and ready for PgBouncer."""

import errno
import math
import os
import select
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg2
from psycopg2.extensions import (
    POLL_OK,
    POLL_READ,
    POLL_WRITE,
    PYDATETIMETZ,
    STATUS_SETUP,
    new_type,
    register_type,
    set_wait_callback,
)
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Interval,
    NullPool,
    create_engine,
    event,
    exc,
    literal,
)
from sqlalchemy.orm import Session, sessionmaker


def limits(*, statement_seconds: float, lock_seconds: float) -> str:
    """Return one message that limits a transaction, or the statement that it stands before.

    SET LOCAL works directly and behind PgBouncer in transaction mode, where startup options
    are refused and a session's SET leaks to strangers.
    """
    return (
        f"SET LOCAL statement_timeout = '{statement_seconds * 1000:.0f}ms'; "
        f"SET LOCAL lock_timeout = '{lock_seconds * 1000:.0f}ms'; "
        "SET LOCAL idle_in_transaction_session_timeout = '10s'; "
    )


# A person waits for the API, which says 503 after two seconds; nobody waits for a worker.
IMPATIENT = limits(statement_seconds=2, lock_seconds=1.5)
PATIENT = limits(statement_seconds=30, lock_seconds=5)
_LIMITED = "rowmill limited"
# A pooler or a proxy that is frozen acknowledges all and answers nothing: no timeout of TCP and
# none of the server's ends that, and each such wait would cost the API a seat for ever.
SILENCE_SECONDS, CONNECT_SECONDS, LOOK_SECONDS = 5.0, 2.0, 0.5
# "Away" also means: starting up, shutting down, or a standby that takes no writes; and, by their
# class, that the connection broke (08) or that seats, memory or the disk did not suffice (53).
_AWAY_CODES = frozenset({"57P01", "57P02", "57P03", "25006"})
_AWAY_CLASSES = ("08", "53")
_DISK_FULL = "53100"
# A server that dies of its full disk still says so, in the words of its system and without a code.
_NO_SPACE = os.strerror(errno.ENOSPC)

_EVENTS = {POLL_READ: select.POLLIN, POLL_WRITE: select.POLLOUT}

Sessions = sessionmaker[Session]
KEPT_SEATS, API_SEATS = 5, 15  # of one API process: while nobody asks, and at most


def api_engine(url: str, *, name: str = "rowmill api", limit: str = IMPATIENT) -> Engine:
    """Return the engine of one API process: at most 15 seats, a dead one noticed before use.

    A request that finds no seat gets sqlalchemy.exc.TimeoutError after 1.5 s. What is limited as
    requests are does not wait for a silent server either.
    """
    set_wait_callback(_wait)
    impatient = {"connection_factory": Impatient} if limit == IMPATIENT else {}
    return _watched(
        create_engine(
            url,
            pool_size=KEPT_SEATS,
            max_overflow=API_SEATS - KEPT_SEATS,
            pool_timeout=1.5,
            pool_pre_ping=True,
            pool_recycle=1800,
            hide_parameters=True,  # names and hashes, which DELETE promises to forget
            connect_args=_connect_args(name) | impatient,
        ),
        limit,
    )


class Impatient(psycopg2.extensions.connection):
    """A connection that is given up when an answer takes far longer than any statement may."""


def single_engine(url: str, *, name: str) -> Engine:
    """Return an engine without a pool: a connection lives exactly as long as its owner says."""
    engine = create_engine(
        url, poolclass=NullPool, hide_parameters=True, connect_args=_connect_args(name)
    )
    return _watched(engine, PATIENT)


def sessions_of(engine: Engine) -> Sessions:
    """Return the maker of sessions; `with sessions.begin() as session:` is the only way in."""
    return sessionmaker(engine, expire_on_commit=False)


def limit_session(session: Session) -> None:
    """Limit the statements of a worker's connection for as long as it lives.

    Only where nobody else can get that connection: then not every statement has to say it.
    """
    connection = session.connection()
    connection.exec_driver_sql(PATIENT.replace("SET LOCAL", "SET"))
    connection.info[_LIMITED] = True


def seconds(number: float) -> ColumnElement[Any]:
    """Return a span of time, to be added to now() by the database's clock."""
    return literal(timedelta(seconds=number), Interval)


def is_away(error: BaseException) -> bool:
    """Tell whether the database cannot be reached now, rather than that it refused something."""
    if isinstance(error, exc.TimeoutError):
        return True
    if not isinstance(error, exc.DBAPIError):
        return False
    code = code_of(error)
    operational = isinstance(error, exc.OperationalError | exc.InterfaceError)
    if error.connection_invalidated or (operational and code is None):
        return True
    return code is not None and (code in _AWAY_CODES or code.startswith(_AWAY_CLASSES))


def is_full(error: BaseException) -> bool:
    """Tell whether the server's disk is full, be it that this was refused or that it died of it."""
    return code_of(error) == _DISK_FULL or _NO_SPACE in str(getattr(error, "orig", None))


def code_of(error: BaseException) -> str | None:
    """Return the SQLSTATE with which the server answered, if it did."""
    return getattr(getattr(error, "orig", None), "pgcode", None)


def is_refused(error: BaseException) -> bool:
    """Tell whether the server itself said no, and lives: then what was begun is undone."""
    said = getattr(error, "orig", None)
    return isinstance(said, psycopg2.Error) and said.diag.severity_nonlocalized == "ERROR"


def _connect_args(name: str) -> dict[str, Any]:
    return {
        "application_name": name[:63],
        "client_encoding": "utf8",
        "connect_timeout": 2,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }


def _watched(engine: Engine, limit: str) -> Engine:
    def limit_transaction(connection: Connection) -> None:
        if not _autocommits(connection):
            # Through SQLAlchemy, so that what fails here is known for what it is.
            connection.exec_driver_sql(limit)

    def limit_statement(
        connection: Connection, _cursor: Any, statement: str, parameters: Any, *_rest: Any
    ) -> tuple[str, Any]:
        # Without a transaction SET LOCAL does nothing, unless it is in the statement's message.
        bare = not _autocommits(connection) or connection.info.get(_LIMITED)
        return (statement if bare else limit + statement), parameters

    event.listen(engine, "connect", _tell_utc)
    event.listen(engine, "begin", limit_transaction)
    event.listen(engine, "before_cursor_execute", limit_statement, retval=True)
    return engine


def _tell_utc(connection: Any, _record: Any) -> None:
    register_type(_TIMES, connection)


def _in_utc(value: str | bytes | None, cursor: Any) -> datetime | None:
    """Return a time as it is in UTC: a session's zone is that of its server, its role or PGTZ.

    A SET of the zone would not last behind a pooler, or be a stranger's.
    """
    read: datetime | None = PYDATETIMETZ(value, cursor)
    return None if read is None else read.astimezone(UTC)


_TIMES = new_type(PYDATETIMETZ.values, "TIME IN UTC", _in_utc)


def _autocommits(connection: Connection) -> bool:
    return connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT"


def _wait(connection: Any) -> None:
    """Wait for the server in psycopg2's place, which knows no end."""
    seconds = CONNECT_SECONDS if connection.status == STATUS_SETUP else SILENCE_SECONDS
    ends = time.monotonic() + seconds if isinstance(connection, Impatient) else math.inf
    wait_for_answer(connection, lambda: ends)


def wait_for_answer(connection: Any, ends: Callable[[], float]) -> None:
    """Wait until psycopg2 can go on; OperationalError at the time by the monotonic clock.

    That time is asked for twice a second, because it may change meanwhile.
    """
    begun = time.monotonic()
    while (state := connection.poll()) != POLL_OK:
        left = ends() - time.monotonic()
        if left <= 0:
            # psycopg2 closes a connection whose wait fails; to close it here would deadlock.
            raise psycopg2.OperationalError(f"no answer within {ends() - begun:.0f} s")
        poller = select.poll()
        poller.register(connection.fileno(), _EVENTS[state])
        poller.poll(min(left, LOOK_SECONDS) * 1000)
