"""Says whether a worker of this host gave a sign of life lately, without asking the database."""

import sys
import time

from app.settings import BadSetting, from_environment
from worker.name import host
from worker.scratch import signs


def check() -> int:
    """Return 0 when a desk has turned within one lease, 1 when none has, 2 for bad settings."""
    try:
        settings = from_environment()
    except BadSetting as reason:
        print(f"rowmill worker: {reason}", file=sys.stderr)  # noqa: T201
        return 2
    latest = max(signs(settings.scratch, host()), default=0.0)
    return 0 if time.time() - latest < settings.lease_seconds else 1
