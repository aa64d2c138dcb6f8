"""Runs the experiments and tells what they showed: `python -m tests.postgres.paper`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.postgres import VERSIONS, Server, blockers, locks, pooling
from tests.postgres.blockers import DEAD, STATES, Seen, State
from tests.postgres.locks import Second
from tests.postgres.seating import Full, fill

PAGE = Path(__file__).parents[2] / "docs" / "postgres.md"
OPENING = f"""# What Rowmill knows of PostgreSQL

<!-- Written by `python -m tests.postgres.paper`, which runs the experiments; tests repeat them. -->

A connection is not a transaction. A session that is connected and idle costs a seat and nothing
else; what costs others is a transaction that is left open, and only in some states.

## Who holds the horizon

In each state one session is left open in a table that nobody else uses. Then {DEAD} rows are
deleted from *another* table, which that session has never touched, and VACUUM goes over it.
"""
CUTOFF = """
Where VACUUM prints its removable cutoff, it is the `backend_xmin` of the blocking session, or its
`backend_xid` when it has no snapshot: so `COALESCE(backend_xmin, backend_xid)` of
`pg_stat_activity` names who it is, and that is what `rowmill doctor` looks at.

## Who gets the first row

Two sessions ask for the first of two ready rows. The first one holds it, takes it out of the line
and commits. What the second one gets:
"""
RECHECK = """
Both get row 2 in the end. But who waits gets it when the first one commits and no sooner: workers
that claim so stand one behind another, and one that freezes stops them all. That is why a claim
says `SKIP LOCKED`.

## Seats
"""
CONSEQUENCE = """
Rowmill's API says 503 with `Retry-After` then, its workers wait and keep their outcomes. Of a
server with `reserved_connections` (new in version 16) an ordinary role gets fewer.

## A pool, and the objects of a session
"""
CLOSING = """
So the API's pool asks first, and its sessions keep what they have read.
"""


@dataclass(frozen=True)
class Measured:
    """What the experiments showed on one server."""

    states: Mapping[str, Seen]
    second: Mapping[bool, Second]
    full: Full
    dead: Mapping[bool, str | None]
    detached: Mapping[tuple[bool, bool], str | None]


def page() -> str:
    """Return the page, with figures measured now on each server of this machine."""
    measured = {version: _measured(version) for version in sorted(VERSIONS)}
    return (
        "\n".join(
            [
                OPENING,
                *_states(measured),
                CUTOFF,
                *_lines(measured),
                RECHECK,
                *_seats(measured),
                CONSEQUENCE,
                *_pools(measured),
                CLOSING,
            ]
        ).rstrip()
        + "\n"
    )


def _measured(version: str) -> Measured:
    server = Server(VERSIONS[version])
    try:
        return Measured(
            states={state.name: _left_in(server, state) for state in STATES},
            second={skips: _second(server, skips=skips) for skips in (False, True)},
            full=fill(server),
            dead={ping: _dead(server, pre_ping=ping) for ping in (False, True)},
            detached={
                (commits, expires): _detached(server, commits=commits, expires=expires)
                for commits, expires in ((False, True), (True, True), (True, False))
            },
        )
    finally:
        server.stop()


def _left_in(server: Server, state: State) -> Seen:
    new = partial(server.database, template="template0")
    with new() as one, new() as other:
        return blockers.try_out(server, state, _name(one), _name(other))


def _second(server: Server, *, skips: bool) -> Second:
    with server.database(template="template0") as url:
        return locks.try_out(server, _name(url), skips=skips)


def _dead(server: Server, *, pre_ping: bool) -> str | None:
    with server.database(template="template0") as url:
        return pooling.use_after_death(url, pre_ping=pre_ping)


def _detached(server: Server, *, commits: bool, expires: bool) -> str | None:
    with server.database(template="template0") as url:
        return pooling.read_afterwards(url, commits=commits, expires=expires)


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def _head(what: str, measured: Mapping[str, Measured]) -> Iterator[str]:
    yield f"| {what} | " + " | ".join(f"PostgreSQL {version}" for version in measured) + " |"
    yield "|---" * (what.count("|") + 1 + len(measured)) + "|"


def _states(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield from _head("state of the session | shows", measured)
    newest = [*measured.values()][-1]
    for state in STATES:
        cells = " | ".join(_cell(one.states[state.name]) for one in measured.values())
        yield f"| {state.name} | {_shows(state, newest.states[state.name])} | {cells} |"


def _cell(seen: Seen) -> str:
    if seen.kept:
        return f"**keeps {seen.kept}** ({seen.milliseconds:.0f} ms)"
    return f"all removed ({seen.milliseconds:.0f} ms)"


def _shows(state: State, seen: Seen) -> str:
    names = ["`backend_xid`"] if seen.backend_xid is not None else []
    names += ["`backend_xmin`"] if seen.backend_xmin is not None else []
    return " and ".join(names) or ("nothing" if state.statements else "")


def _lines(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield from _head("it asks with", measured)
    for skips, asked in ((False, "`FOR UPDATE`"), (True, "`FOR UPDATE SKIP LOCKED`")):
        cells = " | ".join(_got(one.second[skips]) for one in measured.values())
        yield f"| {asked} | {cells} |"


def _got(second: Second) -> str:
    when = "waits for the commit, then" if second.waited else "at once"
    return f"{when} {'nothing' if second.got is None else f'row {second.got}'}"


def _seats(measured: Mapping[str, Measured]) -> Iterator[str]:
    for version, one in measured.items():
        yield (
            f"- On PostgreSQL {version} an ordinary role gets {one.full.seats} of 100, "
            f"and then `{one.full.refusal}`."
        )


def _pools(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield from _head("what is done", measured)
    for ping, says in (
        (False, "use a pooled connection that the server has ended"),
        (True, "the same with `pool_pre_ping`"),
    ):
        yield _row(says, [one.dead[ping] for one in measured.values()])
    for found, says in (
        ((False, True), "read an object after its session is closed"),
        ((True, True), "the same after a commit"),
        ((True, False), "the same with `expire_on_commit=False`"),
    ):
        yield _row(says, [one.detached[found] for one in measured.values()])


def _row(says: str, errors: list[str | None]) -> str:
    cells = " | ".join("works" if error is None else f"`{error}`" for error in errors)
    return f"| {says} | {cells} |"


if __name__ == "__main__":
    PAGE.write_text(page())
