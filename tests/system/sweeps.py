"""Time as a house counts it: by its sweeps, of which a busy machine makes none too many."""

from datetime import datetime

from sqlalchemy import select

from app.models import House as HouseRow
from app.models import Worker
from tests.polling import poll
from tests.system.house import SHORT, House, Process

LEASE_SECONDS = float(SHORT["ROWMILL_LEASE_SECONDS"])
SWEEP_SECONDS = float(SHORT["ROWMILL_SWEEP_SECONDS"])
MISSES = round(LEASE_SECONDS / SWEEP_SECONDS)  # as many sweeps as there are in a lease


def swept_at(house: House) -> datetime:
    with house.sessions() as session:
        return session.scalars(select(HouseRow.swept_at)).one()


def rounds(house: House, count: int) -> None:
    """Wait until the house was swept so many times more."""
    seen: set[datetime] = set()

    def enough() -> bool:
        seen.add(swept_at(house))
        return len(seen) > count

    poll(enough, why=house.logs)


def row(house: House, worker: Process) -> Worker:
    with house.sessions() as session:
        return session.scalars(select(Worker).where(Worker.name == worker.worker)).one()
