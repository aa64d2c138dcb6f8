"""How long the second `rowmill up` on a folder takes, beside a Python that only imports.

    python -m bench.start [rounds]

The first start makes the database and is told, but has no target. Each later one is timed from the
start of its process to the line with the address, which comes once the API answers. The floor is a
Python that imports what the API imports, and ends: no start can be quicker on the same machine.
"""

import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from tests.system.surroundings import environment, open_folder

TARGET_SECONDS = 3.0
ADDRESS = "Rowmill is at "
IMPORTS = """
from app.cli.quick_imports import quick_imports
with quick_imports():
    import uvicorn, app.main
"""


def main() -> int:
    """Print the table; the exit status says whether the target was met."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    floors, later = [], []
    with open_folder() as folder:
        first = _start(folder)
        for _ in range(rounds):
            floors.append(_imports())
            later.append(_start(folder))
    print(f"\n`rowmill up` until its address is printed; seconds, median of {rounds}\n")
    print(f"{'the first start, which makes the database':48}{first:8.2f}")
    for name, times in (
        ("a later start", later),
        ("a Python that imports the API's modules", floors),
    ):
        print(f"{name:48}{median(times):8.2f}   {min(times):.2f} to {max(times):.2f}")
    met = median(later) < TARGET_SECONDS
    print(
        f"\nA later start takes {median(later) / median(floors):.1f} times as long as its imports."
    )
    print(f"Target: below {TARGET_SECONDS:g} s: {'met' if met else 'MISSED'}")
    return 0 if met else 1


def _start(folder: Path) -> float:
    """Start everything and stop it again; return the seconds until the address was printed."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "app.cli", "up"],
        env=environment(ROWMILL_DATA=str(folder / "data"), ROWMILL_PORT="0"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert process.stdout is not None
    try:
        said = next((line for line in process.stdout if line.startswith(ADDRESS)), None)
        seconds = time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    if said is None:
        sys.exit(f"`rowmill up` ended with {process.returncode} before it had an address.")
    return seconds


def _imports() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-c", IMPORTS], env=environment(), check=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
