"""What `rowmill doctor` says of the database, for machines that ask often."""

from sqlalchemy import exc
from sqlalchemy.orm import Session

from app.api.database import Database, DatabaseAway, NotOpen
from app.api.ops.glance import Glance
from app.db import is_away
from app.diagnosis.whole import Diagnosis, diagnose
from app.log import get_logger

EVERY_SECONDS = 5.0

log = get_logger()


class Doctor:
    """Looks once in five seconds at most. What it cannot find out makes nothing unready."""

    def __init__(self, database: Database, *, live_seconds: float) -> None:
        self._live_seconds = live_seconds
        self._glance = Glance(database, self._look, seconds=EVERY_SECONDS)

    async def ask(self) -> Diagnosis | None:
        """Return what was seen at most five seconds ago; None if nothing can be seen."""
        try:
            return await self._glance.take()
        except (DatabaseAway, NotOpen):
            return None

    def _look(self, session: Session) -> Diagnosis:
        try:
            return diagnose(session, live_seconds=self._live_seconds)
        except exc.SQLAlchemyError as error:
            if not is_away(error):
                log.warning("doctor.failed", reason=str(error)[:500])
            raise DatabaseAway from error
