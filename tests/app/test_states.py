"""The table of moves, the statements and the database's words say the same."""

import ast
import re
from pathlib import Path

import pytest
from sqlalchemy import text

from app import queue
from app.db import Sessions
from app.states import FINAL, MOVES, OPEN, Move, Status, diagram

ROOT = Path(__file__).parents[2]


def test_each_move_has_one_function_of_its_name() -> None:
    missing = [move for move in Move if not callable(getattr(queue, move, None))]
    assert missing == []


def test_the_moves_stand_in_life_order_in_the_queue() -> None:
    functions = [
        node.name
        for node in ast.parse((ROOT / "app/queue/__init__.py").read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name in set(Move)
    ]
    assert functions == [move.value for move in Move]


def test_the_table_has_a_row_for_each_move() -> None:
    assert set(MOVES) == set(Move)


def test_every_status_can_be_reached_and_every_open_one_can_be_left() -> None:
    reached = set().union(*(rule.targets for rule in MOVES.values()))
    left = set().union(*(rule.sources for rule in MOVES.values()))
    assert reached == set(Status)
    assert left >= OPEN


def test_final_and_open_share_nothing_and_leave_nothing_out() -> None:
    assert not OPEN & FINAL
    assert set(Status) == OPEN | FINAL


@pytest.mark.parametrize(("name", "words"), [("jobs_status", Status), ("events_move", Move)])
def test_the_check_in_the_database_lists_the_same_words(
    sessions: Sessions, name: str, words: type[Status]
) -> None:
    told = text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name")
    with sessions() as session:
        check = session.scalars(told, {"name": name}).one()
    assert sorted(re.findall(r"'(\w+)'", check)) == sorted(words)


def test_the_docs_show_the_table_as_it_is() -> None:
    page = (ROOT / "docs/life-of-a-job.md").read_text()
    assert f"```mermaid\n{diagram()}\n```" in page
    for move, rule in MOVES.items():
        assert f"| {move} | {rule.who} | {rule.guard} |" in page


def test_only_the_queue_writes_a_status() -> None:
    """A statement that updates or inserts jobs stands in one file."""
    writers = re.compile(r"(update|insert)\(\s*Job\s*\)|UPDATE\s+jobs|INSERT\s+INTO\s+jobs")
    files = [*ROOT.glob("app/**/*.py"), *ROOT.glob("worker/**/*.py")]
    writing = {str(file.relative_to(ROOT)) for file in files if writers.search(file.read_text())}
    names = ("asking", "claiming", "ending", "handing_over", "rescuing")
    # A beat writes progress: no status.
    assert writing == {f"app/queue/{name}.py" for name in names} | {"worker/beat.py"}
    assert "status=" not in (ROOT / "worker/beat.py").read_text().replace("status ==", "")
