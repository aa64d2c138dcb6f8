"""Runs the experiments and tells what they showed: `python -m tests.postgres.paper`."""

from collections.abc import Iterator
from pathlib import Path

from tests.postgres import VERSIONS, Server
from tests.postgres.blockers import DEAD, STATES, Seen, State, try_out

PAGE = Path(__file__).parents[2] / "docs" / "postgres.md"
OPENING = f"""# What Rowmill knows of PostgreSQL

<!-- Written by `python -m tests.postgres.paper`, which runs the experiments; tests repeat them. -->

A connection is not a transaction. A session that is connected and idle costs a seat and nothing
else; what costs others is a transaction that is left open, and only in some states.

## Who holds the horizon

In each state one session is left open in a table that nobody else uses. Then {DEAD} rows are
deleted from *another* table, which that session has never touched, and VACUUM goes over it.
"""
CLOSING = """
Where VACUUM prints its removable cutoff, it is the `backend_xmin` of the blocking session, or its
`backend_xid` when it has no snapshot: so `COALESCE(backend_xmin, backend_xid)` of
`pg_stat_activity` names who it is, and that is what `rowmill doctor` looks at.

## Seats

Of 100 connections a stock server keeps 3 for superusers; an ordinary role gets 97, and the next
one is refused with `remaining connection slots are reserved for …`. Rowmill's API says 503 with
`Retry-After` then, its workers wait and keep their outcomes.

A pooled connection that the server has ended raises at its next use, unless the pool asks first
(`pool_pre_ping`). What detaches an object is expiry at the commit, not the end of its session: with
`expire_on_commit=False` it can still be read.
"""


def page() -> str:
    """Return the page, with figures measured now on each server of this machine."""
    return "\n".join([OPENING, *_table(dict(_measured())), CLOSING])


def _measured() -> Iterator[tuple[tuple[str, str], Seen]]:
    for version in sorted(VERSIONS):
        server = Server(VERSIONS[version])
        try:
            for state in STATES:
                with (
                    server.database(template="template0") as one,
                    server.database(template="template0") as other,
                ):
                    databases = one.rpartition("/")[2], other.rpartition("/")[2]
                    yield (version, state.name), try_out(server, state, *databases)
        finally:
            server.stop()


def _table(seen: dict[tuple[str, str], Seen]) -> Iterator[str]:
    versions = sorted(VERSIONS)
    yield (
        "| state of the session | shows | " + " | ".join(f"PostgreSQL {v}" for v in versions) + " |"
    )
    yield "|---|---|" + "---|" * len(versions)
    for state in STATES:
        cells = " | ".join(_cell(seen[version, state.name]) for version in versions)
        yield f"| {state.name} | {_shows(state, seen[versions[-1], state.name])} | {cells} |"


def _cell(seen: Seen) -> str:
    if seen.kept:
        return f"**keeps {seen.kept}** ({seen.milliseconds:.0f} ms)"
    return f"all removed ({seen.milliseconds:.0f} ms)"


def _shows(state: State, seen: Seen) -> str:
    names = ["`backend_xid`"] if seen.backend_xid is not None else []
    names += ["`backend_xmin`"] if seen.backend_xmin is not None else []
    return " and ".join(names) or ("nothing" if state.statements else "")


if __name__ == "__main__":
    PAGE.write_text(page())
