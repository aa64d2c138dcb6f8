"""Transactions that somebody opened and forgot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.diagnosis.finding import Finding

LONG_SECONDS = 10.0  # what Rowmill itself never exceeds: idle_in_transaction_session_timeout

_IDLE = text("""
    SELECT pid, application_name AS application, coalesce(client_addr::text, 'local') AS client,
           left(query, 120) AS query, extract(epoch FROM now() - state_change)::float AS seconds
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
    return [Idle(**row._mapping) for row in session.execute(_IDLE)]  # noqa: SLF001


def findings(found: Sequence[Idle]) -> Iterator[Finding]:
    forgotten = [one for one in found if one.seconds > LONG_SECONDS]
    if not forgotten:
        yield Finding("idle_in_transaction", "ok", f"{len(found)} sessions, none for long")
        return
    one = forgotten[0]
    yield Finding(
        "idle_in_transaction",
        "warning",
        f"{len(forgotten)} sessions; the longest, process {one.pid} of {one.application!r} from "
        f"{one.client}, for {one.seconds:.0f} s after: {one.query}. "
        "Let the server end such ones: idle_in_transaction_session_timeout.",
    )
