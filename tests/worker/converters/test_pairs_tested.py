"""Every pair that GET /formats lists has a test that converts a real file and looks at it."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from app.formats import catalogue
from app.formats.family import Family

HERE = __name__.rpartition(".")[0]
# The tests in these are named for what they look for in the result.
MODULES = {
    "image": ["test_image_pairs"],
    "media": ["media.test_pairs"],
    "pdf": ["pdf.test_pairs"],
    "office": ["office.test_pairs", "office.test_passwords"],
    "table": ["table.test_pairs"],
    "document": ["document.test_pairs"],
}
BUILT_IN = [one for one in catalogue.families() if one.convert.startswith("worker.")]
Pair = tuple[str, str]


@pytest.mark.parametrize("family", BUILT_IN, ids=lambda family: family.kind)
def test_every_pair_of_a_family_has_a_test_of_its_own(family: Family) -> None:
    tried = {pair for name in MODULES[family.kind] for pair in pairs_in(name)}

    assert set(family.pairs) - tried == set()
    assert tried - set(family.pairs) == set()


def pairs_in(name: str) -> Iterator[Pair]:
    """Yield the pairs that the tests of a module are given."""
    for test in _tests_in(import_module(f"{HERE}.{name}")):
        for mark in getattr(test, "pytestmark", []):
            if mark.name == "parametrize" and mark.args[0] == ("source", "target"):
                yield from mark.args[1]


def _tests_in(module: ModuleType) -> list[Any]:
    return [value for name, value in vars(module).items() if name.startswith("test_")]
