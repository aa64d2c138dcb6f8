"""A Python of its own, which has imported nothing yet."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def python(code: str) -> str:
    """Run code in a new process that finds this project; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.strip()
