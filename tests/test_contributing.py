"""CONTRIBUTING.md draws the tree that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def drawn() -> list[str]:
    """Return the paths of the section named "The tree", in its order."""
    section = TEXT.partition("## The tree")[2].partition("```\n")[2].partition("```")[0]
    found, above = [], ""
    for indent, name in re.findall(r"^( *)(\S+)", section, re.MULTILINE):
        above = name if not indent else above
        found.append(above + name if indent else name)
    return found


@pytest.mark.parametrize("path", drawn())
def test_what_the_tree_names_exists(path: str) -> None:
    assert (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file()


def test_the_tree_is_read_at_all() -> None:
    assert {"app/", "app/queue/", "worker/desk.py", "bench/"} <= {*drawn()}
