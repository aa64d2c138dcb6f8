"""Who in the worker starts a program, who in the house calls an address: these and nobody else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from app.formats.catalogue import families

ROOT = Path(__file__).parents[3]
STARTING = re.compile(
    r"(subprocess|multiprocessing|pty)\b.*"
    r"|os\.(fork|forkpty|exec[lv]\w*|spawn\w+|posix_spawnp?|system|popen)"
)
CALLING = re.compile(
    r"(http\.client|urllib\.request|urllib3|requests|httpx|aiohttp|ftplib|smtplib)\b.*"
)


def test_programs_are_started_in_these_places_alone() -> None:
    assert _users_of(STARTING, "worker") == {
        "worker/cell/pads.py": {"os.fork", "os.execve"},
        "worker/converters/media/installed.py": {"subprocess"},  # before there is any cell
        "worker/converters/program.py": {"subprocess"},  # outside of a cell
        "worker/spawner/brood.py": {"os.fork"},
        "worker/spawner/process.py": {"subprocess"},
    }


def test_the_cells_of_two_families_start_programs_and_of_the_others_none() -> None:
    starting = {family.kind for family in families() if family.needs.programs}
    assert starting == {"document", "media"}


def test_no_address_that_a_file_or_a_person_names_is_ever_called() -> None:
    """So there is no list of forbidden ones that could be got around by another spelling."""
    its_own_api = {"app/cli/knock.py": {"http.client"}}
    assert _users_of(CALLING, "app", "worker") == its_own_api


def _users_of(names: re.Pattern[str], *folders: str) -> dict[str, set[str]]:
    """Return the files that speak of such a name, and which of them."""
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    found = {path: set(filter(names.fullmatch, _named(path))) for path in files}
    return {str(path.relative_to(ROOT)): which for path, which in found.items() if which}


def _named(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{name.name}" for name in names)
            case ast.Attribute(value=ast.Name(id="os"), attr=name):
                yield f"os.{name}"
