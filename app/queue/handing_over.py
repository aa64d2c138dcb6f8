"""The handover: jobs that wait for a family nobody has any more go to one that can do them, too."""

from functools import cache

from sqlalchemy import (
    ARRAY,
    Integer,
    Select,
    Text,
    any_,
    bindparam,
    column,
    func,
    literal,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from app.models import Job
from app.queue.parts import noted, word
from app.states import Move, Status

_MOST_AT_ONCE = literal_column("1000", Integer)


@cache
def hand_over() -> Select[int]:
    """Return the handover; it takes, in lists, the pairs of one family and who can do each."""
    pair = Job.kind + ":" + Job.payload["from"].astext + ">" + Job.payload["to"].astext
    texts = ARRAY(Text)
    swap = (
        func.unnest(bindparam("pairs", type_=texts), bindparam("able", type_=texts))
        .table_valued(column("pair", Text), column("kind", Text), name="swap")
        .render_derived()
    )
    held = (
        select(Job.id, Job.kind.label("was"), swap.c.kind)
        .join_from(Job, swap, pair == swap.c.pair)
        .where(Job.status == word(Status.QUEUED), Job.run_after <= func.now())
        .where(Job.kind == any_(bindparam("kinds", type_=texts)))
        # Options and secrets are those of its family: a job that has some waits on.
        .where(Job.payload["options"] == literal({}, JSONB), ~Job.payload.has_key("secrets"))
        .order_by(Job.run_after, Job.id)
        .limit(_MOST_AT_ONCE)
        .with_for_update(of=Job, key_share=True, skip_locked=True)
        .cte("held")
    )
    moved = (
        update(Job)
        .where(Job.id == held.c.id)
        .values(kind=held.c.kind)
        .returning(Job.id, Job.attempts, Job.kind, held.c.was)
        .cte("moved")
    )
    families = func.jsonb_build_object("was", moved.c.was, "kind", moved.c.kind, type_=JSONB)
    return select(moved.c.id).add_cte(noted(moved, Move.HAND_OVER, detail=families))
