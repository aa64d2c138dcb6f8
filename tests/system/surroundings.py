"""What a `rowmill` is started in: settings and a folder that nobody else has."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.python import ROOT


def environment(**settings: str) -> dict[str, str]:
    """Return these settings, and none of whoever runs this."""
    ours = {n: v for n, v in os.environ.items() if not n.startswith(("ROWMILL_", "DATABASE_URL"))}
    return {**ours, "PYTHONPATH": str(ROOT), **settings}


@contextmanager
def open_folder() -> Iterator[Path]:
    """Yield a folder that the database's user can enter, or root's would lie in /var/lib."""
    folder = Path(tempfile.mkdtemp(prefix="rw-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
