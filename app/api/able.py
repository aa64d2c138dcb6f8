"""Who can do a conversion now, where that decides to which family a job is given."""

from functools import partial

from sqlalchemy.orm import Session

from app.api.parts import Parts
from app.api.wishes import Able, Wishes, has_choice, orders
from app.api.workers import anyone_can, live
from app.db import Sessions
from app.intake import Order
from app.settings import Settings


async def ordered(parts: Parts, source: str | None, wanted: Wishes) -> list[Order]:
    """Return an order for each thing wanted; the database is asked only where it decides."""
    if not has_choice(source, wanted.targets):
        return orders(source, wanted.targets, wanted.options)

    def work(sessions: Sessions) -> Able:
        with sessions.begin() as session:
            return who_can(session, parts.settings)

    able = await parts.database.run(work)
    return orders(source, wanted.targets, wanted.options, able=able)


def who_can(session: Session, settings: Settings) -> Able:
    """Return who of the workers that live now can do what."""
    return partial(anyone_can, live(session, live_seconds=settings.lease_seconds))
