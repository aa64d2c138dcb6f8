"""A kernel is asked for just what it knows: what it does not, it would refuse as a whole."""

import struct

import pytest

from worker.cell import landlock
from worker.cell.landlock import Access

TCP, SCOPES = 0b11, 0b11
RULESETS = {  # by the version of the kernel: the last kind of access that it knows, and the rest
    1: (Access.MAKE_SYM,),
    2: (Access.REFER,),
    3: (Access.TRUNCATE,),
    4: (Access.TRUNCATE, TCP),
    5: (Access.IOCTL_DEV, TCP),
    6: (Access.IOCTL_DEV, TCP, SCOPES),
    7: (Access.IOCTL_DEV, TCP, SCOPES),
}


@pytest.mark.parametrize("version", RULESETS)
def test_a_version_is_told_to_deny_all_that_it_knows_and_nothing_else(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bytes] = []
    monkeypatch.setattr(landlock, "_call", lambda _number, fields, *_: told.append(fields))
    landlock._ruleset(landlock._handled(version), version)
    last, *rest = RULESETS[version]
    assert struct.unpack(f"={len(told[0]) // 8}Q", told[0]) == (2 * last - 1, *rest)


def test_the_highest_version_that_is_known_is_in_the_table() -> None:
    assert max(RULESETS) == landlock.HIGHEST_ABI
