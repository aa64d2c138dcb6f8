"""The seats: how many the server has for this role, who sits there, how many replicas still fit."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.db import API_SEATS
from app.diagnosis.finding import Finding

WORKER_SEATS = 1
OURS = ("api", "worker", "migrate", "doctor", "why")

# Reserved seats are not for an ordinary role, and reserved_connections is new in version 16. Limits
# are those of the role that logged in, whichever it has taken on since (SET ROLE).
_ROOM = text("""
    SELECT current_setting('max_connections')::int AS most,
           current_setting('superuser_reserved_connections')::int
             + coalesce(current_setting('reserved_connections', true), '0')::int AS reserved,
           (SELECT rolconnlimit FROM pg_roles WHERE rolname = session_user) AS role_limit,
           (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS base_limit,
           (SELECT rolsuper FROM pg_roles WHERE rolname = session_user) AS is_superuser,
           pg_backend_pid() AS served_by
""")
# An ordinary role is not told the type of other roles' sessions, but that they are there.
_TAKEN = text("""
    SELECT application_name AS name, datname = current_database() AS in_base,
           usename = session_user AS in_role, count(*) AS seats
      FROM pg_stat_activity
     WHERE coalesce(backend_type, 'client backend') = 'client backend'
       AND usesysid IS NOT NULL AND datid IS NOT NULL
     GROUP BY 1, 2, 3
""")


@dataclass(frozen=True, kw_only=True)
class Seats:
    """`room` is what this role can have of `most`; `limited_by` names what sets it.

    `taken` counts those in use below that limit by who sits there: those of OURS, and other.
    `apis` counts the API processes that hold any; `api_most` and `worker_most` are what one
    process of each can take. `pooled`: a pooler stands before the server, so that its limit counts
    and not the sum over the processes.
    """

    most: int
    reserved: int
    room: int
    limited_by: str
    taken: Mapping[str, int]
    apis: int = 0
    pooled: bool = False
    api_most: int = API_SEATS
    worker_most: int = WORKER_SEATS

    @property
    def in_use(self) -> int:
        return sum(self.taken.values())

    @property
    def others(self) -> int:
        """Seats that no process of Rowmill has."""
        return self.taken.get("other", 0)

    @property
    def free(self) -> int:
        return max(0, self.room - self.in_use)

    def fits(self, *, apis: int, workers: int) -> bool:
        """Whether so many processes can have all their seats at once beside the strangers'."""
        return self.needed(apis=apis, workers=workers) + self.others <= self.room

    def needed(self, *, apis: int, workers: int) -> int:
        return apis * self.api_most + workers * self.worker_most

    def workers_that_fit(self, *, apis: int = 1) -> int:
        """Return how many workers in all fit beside so many API processes."""
        left = self.room - self.others - apis * self.api_most
        return max(0, left // self.worker_most)

    def apis_that_fit(self, *, workers: int) -> int:
        """Return how many API processes in all fit beside so many workers."""
        left = self.room - self.others - workers * self.worker_most
        return max(0, left // self.api_most)

    def sum_of(self, *, apis: int, workers: int) -> str:
        """Return the sum as people write it, and beside it what there is."""
        times = "\N{MULTIPLICATION SIGN}"
        needed = self.needed(apis=apis, workers=workers)
        return (
            f"{_count(apis, 'API process', 'API processes')} {times} {self.api_most} + "
            f"{_count(workers, 'worker', 'workers')} {times} {self.worker_most} = "
            f"{needed} seats, {_GIVES[self.limited_by]} {self.room}"
        )


def read(session: Session) -> Seats:
    """Look at the limits and at who is connected."""
    room = session.execute(_ROOM).one()
    rows = session.execute(_TAKEN).all()
    limits = [
        _below(room, rows, limited_by, most, counts)
        for limited_by, most, counts in _limits(room)
        if most >= 0
    ]
    greeted_by = session.connection().connection.driver_connection.info.backend_pid  # type: ignore[union-attr]
    narrowest = min(limits, key=lambda one: (one.room - one.others, one.free))
    return replace(narrowest, pooled=greeted_by != room.served_by)


def findings(seats: Seats, *, workers: int) -> Iterator[Finding]:
    """Judge the seats of the API processes that are there, of one at least, and of the workers."""
    apis = max(1, seats.apis)
    told = (
        f"{seats.room} seats ({seats.limited_by}), {seats.in_use} taken; "
        f"an API process takes {seats.api_most} at most, a worker {seats.worker_most}"
    )
    if seats.pooled:
        # It keeps those that it has, also all of them, and lends each to one after the other.
        yield Finding("seats", "ok", f"{told}; a pooler hands them out, so its limits count")
    elif seats.free == 0:
        yield Finding("seats", "failure", f"none is free of {told}. {REMEDY}")
    elif not seats.fits(apis=apis, workers=workers):
        says = f"{seats.sum_of(apis=apis, workers=workers)}, and other programs have {seats.others}"
        yield Finding("seats", "warning", f"{says}. {REMEDY}")
    else:
        more = seats.workers_that_fit(apis=apis) - workers
        beside = "one API" if apis == 1 else f"{apis} API processes"
        yield Finding("seats", "ok", f"{told}; {more} more workers fit beside {beside}")


REMEDY = (
    "Raise max_connections (or the limit that is named), stop replicas, or put PgBouncer in front."
)
_GIVES = {
    "max_connections": "max_connections leaves",
    "the connection limit of the role": "the role may take",
    "the connection limit of the database": "the database may take",
}


def _limits(room: Row[Any]) -> Iterator[tuple[str, int, Callable[[Row[Any]], bool]]]:
    """Yield what limits this role, how far (-1: it does not), and which sessions count for it."""
    unlimited = room.is_superuser
    yield "max_connections", room.most - (0 if unlimited else room.reserved), lambda _: True
    of_role, of_base = ("the connection limit of the " + what for what in ("role", "database"))
    yield of_role, -1 if unlimited else room.role_limit, lambda row: bool(row.in_role)
    yield of_base, -1 if unlimited else room.base_limit, lambda row: bool(row.in_base)


def _below(
    room: Row[Any],
    rows: Sequence[Row[Any]],
    limited_by: str,
    most: int,
    counts: Callable[[Row[Any]], bool],
) -> Seats:
    taken: Counter[str] = Counter()
    for row in filter(counts, rows):
        taken[_who(row)] += row.seats
    return Seats(
        most=room.most,
        reserved=room.reserved,
        room=most,
        limited_by=limited_by,
        taken=dict(taken),
        apis=len({row.name for row in rows if _who(row) == "api" and row.name.count(" ") == 2}),
    )


def _who(row: Row[Any]) -> str:
    """Tell who sits there by the name; a Rowmill on another database is a stranger, too.

    Each API process has a name of its own, "rowmill api host-…"; only so they can be counted.
    """
    first, _, rest = (row.name or "").partition(" ")
    who = rest.partition(" ")[0]
    return who if first == "rowmill" and row.in_base and who in OURS else "other"


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
