"""Success and claim in one statement: what ends makes room, and the next jobs take it."""

from functools import cache
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    CompoundSelect,
    FromClause,
    Integer,
    ScalarSelect,
    bindparam,
    func,
    null,
    select,
    union_all,
)

from app.queue.claiming import free_rooms, taken
from app.queue.ending import succeeded
from app.queue.parts import REPEATED


@cache
def turn_over() -> CompoundSelect[Any]:
    """Return the statement; it takes what the claim takes, and the endings.

    It gives the number of each ending that moved, in a row without a job's id, and then what
    the claim gives. No job is both: what ends is not queued in the snapshot that the claim sees.
    """
    ended, end_event = succeeded()
    jobs, event = taken(_room(ended), _free(ended))
    columns = jobs.selected_columns
    moved = select(*(ended.c.n if one.name == "n" else null().label(one.name) for one in columns))
    return (
        union_all(moved, jobs)
        .order_by(columns.run_after.name, columns.id.name)
        .add_cte(end_event, event)
        .execution_options(**{REPEATED: True})
    )


def _room(ended: CTE) -> FromClause:
    given = free_rooms()
    most = given.c.most + _count(ended, ended.c.kind == given.c.kind)
    most = func.least(most, _free(ended))
    return select(given.c.kind, most.label("most"), given.c.floor).subquery("room")


def _free(ended: CTE) -> ColumnElement[int]:
    # A lease that is gone, or a row that is locked, frees no slot here.
    return bindparam("free", type_=Integer) + _count(ended)


def _count(ended: CTE, *those: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.count()).select_from(ended).where(*those).scalar_subquery()
