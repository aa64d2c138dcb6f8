"""A worker's row: entered at the start under a name never used before, taken out at the end."""

import socket
from importlib.metadata import PackageNotFoundError, version

from sqlalchemy import delete, exists
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.failures import clean
from app.models import Job, Worker
from worker.offers import Offers


def enter(session: Session, *, name: str, offers: Offers, slots: int) -> None:
    """Add the worker's row, or write what it offers now into the one that is there."""
    row = {
        "name": name,
        "host": clean(socket.gethostname()),
        "offers": offers.row,
        "slots": slots,
        "version": own_version(),
    }
    entry = insert(Worker).values(row)
    changed = {"offers": entry.excluded.offers}
    session.execute(entry.on_conflict_do_update(index_elements=[Worker.name], set_=changed))


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
