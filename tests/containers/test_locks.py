"""What an image installs is enough for what it runs."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Runs in a Python that acts as if the modules named first were not installed.
PROGRAM = """
import importlib, sys
absent, wanted = sys.argv[1].split(","), sys.argv[2].split(",")
sys.modules.update(dict.fromkeys(absent))
for name in wanted:
    importlib.import_module(name)
"""


def absent_with(lock: str) -> list[str]:
    """Return the modules installed here that a lock does not install."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    locked = {_normal(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
    return [
        module
        for module, names in packages_distributions().items()
        if not locked & {_normal(name) for name in names} and module not in {"app", "worker"}
    ]


def import_with(lock: str, modules: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, ",".join(absent_with(lock)), ",".join(modules)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("lock", "modules"),
    [
        ("api", ["app.main", "app.cli", "app.cli.listen", "app.cli.migrate", "app.schema"]),
        ("worker", ["worker.__main__", "worker.converters.image", "pyvips", "PIL", "pillow_heif"]),
    ],
)
def test_a_lock_has_all_that_its_image_imports(lock: str, modules: list[str]) -> None:
    done = import_with(lock, modules)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_lock_lacks_is_missed() -> None:
    done = import_with("api", ["pyvips"])
    assert done.returncode == 1
    assert "import of pyvips halted" in done.stderr


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
