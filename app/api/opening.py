"""What must hold before the API does anything: the schema is new enough, the storage is ours."""

import multiprocessing

from sqlalchemy.orm import Session

from app import schema
from app.api.database import NotOpen
from app.diagnosis import budget
from app.storage import Storage, WrongHouse


def open_up(session: Session, storage: Storage) -> None:
    """Raise NotOpen with the reason, or leave a storage that belongs to this database.

    A new database, which knows no upload, may take an empty folder; any other may not.
    """
    connection = session.connection()
    try:
        schema.check(connection)
        house_id, is_new = schema.house_of(connection)
        storage.claim_house(house_id, may_create=is_new)
    except (schema.SchemaTooOld, WrongHouse) as reason:
        raise NotOpen(str(reason)) from reason
    except OSError as reason:
        raise NotOpen(f"The data folder cannot be used: {reason}") from reason


def warn_of_seats(session: Session, *, live_seconds: float, apis: int = 0) -> None:
    """Log it where there cannot be seats for all; of several processes their parent has done so.

    `apis` are processes that will be started. A look that the database refuses is let be.
    """
    if multiprocessing.parent_process() is None:
        with budget.by_the_way(), session.begin_nested():
            budget.warn(session, apis=apis, live_seconds=live_seconds)
