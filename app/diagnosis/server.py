"""Settings of the server that Rowmill counts on, as they are."""

from collections.abc import Iterator, Mapping

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.diagnosis.finding import Finding

# Asked in a transaction of ours, the timeouts would be those that we set for it.
_SETTINGS = text("""
    SELECT name, coalesce(reset_val, setting) || coalesce(unit, '') AS value
      FROM pg_settings WHERE name = ANY(:names)
""")
_WANTED = {
    "autovacuum": ("on", "without it the table of jobs grows for ever"),
    "fsync": ("on", "without it a crash loses what was answered"),
    "full_page_writes": ("on", "without it a crash can tear a page"),
    "synchronous_commit": ("on", "without it the last answers before a crash are lost"),
    "track_counts": ("on", "without it autovacuum does not know where to go"),
}
_TIMEOUT = "idle_in_transaction_session_timeout"


def read(session: Session) -> Mapping[str, str]:
    """Return the values by name, those of the server rather than of this transaction."""
    names = [*_WANTED, _TIMEOUT, "max_connections"]
    return {row.name: row.value for row in session.execute(_SETTINGS, {"names": names})}


def findings(found: Mapping[str, str]) -> Iterator[Finding]:
    wrong = [
        f"{name} is {found.get(name, 'unknown')}: {why}"
        for name, (wanted, why) in _WANTED.items()
        if found.get(name) != wanted
    ]
    if found.get(_TIMEOUT) == "0ms":
        wrong.append(
            f"{_TIMEOUT} is off: a transaction that another program forgets holds up VACUUM "
            f"(ALTER SYSTEM SET {_TIMEOUT} = '60s'; Rowmill's own end after 10 s anyway)"
        )
    if wrong:
        yield Finding("settings", "warning", "; ".join(wrong) + ".")
    else:
        yield Finding("settings", "ok", "those that Rowmill counts on are on")
