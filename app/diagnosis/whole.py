"""Everything that can be told of the database at once, as findings and as numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.diagnosis import catalogs, horizon, idle, line, seats, server
from app.diagnosis.catalogs import CatalogSlot
from app.diagnosis.finding import Finding
from app.diagnosis.horizon import Holder
from app.diagnosis.idle import Idle
from app.diagnosis.line import Line
from app.diagnosis.seats import Seats

KEYS = ("seats", "horizon", "idle_in_transaction", "settings", "queue")


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What was seen; `findings` judge it, one for each of KEYS."""

    seats: Seats
    holders: Sequence[Holder]
    catalogs: Sequence[CatalogSlot]
    idle: Sequence[Idle]
    settings: Mapping[str, str]
    line: Line
    findings: Sequence[Finding]

    @property
    def document(self) -> dict[str, dict[str, Any]]:
        """Return for each of KEYS how it stands, in words, and the figures."""
        figures = {
            "seats": _seats(self.seats, self.line),
            "horizon": {
                "holders": [asdict(holder) for holder in self.holders],
                "catalogs": [asdict(slot) for slot in self.catalogs],
            },
            "idle_in_transaction": {"sessions": [asdict(one) for one in self.idle]},
            "settings": {"values": dict(self.settings)},
            "queue": asdict(self.line),
        }
        judged = {one.check: {"state": one.state, "says": one.says} for one in self.findings}
        return {key: judged[key] | figures[key] for key in KEYS}


def diagnose(session: Session, *, live_seconds: float) -> Diagnosis:
    """Look at everything in one transaction that changes nothing."""
    room = seats.read(session)
    holders = horizon.read(session)
    slots = catalogs.read(session)
    forgotten = idle.read(session)
    settings = server.read(session)
    queue = line.read(session, live_seconds=live_seconds)
    all_seen = horizon.sees_all(session)
    return Diagnosis(
        seats=room,
        holders=holders,
        catalogs=slots,
        idle=forgotten,
        settings=settings,
        line=queue,
        findings=[
            *seats.findings(room, workers=queue.live_workers),
            *horizon.findings(holders, catalogs=slots, all_seen=all_seen),
            *idle.findings(forgotten, all_seen=all_seen),
            *server.findings(settings),
            *line.findings(queue),
        ],
    )


def _seats(room: Seats, queue: Line) -> dict[str, Any]:
    return asdict(room) | {
        "in_use": room.in_use,
        "free": room.free,
        "workers_fit": room.workers_that_fit(apis=max(1, room.apis)),
        "apis_fit": room.apis_that_fit(workers=queue.live_workers),
    }
