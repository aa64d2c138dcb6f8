"""Statements that a worker repeats: the server parses and plans them once for a connection."""

import re
from collections import Counter
from typing import Any

from sqlalchemy import Engine, event

from app.queue import REPEATED

# A seat that is open for a moment only would pay for what it does not use; psycopg 3 waits so too.
USES_BEFORE = 5
# Every LIMIT of these statements has a known bound and every row is found by a key, so that one
# plan suits all parameters. The server does not see it: it takes a list for ten kinds.
ONE_PLAN = "SET plan_cache_mode = force_generic_plan"
_PARAMETER = re.compile(r"%\((\w+)\)s")


class Prepared:
    """What one connection has prepared; to be told of each new connection.

    For a connection that ends in the server itself: behind a pooler that hands out a server
    connection for each transaction, what was prepared would be another's.
    """

    def __init__(self, engine: Engine) -> None:
        self._calls: dict[str, str] = {}
        self._uses: Counter[str] = Counter()
        self._works = False
        # First of all: a limit that is set in the same message stands before the EXECUTE.
        event.listen(engine, "before_cursor_execute", self._replace, retval=True, insert=True)

    def begin(self, *, works: bool) -> None:
        """Begin anew, with a new connection."""
        self._calls.clear()
        self._uses.clear()
        self._works = works

    def _replace(
        self, _: Any, cursor: Any, statement: str, parameters: Any, context: Any, _many: bool
    ) -> tuple[str, Any]:
        if self._works and context is not None and context.execution_options.get(REPEATED):
            call = self._calls.get(statement)
            if call is None and self._uses[statement] >= USES_BEFORE:
                call = self._calls[statement] = self._prepare(cursor, statement)
            self._uses[statement] += 1
            return call or statement, parameters
        return statement, parameters

    def _prepare(self, cursor: Any, statement: str) -> str:
        name = f"repeated_{len(self._calls)}"
        places = {found: place for place, found in enumerate(_names(statement), start=1)}
        numbered = _PARAMETER.sub(lambda found: f"${places[found[1]]}", statement)
        cursor.execute(f"PREPARE {name} AS {numbered.replace('%%', '%')}")
        return f"EXECUTE {name}({', '.join(f'%({one})s' for one in places)})"


def _names(statement: str) -> list[str]:
    return list(dict.fromkeys(_PARAMETER.findall(statement)))
