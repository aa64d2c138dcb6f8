"""The seats: how many the server has for this role, who sits there, how many replicas still fit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.db import API_SEATS
from app.diagnosis.finding import Finding

WORKER_SEATS = 1

# Reserved seats are not for an ordinary role, and reserved_connections is new in version 16.
_ROOM = text("""
    SELECT current_setting('max_connections')::int AS most,
           current_setting('superuser_reserved_connections')::int
             + coalesce(current_setting('reserved_connections', true), '0')::int AS reserved,
           (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS role_limit,
           (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS base_limit,
           (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser
""")
_TAKEN = text("""
    SELECT split_part(application_name, ' ', 1) = 'rowmill' AS ours,
           CASE WHEN application_name LIKE 'rowmill %'
                THEN split_part(application_name, ' ', 2) ELSE 'other' END AS who,
           count(*) AS seats
      FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
     GROUP BY 1, 2
""")


@dataclass(frozen=True, kw_only=True)
class Seats:
    """`room` is what this role can have of `most`; `limited_by` names what sets it.

    `taken` counts those in use by who sits there: api, worker, migrate, other. `api_most` and
    `worker_most` are what one process of each can take.
    """

    most: int
    reserved: int
    room: int
    limited_by: str
    taken: Mapping[str, int]
    api_most: int = API_SEATS
    worker_most: int = WORKER_SEATS

    @property
    def in_use(self) -> int:
        return sum(self.taken.values())

    @property
    def free(self) -> int:
        return max(0, self.room - self.in_use)

    def fits(self, *, apis: int, workers: int) -> bool:
        """Whether so many processes can have all their seats at once beside the strangers'."""
        return self.needed(apis=apis, workers=workers) + self.taken.get("other", 0) <= self.room

    def needed(self, *, apis: int, workers: int) -> int:
        return apis * self.api_most + workers * self.worker_most

    def workers_that_fit(self, *, apis: int = 1) -> int:
        """Return how many workers in all fit beside so many API processes."""
        left = self.room - self.taken.get("other", 0) - apis * self.api_most
        return max(0, left // self.worker_most)


def read(session: Session) -> Seats:
    """Look at the limits and at who is connected; the caller's own seat is not counted."""
    room = session.execute(_ROOM).one()
    limits = {"max_connections": room.most - (0 if room.is_superuser else room.reserved)}
    if room.role_limit >= 0 and not room.is_superuser:
        limits["the connection limit of the role"] = room.role_limit
    if room.base_limit >= 0 and not room.is_superuser:
        limits["the connection limit of the database"] = room.base_limit
    limited_by = min(limits, key=lambda name: limits[name])
    return Seats(
        most=room.most,
        reserved=room.reserved,
        room=limits[limited_by],
        limited_by=limited_by,
        taken={row.who: row.seats for row in session.execute(_TAKEN)},
    )


def findings(seats: Seats, *, workers: int) -> Iterator[Finding]:
    """Judge the seats of one API process and so many workers."""
    needed = seats.needed(apis=1, workers=workers)
    sum_ = (
        f"{seats.room} seats ({seats.limited_by}), {seats.in_use} taken; "
        f"an API process takes {seats.api_most} at most, a worker {seats.worker_most}"
    )
    if seats.free == 0:
        yield Finding("seats", "failure", f"none is free of {sum_}. {_REMEDY}")
    elif not seats.fits(apis=1, workers=workers):
        others = seats.taken.get("other", 0)
        yield Finding(
            "seats",
            "warning",
            f"one API and {workers} workers may need {needed} beside {others} of other programs: "
            f"more than {sum_}. {_REMEDY}",
        )
    else:
        more = seats.workers_that_fit() - workers
        yield Finding("seats", "ok", f"{sum_}; {more} more workers fit beside one API")


_REMEDY = (
    "Raise max_connections (or the limit that is named), stop replicas, or put PgBouncer in front."
)
