"""Settings that Rowmill counts on, as they are: the server's, and one of its own."""

from collections.abc import Iterator, Mapping
from functools import cache

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.db import api_engine
from app.diagnosis.finding import Finding

# Asked in a transaction of ours, the timeouts would be those that we set for it.
_SETTINGS = text("""
    SELECT name, coalesce(reset_val, setting) || coalesce(unit, '') AS value
      FROM pg_settings WHERE name = ANY(:names)
""")
_SERVERS = {
    "autovacuum": "without it the table of jobs grows for ever",
    "fsync": "without it a crash loses what was answered",
    "full_page_writes": "without it a crash can tear a page",
    "synchronous_commit": "without it the last answers before a crash are lost",
    "track_counts": "without it autovacuum does not know where to go",
}
_PRE_PING = "pool_pre_ping"
_WANTED = _SERVERS | {_PRE_PING: "without it the first to meet a dead connection is a person"}
_TIMEOUT = "idle_in_transaction_session_timeout"


def read(session: Session) -> Mapping[str, str]:
    """Return the values by name, those of the server rather than of this transaction."""
    names = [*_SERVERS, _TIMEOUT, "max_connections"]
    found = {row.name: row.value for row in session.execute(_SETTINGS, {"names": names})}
    return found | {_PRE_PING: _pre_ping()}


def findings(found: Mapping[str, str]) -> Iterator[Finding]:
    """Judge them: of synchronous_commit only off leaves an answer without this server's own disk.

    Its other words differ in what a synchronous standby has by then.
    """
    wrong = {
        name: f"{name} is {found.get(name, 'unknown')}: {why}"
        for name, why in _WANTED.items()
        if found.get(name, "off") == "off"
    }
    if found.get(_TIMEOUT) == "0ms":
        wrong[_TIMEOUT] = (
            f"{_TIMEOUT} is off: a transaction that another program forgets holds up VACUUM "
            f"(ALTER SYSTEM SET {_TIMEOUT} = '60s'; Rowmill's own end after 10 s anyway)"
        )
    others = [f"{name} {value}" for name, value in found.items() if name not in wrong]
    says = "; ".join([*wrong.values(), ", ".join(others)])
    yield Finding("settings", "warning" if wrong else "ok", says)


@cache
def _pre_ping() -> str:
    """Look at the pool that an API process makes; to make one connects to nothing."""
    pool = api_engine("postgresql+psycopg2://").pool
    return "on" if pool._pre_ping else "off"  # noqa: SLF001 - SQLAlchemy shows it nowhere else
