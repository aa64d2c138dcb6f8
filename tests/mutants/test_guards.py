"""The list of mutants keeps up with the source; `make mutants` runs them."""

import ast

import pytest

from tests.mutants.guard import ROOT, Guard
from tests.mutants.guards import GUARDS


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_a_guard_is_where_its_mutant_looks_for_it(guard: Guard) -> None:
    mutant = guard.taken_from((ROOT / guard.file).read_text())
    if guard.file.endswith(".py"):
        compile(mutant, guard.file, "exec")


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_the_tests_that_notice_it_are_there(guard: Guard) -> None:
    assert guard.tests
    for test in guard.tests:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / file).read_text())
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name.partition("[")[0] in defined, test


def test_a_guard_has_one_mutant() -> None:
    assert len({guard.name for guard in GUARDS}) == len(GUARDS) >= 10
