"""Who can do a conversion now, where that decides to which family a job is given."""

from collections.abc import Sequence
from functools import partial

from app.api.parts import Parts
from app.api.wishes import Able, Wishes, has_choice
from app.api.workers import Live, anyone_can, live
from app.db import Sessions


async def who_can(parts: Parts, source: str | None, wanted: Wishes) -> Able:
    """Return who can do what now; asked of the database only where it makes a difference."""
    if not has_choice(source, wanted.targets):
        return lambda *_: True

    def work(sessions: Sessions) -> Sequence[Live]:
        with sessions.begin() as session:
            return live(session, live_seconds=parts.settings.lease_seconds)

    return partial(anyone_can, await parts.database.run(work))
