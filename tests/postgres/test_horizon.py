"""The facts about the horizon that Rowmill rests on, tried on real servers."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.postgres import Server
from tests.postgres.blockers import DEAD, STATES, State, try_out
from tests.postgres.paper import PAGE


@pytest.fixture
def databases(each_postgres: Server) -> Iterator[tuple[str, str]]:
    new = partial(each_postgres.database, template="template0")
    with new() as one, new() as other:
        yield one.rpartition("/")[2], other.rpartition("/")[2]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_a_session_keeps_dead_rows_of_a_table_it_never_touched_or_does_not(
    each_postgres: Server, databases: tuple[str, str], state: State
) -> None:
    seen = try_out(each_postgres, state, *databases)
    assert seen.query == (state.statements[-1] if state.statements else "")
    assert seen.query == "BEGIN" or "bare" not in state.name
    assert (seen.removed, seen.kept) == ((0, DEAD) if state.holds else (DEAD, 0))
    shown = seen.backend_xmin if seen.backend_xmin is not None else seen.backend_xid
    if not state.elsewhere:
        assert (shown is not None) is state.holds
    assert seen.cutoff is not None
    if state.holds:
        assert seen.cutoff == shown


def test_the_docs_tell_each_state_as_it_is() -> None:
    lines = PAGE.read_text().splitlines()
    [header] = [line for line in lines if line.startswith("| state of the session")]
    servers = header.count("PostgreSQL ")
    for state in STATES:
        [row] = [line for line in lines if line.startswith(f"| {state.name} ")]
        assert row.count(f"**keeps {DEAD}**") == (servers if state.holds else 0)
        assert row.count("all removed") == (0 if state.holds else servers)
