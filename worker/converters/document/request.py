"""What one conversion of a document is asked for, and what it reports."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.formats.document import DocumentOptions
from worker.converters.limits import Limits
from worker.converters.progress import Progress


@dataclass(frozen=True)
class Request:
    source: Path
    target: Path
    source_format: str
    target_format: str
    wish: DocumentOptions
    limits: Limits
    progress: Progress


@dataclass
class Report:
    """What people see of a conversion that worked."""

    counted: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    encoding: str | None = None
    pages: int | None = None

    def facts(self) -> dict[str, Any]:
        shown = {name: self.counted.get(name, 0) for name in ("pictures", "tables", "headings")}
        read_as = {"encoding": self.encoding} if self.encoding else {}
        paged = {"pages": self.pages} if self.pages is not None else {}
        return {**paged, **shown, **read_as, "notes": self.notes}
