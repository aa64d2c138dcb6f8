"""Of somebody's statement only what it does is shown."""

import pytest

from app.diagnosis import query


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        (None, ""),
        ("SELECT 1", "SELECT 1"),
        ("SELECT 'secret'", "SELECT '…'"),
        ("SELECT 'it''s secret', a", "SELECT '…', a"),
        (r"SELECT E'a\'secret', a", "SELECT '…', a"),
        ("SELECT $$secret$$, a", "SELECT '…', a"),
        ("SELECT $x$secret $$ more$x$, a", "SELECT '…', a"),
        ("SELECT 'cut off in the midd", "SELECT '…'"),
        ("SELECT $x$cut off", "SELECT '…'"),
        ("UPDATE t\n\tSET a = 'x'\x1b[31m", "UPDATE t SET a = '…' [31m"),
    ],
)
def test_literals_are_blanked_and_control_characters_are_gone(
    statement: str | None, shown: str
) -> None:
    assert query.head(statement) == shown


def test_a_long_literal_leaves_the_rest_to_be_seen_and_the_cut_comes_last() -> None:
    assert query.head(f"SELECT '{'x' * 500}' FROM jobs") == "SELECT '…' FROM jobs"
    assert len(query.head("SELECT a, " * 50)) == query.CHARACTERS
