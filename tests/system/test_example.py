"""The package of a third party that CONTRIBUTING.md shows: installed, listed, run in a cell."""

import io
import re
import tomllib
import wave
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import pytest

from tests.postgres import Server
from tests.system.house import ROOT, house_on

EXAMPLE = ROOT / "tests" / "example"
PROJECT = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
SQUARE = [0] * 50 + [16384, -16384] * 25


@pytest.mark.parametrize("file", ["family.py", "convert.py"])
def test_the_page_shows_the_example_as_it_is(file: str) -> None:
    assert (EXAMPLE / "rowmill_waveform" / file).read_text() in _shown("python")


def test_the_page_shows_the_entry_point_of_the_example() -> None:
    shown = [tomllib.loads(block) for block in _shown("toml")]
    assert {"project": {"entry-points": PROJECT["entry-points"]}} in shown


@pytest.mark.system
def test_the_example_is_listed_and_converts(postgres: Server, tmp_path: Path) -> None:
    path = f"{_installed(tmp_path / 'site')}:{EXAMPLE}:{ROOT}"
    with house_on(postgres, tmp_path, ROWMILL_KINDS="waveform", PYTHONPATH=path) as house:
        house.api()
        house.worker()
        with house.client() as client:
            listed = _pair(client.get("/formats").json())
            assert listed["available"]
            assert listed["kind"] == "waveform"
            drawn = _sent(client, _wav(SQUARE), columns="2").content
            assert ET.fromstring(drawn)[0].get("d") == "M0 100V100M1 50V150"
            for damaged in (_wav(SQUARE)[:30], _wav([])):
                assert _sent(client, damaged).json()["error"]["code"] == "corrupt_input"


def _shown(language: str) -> list[str]:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def _installed(folder: Path) -> Path:
    """Write what an installer would write of the example, so that its entry point is found."""
    described = folder / "rowmill_waveform-1.0.dist-info"
    described.mkdir(parents=True)
    about = f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
    (described / "METADATA").write_text(about)
    [(group, points)] = PROJECT["entry-points"].items()
    lines = [f"{name} = {value}\n" for name, value in points.items()]
    (described / "entry_points.txt").write_text(f"[{group}]\n{''.join(lines)}")
    return folder


def _pair(document: Any) -> Any:
    [pair] = [one for one in document["pairs"] if (one["from"], one["to"]) == ("wav", "svg")]
    return pair


def _sent(client: httpx.Client, content: bytes, **options: str) -> httpx.Response:
    """Have a sound drawn; return the result, or why there is none."""
    params = {"to": "svg", "wait": "30", **options}
    answer = client.put("/uploads/sound.wav", content=content, params=params)
    assert answer.status_code == 303, answer.text
    return client.get(answer.headers["location"])


def _wav(samples: list[int]) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(b"".join(sample.to_bytes(2, "little", signed=True) for sample in samples))
    return file.getvalue()
