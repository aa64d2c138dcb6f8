"""Everything that can be told of the database at once, as findings and as numbers."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.diagnosis import horizon, idle, line, seats, server
from app.diagnosis.finding import Finding


@dataclass(frozen=True)
class Diagnosis:
    """`numbers` has the keys seats, horizon, idle_in_transaction, settings and queue."""

    findings: list[Finding]
    numbers: dict[str, Any]


def diagnose(session: Session, *, live_seconds: float) -> Diagnosis:
    """Look at everything in one transaction that changes nothing."""
    room = seats.read(session)
    holders = horizon.read(session)
    forgotten = idle.read(session)
    settings = server.read(session)
    queue = line.read(session, live_seconds=live_seconds)

    def judged() -> Iterator[Finding]:
        yield from seats.findings(room, workers=queue.live_workers)
        yield from horizon.findings(holders, all_seen=horizon.sees_all(session))
        yield from idle.findings(forgotten)
        yield from server.findings(settings)
        yield from line.findings(queue)

    return Diagnosis(
        findings=list(judged()),
        numbers={
            "seats": asdict(room)
            | {"in_use": room.in_use, "free": room.free, "workers_fit": room.workers_that_fit()},
            "horizon": [asdict(holder) for holder in holders],
            "idle_in_transaction": [asdict(one) for one in forgotten],
            "settings": dict(settings),
            "queue": asdict(queue),
        },
    )
