"""The head of somebody's statement, as it may be shown: what it does, and to whose data not."""

import re

from app.failures import clean

CHARACTERS = 120
READ = 2000  # of pg_stat_activity, so that a literal is seen to its end before the cut

# The literals of PostgreSQL: '…' with '' inside, E'…' with \' too, $tag$…$tag$. What is cut off in
# the middle of one ends with the text. A driver may have put names and addresses into them.
_LITERAL = re.compile(
    r"\b[eE]'(?:[^'\\]|''|\\.)*(?:'|$)|'(?:[^']|'')*(?:'|$)|\$(\w*)\$.*?(?:\$\1\$|$)", re.DOTALL
)


def head(statement: str | None) -> str:
    """Return the first 120 characters of a statement, with its literals blanked."""
    return clean(_LITERAL.sub("'…'", statement or ""), CHARACTERS)
