"""At the start of a process: one warning, with the sum, where there cannot be seats for all."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.db import is_away, seconds
from app.diagnosis import seats
from app.log import get_logger
from app.models import Worker

log = get_logger()


def warn(session: Session, *, live_seconds: float, apis: int = 0, workers: int = 0) -> None:
    """Log it; `apis` and `workers` are those that begin now. Nothing is refused."""
    found = seats.read(session)
    all_apis = max(1, apis + found.apis)
    all_workers = workers + _live_workers(session, live_seconds)
    if found.pooled or found.fits(apis=all_apis, workers=all_workers):
        return
    log.warning(
        "seats.too_few",
        reason=found.sum_of(apis=all_apis, workers=all_workers),
        needed=found.needed(apis=all_apis, workers=all_workers),
        room=found.room,
        others=found.others,
        remedy=seats.REMEDY,
    )


@contextmanager
def by_the_way() -> Iterator[None]:
    """Let a look be that the database refuses; a connection that breaks is its user's trouble.

    Whoever went on with that one would learn of it from SQLAlchemy alone, as of a bug.
    """
    try:
        yield
    except SQLAlchemyError as error:
        if is_away(error):
            raise


def _live_workers(session: Session, live_seconds: float) -> int:
    beats = Worker.heartbeat > func.now() - seconds(live_seconds)
    return session.scalar(select(func.count()).where(Worker.lost_at.is_(None), beats)) or 0
