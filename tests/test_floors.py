"""No version is shipped that is known to be bad; tests/floors.toml says which and why."""

import re
import subprocess
import tomllib
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import pikepdf
import pillow_heif
import pypandoc
import pypdfium2
import pytest
import pyvips
from PIL import _avif, features

from worker.converters.media import installed

FLOORS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("floors.toml").read_text()
)
PROGRAMS = {"ffmpeg": imageio_ffmpeg.get_ffmpeg_exe, "pandoc": pypandoc.get_pandoc_path}

ASK: dict[str, Callable[[str], str]] = {
    "program": lambda name: _printed(PROGRAMS[name](), "-version" if name == "ffmpeg" else "-v"),
    "package": version,
    "heic": lambda name: _version_in(pillow_heif.libheif_info()["decoders"][name]),
    "avif": lambda name: _avif_codecs()[name],
    "libxml2": lambda _: ".".join(map(str, import_module("lxml.etree").LIBXML_VERSION)),
    "libheif": lambda _: str(pillow_heif.libheif_info()["libheif"]),
    "libvips": lambda _: ".".join(str(pyvips.version(part)) for part in range(3)),
    "pdfium": lambda _: str(pypdfium2.PDFIUM_INFO),
    "qpdf": lambda _: str(pikepdf.__libqpdf_version__),
}
SHIPPED = [name for name, floor in FLOORS.items() if floor["of"] != "debian"]


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_is_not_known_to_be_bad(name: str) -> None:
    assert not _complaint(name, _found(name, FLOORS[name]["of"]))


@pytest.mark.office
def test_the_libreoffice_of_debian_is_not_known_to_be_bad() -> None:
    """The number of a release says little there: its revisions are what is mended."""
    floor = FLOORS["libreoffice"]
    asked = ["dpkg-query", "-W", "-f", "${source:Version}", "libreoffice-writer-nogui"]
    found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert _is_at_least(found, floor["floor"]), f"{found}: {floor['why']}"
    assert not _is_at_least("4:7.4.7-1+deb12u9", floor["floor"])


def test_an_ffmpeg_of_the_system_is_held_to_the_floor_of_the_bundled_one() -> None:
    assert _numbers(FLOORS["ffmpeg"]["floor"]) == installed.FLOOR


@pytest.mark.parametrize("name", SHIPPED)
def test_a_version_below_its_floor_is_seen_and_the_reason_named(name: str) -> None:
    floor = FLOORS[name]["floor"]
    assert "CVE-" in _complaint(name, _just_below(floor))
    assert not _complaint(name, floor)


def test_versions_are_compared_as_numbers() -> None:
    assert FLOORS["pandoc"]["floor"] == "3.1.6"
    assert not _complaint("pandoc", "3.1.10")
    assert "CVE-" in _complaint("pandoc", "2.19.2")


def test_a_version_that_nobody_can_tell_is_seen() -> None:
    assert "CVE-" in _complaint("libtiff", str(None))


def test_every_codec_that_decodes_pictures_of_phones_has_a_floor() -> None:
    decoders = {*pillow_heif.libheif_info()["decoders"], *_avif_codecs()}
    assert decoders <= FLOORS.keys()


def test_every_program_that_is_bundled_has_a_floor() -> None:
    assert {*PROGRAMS} == {name for name, floor in FLOORS.items() if floor["of"] == "program"}


def _complaint(name: str, found: str) -> str:
    """Return why this version may not be shipped, or nothing."""
    floor = FLOORS[name]
    fine = _numbers(found) >= _numbers(floor["floor"])
    return "" if fine else f"{name} {found}: {floor['why']}"


def _just_below(floor: str) -> str:
    major, minor, patch = _numbers(floor)
    if patch:
        return f"{major}.{minor}.{patch - 1}"
    return f"{major}.{minor - 1}.99" if minor else f"{major - 1}.99.99"


def _is_at_least(version: str, floor: str) -> bool:
    return subprocess.run(["dpkg", "--compare-versions", version, "ge", floor]).returncode == 0


def _found(name: str, of: str) -> str:
    if of.startswith("pillow:"):
        return str(features.version(of.removeprefix("pillow:")))
    return ASK[of](name)


def _version_in(sentence: str) -> str:
    """Return what libheif says of a decoder, such as "libde265 HEVC decoder, version 1.1.3"."""
    return sentence.rpartition("version ")[2]


def _avif_codecs() -> dict[str, str]:
    """Return what libavif says of its codecs: "dav1d [dec]:1.5.3-0-gb546257, aom [enc]:3.14.1"."""
    listed = [one.split(":") for one in _avif.codec_versions().split(", ")]
    return {name.split()[0]: version.removeprefix("v") for name, version in listed}


def _printed(*argv: Any) -> str:
    said = subprocess.run([str(part) for part in argv], capture_output=True, text=True, check=True)
    [number] = re.findall(r"^\w+(?:\.exe)?(?: version)? n?(\d[\d.]*)", said.stdout.splitlines()[0])
    return str(number)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])
