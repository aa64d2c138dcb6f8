"""The workers that live now, and what they can do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models import Worker
from app.status import is_live


@dataclass(frozen=True, kw_only=True)
class Live:
    """One worker; `silent_seconds` since its last beat."""

    name: str
    version: str
    slots: int
    busy: int
    silent_seconds: float
    offers: dict[str, Any]

    @property
    def kinds(self) -> list[str]:
        return sorted(self.offers.get("kinds") or {})

    @property
    def problems(self) -> list[str]:
        return list(self.offers.get("problems") or [])

    def can(self, kind: str, source: str, target: str) -> bool:
        pairs = (self.offers.get("pairs") or {}).get(kind) or {}
        return target in (pairs.get(source) or ())

    def reason(self, kind: str, source: str, target: str) -> str | None:
        """Return why it cannot do a pair that it tried, in an operator's words."""
        reasons = self.offers.get("reasons") or {}
        return reasons.get(f"{kind}:{source}>{target}") or reasons.get(kind)


def anyone_can(workers: Sequence[Live], kind: str, source: str, target: str) -> bool:
    return any(worker.can(kind, source, target) for worker in workers)


def live(session: Session, *, live_seconds: float) -> Sequence[Live]:
    """Return the workers that beat in the last `live_seconds`, by name."""
    silence = func.extract("epoch", func.now() - Worker.heartbeat)
    rows = session.execute(
        select(Worker, silence.label("silence")).where(is_live()).order_by(Worker.name),
        {"live": timedelta(seconds=live_seconds)},
    )
    return [
        Live(
            name=row.Worker.name,
            version=row.Worker.version,
            slots=row.Worker.slots,
            busy=row.Worker.busy,
            silent_seconds=max(0.0, float(row.silence)),
            offers=row.Worker.offers,
        )
        for row in rows
    ]
