"""A worker's row: entered at the start under a name never used before, taken out at the end."""

import socket
from importlib.metadata import PackageNotFoundError, version

from sqlalchemy import delete, exists, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.failures import clean
from app.models import Job, Worker
from worker.offers import Offers


def enter(session: Session, *, name: str, offers: Offers, slots: int) -> bool:
    """Add the worker's row; False when that name has one, which may be another worker's.

    Or it is our own, of a try whose answer was lost. That cannot be told, and two workers of one
    name would give back each other's jobs for ever, so whoever is told False takes a new name.
    The row that nobody beats for is lost after some sweeps, and holds no job.
    """
    row = {
        "name": name,
        "host": clean(socket.gethostname()),
        "offers": offers.row,
        "slots": slots,
        "version": own_version(),
    }
    entry = insert(Worker).values(row).on_conflict_do_nothing().returning(Worker.name)
    return session.scalars(entry).first() is not None


def restate(session: Session, *, name: str, offers: Offers) -> None:
    """Write what the worker offers now into its row."""
    session.execute(update(Worker).where(Worker.name == name).values(offers=offers.row))


def leave(session: Session, *, name: str) -> None:
    """Take the row out, unless a job still names it: then a sweep finds the worker silent."""
    holds = exists().where(Job.locked_by == Worker.name)
    session.execute(
        delete(Worker)
        .where(Worker.name == name, ~holds)
        .execution_options(synchronize_session=False)
    )


def own_version() -> str:
    """Return the version of Rowmill that this worker runs."""
    try:
        return version("rowmill")
    except PackageNotFoundError:
        return "0"
