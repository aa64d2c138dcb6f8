"""Who holds the horizon: the oldest transaction that VACUUM must respect."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.diagnosis import query
from app.diagnosis.finding import Finding

LONG_SECONDS = 300.0
OLD_TRANSACTIONS = 1_000_000  # where no time is known: slots and standbys

# A session holds it by the snapshot that it uses (xmin) or, idle after a write, by its own
# transaction (xid). What sessions of other databases hold counts for shared tables only. Of other
# roles' sessions an ordinary role sees neither type nor state, but it sees that they hold it.
_HOLDERS = text("""
    SELECT 'session' AS what, pid::text AS name, state, application_name AS application,
           coalesce(host(client_addr), 'local') AS client, left(query, :query) AS query,
           age(coalesce(backend_xmin, backend_xid)) AS transactions,
           extract(epoch FROM now() - xact_start)::float AS seconds
      FROM pg_stat_activity
     WHERE coalesce(backend_xmin, backend_xid) IS NOT NULL
       AND pid <> pg_backend_pid() AND coalesce(backend_type, '') <> 'walsender'
       AND (datname = current_database() OR datname IS NULL)
    UNION ALL
    SELECT 'prepared transaction', gid, 'prepared', owner::text, 'local', '',
           age(transaction), extract(epoch FROM now() - prepared)::float
      FROM pg_prepared_xacts WHERE database = current_database()
    UNION ALL
    SELECT 'replication slot', slot_name::text, CASE WHEN active THEN 'active' ELSE 'inactive' END,
           coalesce(plugin::text, slot_type), 'local', '',
           greatest(age(xmin), age(catalog_xmin)), NULL
      FROM pg_replication_slots WHERE coalesce(xmin, catalog_xmin) IS NOT NULL
    UNION ALL
    SELECT 'standby', pid::text, state, application_name, coalesce(host(client_addr), 'local'), '',
           age(backend_xmin), NULL
      FROM pg_stat_replication WHERE backend_xmin IS NOT NULL
     ORDER BY transactions DESC
     LIMIT 20
""")
_SEES_ALL = text("SELECT pg_has_role('pg_read_all_stats', 'USAGE')")


@dataclass(frozen=True, kw_only=True)
class Holder:
    """Something that keeps VACUUM from removing what died since.

    `transactions` is its age counted in transactions; `seconds` is None where PostgreSQL keeps
    no time of it (slots and standbys), or does not tell this role.
    """

    what: str
    name: str
    state: str | None
    application: str | None
    client: str
    query: str
    transactions: int
    seconds: float | None

    @property
    def sentence(self) -> str:
        """Names of others stand in quotes, in which nothing can move a terminal's cursor."""
        age = f"{self.transactions} transactions"
        since = f"for {self.seconds:.0f} s, {age}" if self.seconds is not None else f"for {age}"
        name = self.name if self.name.isdecimal() else repr(self.name)
        who = f" of {self.application!r}" if self.application else ""
        last = f", last statement: {self.query}" if self.query else ""
        state = self.state or "state unknown"
        return f"{self.what} {name}{who} from {self.client} ({state}) {since}{last}"


def read(session: Session) -> Sequence[Holder]:
    """Return who holds it, oldest first, 20 at most; the session that asks is left out."""
    return [_holder(row) for row in session.execute(_HOLDERS, {"query": query.READ})]


def sees_all(session: Session) -> bool:
    """Whether this role is told all of other roles' sessions: how long, and what they do."""
    return bool(session.scalar(_SEES_ALL))


def findings(holders: Sequence[Holder], *, all_seen: bool) -> Iterator[Finding]:
    """Judge the oldest one; a slot or a standby counts as old after a million transactions."""
    old = [holder for holder in holders if _is_old(holder)]
    if old:
        says = f"held by {old[0].sentence}. {_remedy(old[0])}"
        yield Finding("horizon", "warning", says)
    elif holders:
        is_hidden = not all_seen and any(holder.seconds is None for holder in holders)
        blind = " (this role is not told since when: GRANT pg_monitor to it)" if is_hidden else ""
        yield Finding("horizon", "ok", f"oldest: {holders[0].sentence}{blind}")
    else:
        yield Finding("horizon", "ok", "nobody holds it")


def _holder(row: Row[tuple[object, ...]]) -> Holder:
    seen = row._asdict()
    return Holder(**{**seen, "query": query.head(seen["query"])})


def _is_old(holder: Holder) -> bool:
    if holder.what == "prepared transaction":
        return True
    if holder.seconds is None:
        return holder.transactions > OLD_TRANSACTIONS
    return holder.seconds > LONG_SECONDS


def _remedy(holder: Holder) -> str:
    match holder.what:
        case "session":
            return f"End it with: SELECT pg_terminate_backend({holder.name});"
        case "prepared transaction":
            return "End it with COMMIT PREPARED or ROLLBACK PREPARED and its name."
        case "replication slot":
            return "If its consumer is gone: SELECT pg_drop_replication_slot and its name."
        case _:
            return "Its hot_standby_feedback keeps old rows here; look at its long queries."
