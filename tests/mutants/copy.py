"""A copy of the tree in which a guard can be taken away without anybody being harmed."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.mutants.guard import ROOT, Guard

LEFT_OUT = (".git", ".venv", ".*_cache", "__pycache__", "node_modules", ".hypothesis", "data")
FAILED = 1  # pytest's code for tests that ran and did not pass
MOST_SECONDS = 600


class Copy:
    """The tree at another place; `without` yields while a guard is away."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def without(self, guard: Guard) -> Iterator[None]:
        path = self._root / guard.file
        whole = path.read_text()
        path.write_text(guard.taken_from(whole))
        try:
            yield
        finally:
            path.write_text(whole)

    def run(self, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run these tests here; stop at the first that fails."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
        return subprocess.run(
            [*command, *tests],
            cwd=self._root,
            env={**os.environ, "PYTHONPATH": str(self._root), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
        )


@contextmanager
def copied() -> Iterator[Copy]:
    """Yield a copy of the tree as it is now, changes that are not committed included."""
    with tempfile.TemporaryDirectory(prefix="rmmutants-", dir="/tmp") as folder:
        root = Path(folder) / "tree"
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        yield Copy(root)
