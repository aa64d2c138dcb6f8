"""Transactions that somebody opened and forgot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.diagnosis import query
from app.diagnosis.finding import Finding

LONG_SECONDS = 10.0  # what Rowmill itself never exceeds: idle_in_transaction_session_timeout

_IDLE = text("""
    SELECT pid, application_name AS application, coalesce(host(client_addr), 'local') AS client,
           left(query, :query) AS query,
           extract(epoch FROM now() - state_change)::float AS seconds
      FROM pg_stat_activity
     WHERE state LIKE 'idle in transaction%' AND datname = current_database()
     ORDER BY state_change LIMIT 20
""")


@dataclass(frozen=True, kw_only=True)
class Idle:
    """A session that is idle in its transaction; `query` is the head of its last statement."""

    pid: int
    application: str
    client: str
    query: str
    seconds: float


def read(session: Session) -> Sequence[Idle]:
    """Return the sessions of this database that are idle in a transaction, longest first."""
    rows = session.execute(_IDLE, {"query": query.READ})
    return [Idle(**{**row._asdict(), "query": query.head(row.query)}) for row in rows]


def findings(found: Sequence[Idle], *, all_seen: bool) -> Iterator[Finding]:
    """Judge the one that is idle for longest; of other roles only a monitor is told."""
    forgotten = [one for one in found if one.seconds > LONG_SECONDS]
    if not forgotten:
        blind = (
            "" if all_seen else "; those of other roles are hidden: GRANT pg_monitor to this one"
        )
        yield Finding("idle_in_transaction", "ok", f"none for long ({len(found)} now){blind}")
        return
    one = forgotten[0]
    yield Finding(
        "idle_in_transaction",
        "warning",
        f"{len(forgotten)} for long; the longest, process {one.pid} of {one.application!r} from "
        f"{one.client}, for {one.seconds:.0f} s after: {one.query}. "
        "Let the server end such ones: idle_in_transaction_session_timeout.",
    )
