"""A storage in which an attempt has finished its work, but for the recording."""

import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.queue import Claimed, Standing
from app.storage import DiskStorage
from app.storage.keys import outcome_key, result_key
from worker import adoption, product
from worker.outcome import Converted
from worker.report import Report

FACTS = {"width": 1, "notes": ["It was small."]}
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + bytes(13) + b"the rest of a picture"


class Place:
    """A storage with the scratch folder of one attempt after the other."""

    def __init__(self, root: Path) -> None:
        self.storage = DiskStorage(root / "data")
        self.storage.claim_house(uuid.uuid4(), may_create=True)
        self.scratch = root / "data" / "scratch"
        self.scratch.mkdir()
        payload = {"from": "jpg", "to": "png", "options": {"width": 1}}
        ids, now = (7, uuid.uuid4(), uuid.uuid4(), 1), datetime.now(UTC)
        self.first = Claimed(*ids, "image", payload, 1, "objects/x", now)
        self.second = replace(self.first, lease_id=uuid.uuid4(), attempt=2)

    def finish(
        self, job: Claimed | None = None, *, content: bytes = PNG, claims: str = "png"
    ) -> Report:
        """Let an attempt end well, but for the recording."""
        job = job or self.first
        made = self.scratch / "output.png"
        made.write_bytes(content)
        described = product.described(made, "png" if content == PNG else "csv")
        result = {"storage_key": key_of(job), **described, "format": claims, "facts": FACTS}
        return adoption.publish(Report(job, Converted(FACTS), result), self.scratch, self.storage)

    def find(self, job: Claimed | None = None) -> Report | None:
        return adoption.find(job or self.second, self.scratch, self.storage)

    def change(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change what is kept of the first attempt."""
        file = self.storage.path(outcome_of(self.first))
        told = json.loads(file.read_text())
        change(told)
        file.write_text(json.dumps(told))

    def tidy(self, report: Report, standing: Standing) -> None:
        adoption.tidy(report, standing, storage=self.storage)

    def results(self) -> list[str]:
        return self.storage.results_of(self.first.upload_id)


def key_of(job: Claimed) -> str:
    return result_key(job.upload_id, job.number, job.lease_id)


def outcome_of(job: Claimed) -> str:
    return outcome_key(job.upload_id, job.number, job.lease_id)
