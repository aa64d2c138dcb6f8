"""Who holds the horizon: the oldest transaction that VACUUM must respect."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.diagnosis import query
from app.diagnosis.catalogs import CatalogSlot
from app.diagnosis.finding import Finding, State

MOST = 20
LONG_SECONDS = 300.0
OLD_TRANSACTIONS = 1_000_000  # where no time is known: slots and standbys

# A session holds it by the snapshot that it uses (xmin) or, idle after a write, by its own
# transaction (xid). What sessions of other databases hold counts for shared tables only. A VACUUM
# that runs holds nothing, though it shows an xmin; ANALYZE, VACUUM FULL and CREATE INDEX
# CONCURRENTLY do (tried on 15 and 18). A parallel worker ends with its leader. Of other roles'
# sessions an ordinary role sees neither type nor state nor client, but that they hold it.
_HOLDERS = text("""
    SELECT 'session' AS what, pid::text AS name, state, application_name AS application,
           CASE WHEN backend_type IS NULL THEN 'unknown'
                ELSE coalesce(host(client_addr), 'local') END AS client,
           CASE WHEN backend_type IS NOT NULL THEN left(query, :query) END AS query,
           age(coalesce(backend_xmin, backend_xid)) AS transactions,
           extract(epoch FROM now() - xact_start)::float AS seconds
      FROM pg_stat_activity
     WHERE coalesce(backend_xmin, backend_xid) IS NOT NULL
       AND pid <> pg_backend_pid() AND leader_pid IS NULL
       AND pid NOT IN (SELECT pid FROM pg_stat_replication)
       AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
       AND (datname = current_database() OR datname IS NULL)
    UNION ALL
    SELECT 'prepared transaction', gid, 'prepared', owner::text, 'local', '',
           age(transaction), extract(epoch FROM now() - prepared)::float
      FROM pg_prepared_xacts WHERE database = current_database()
    UNION ALL
    SELECT 'replication slot', slot_name::text, CASE WHEN active THEN 'active' ELSE 'inactive' END,
           coalesce(plugin::text, slot_type), 'local', '', age(xmin), NULL
      FROM pg_replication_slots WHERE xmin IS NOT NULL
    UNION ALL
    SELECT 'standby', pid::text, state, application_name,
           CASE WHEN state IS NULL THEN 'unknown' ELSE coalesce(host(client_addr), 'local') END,
           '', age(backend_xmin), NULL
      FROM pg_stat_replication WHERE backend_xmin IS NOT NULL
     ORDER BY transactions DESC
     LIMIT :most
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
    rows = session.execute(_HOLDERS, {"query": query.READ, "most": MOST})
    return [_holder(row) for row in rows]


def sees_all(session: Session) -> bool:
    """Whether this role is told all of other roles' sessions: how long, and what they do."""
    return bool(session.scalar(_SEES_ALL))


def findings(
    holders: Sequence[Holder], *, catalogs: Sequence[CatalogSlot] = (), all_seen: bool
) -> Iterator[Finding]:
    """Judge the oldest; what has no time counts as old after a million transactions."""
    old = [holder for holder in holders if _is_old(holder)]
    late = [slot for slot in catalogs if slot.transactions > OLD_TRANSACTIONS]
    says = [_standing(holders, old, all_seen=all_seen)]
    if catalogs:
        oldest = f"{catalogs[0].sentence}{_and_more(catalogs)}"
        says.append(f"that of the catalogs alone is held by {oldest}")
    remedies = [_remedy(one.what, one.name) for one in old[:1]]
    remedies += [_remedy("replication slot", one.slot) for one in late[:1]]
    state: State = "warning" if old or late else "ok"
    yield Finding("horizon", state, ". ".join(["; ".join(says), *remedies]))


def _standing(holders: Sequence[Holder], old: Sequence[Holder], *, all_seen: bool) -> str:
    if old:
        return f"held by {old[0].sentence}{_and_more(holders)}"
    if not holders:
        return "nobody holds it"
    is_hidden = not all_seen and any(holder.seconds is None for holder in holders)
    blind = " (this role is not told since when: GRANT pg_monitor to it)" if is_hidden else ""
    return f"oldest: {holders[0].sentence}{blind}{_and_more(holders)}"


def _and_more(seen: Sequence[object]) -> str:
    least = " at least" if len(seen) == MOST else ""
    return f"; and {len(seen) - 1} more{least}" if len(seen) > 1 else ""


def _holder(row: Row[tuple[object, ...]]) -> Holder:
    seen = row._asdict()
    return Holder(**{**seen, "query": query.head(seen["query"])})


def _is_old(holder: Holder) -> bool:
    if holder.seconds is None:
        return holder.transactions > OLD_TRANSACTIONS
    return holder.seconds > LONG_SECONDS


def _remedy(what: str, name: str) -> str:
    match what:
        case "session":
            return f"End it with: SELECT pg_terminate_backend({name});"
        case "prepared transaction":
            return "End it with COMMIT PREPARED or ROLLBACK PREPARED and its name."
        case "replication slot":
            return "If its consumer is gone: SELECT pg_drop_replication_slot and its name."
        case _:
            return "Its hot_standby_feedback keeps old rows here; look at its long queries."
