"""The locks pin every package by its hashes, and name no host from which to get it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"[a-z0-9][\w.-]*==[\w.!+]+( ; [^;]+?)?( +--hash=sha256:[0-9a-f]{64})+")
HOST = "packages.example"
PLACE = f"//{HOST}/simple"
INDEX = "index-url"
HASH = f"--hash=sha256:{'0' * 64}"


def strange(lock: str) -> list[str]:
    """Return the lines of a lock that are neither comments nor pins with hashes, or name a host."""
    lines = [line.rstrip() for line in lock.replace("\\\n", " ").splitlines()]
    return [
        line
        for line in lines
        if "://" in line or not (line.lstrip().startswith("#") or PIN.fullmatch(line))
    ]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_has_pins_with_hashes_and_nothing_else(path: Path) -> None:
    assert strange(path.read_text()) == []


@pytest.mark.parametrize(
    "line",
    [
        f"--{INDEX} https:{PLACE}",
        f"--extra-{INDEX}={PLACE}",
        "--find-links wheels",
        f"--trusted-host {HOST}",
        f"# from https:{PLACE}",
        f"thing @ file.whl {HASH}",
        "thing==1.0",
        f"thing>=1.0 {HASH}",
        "-e .",
    ],
)
def test_what_a_lock_must_not_have_would_be_seen(line: str) -> None:
    lock = (ROOT / "requirements" / "api.txt").read_text()
    assert strange(f"{lock}{line}\n") == [line]
    assert strange(f"{lock}thing==1.0 ; python_version < '4' \\\n    {HASH}\n    # via it\n") == []


def test_the_locks_are_all_there() -> None:
    assert {path.name for path in LOCKS} == {
        f"{name}.txt" for name in ("all", "api", "build", "dev", "worker")
    }
