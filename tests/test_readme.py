"""README.md says what is so: settings and their defaults, commands, files, seats."""

import re
import subprocess
from pathlib import Path

import pytest

from app import db
from app.api.wishes import LONGEST_WAIT_SECONDS
from app.cli import COMMANDS
from app.formats import catalogue
from app.settings import _READERS, Settings, from_environment
from tests.postgres import Server
from tests.readme import ADDRESS, TEXT, Example, examples, settings
from tests.samples import sample
from tests.system.house import house_on

ROOT = Path(__file__).parents[1]
CALM = {
    "ROWMILL_BEAT_SECONDS": "5",
    "ROWMILL_SWEEP_SECONDS": "15",
    "ROWMILL_LEASE_SECONDS": "60",
}
SAID_IN_WORDS = {"DATABASE_URL", "ROWMILL_SLOTS", "ROWMILL_KINDS", "ROWMILL_SCRATCH"}


def default_of(name: str) -> object:
    return getattr(from_environment({}), name.removeprefix("ROWMILL_").lower())


def test_every_setting_is_in_the_table_and_nothing_else() -> None:
    assert list(settings()) == list(_READERS)


@pytest.mark.parametrize("name", sorted(_READERS.keys() - SAID_IN_WORDS))
def test_the_table_says_the_default_as_it_would_be_written(name: str) -> None:
    written = settings()[name]
    assert re.fullmatch("`[^`]+`", written)
    assert _READERS[name](written.strip("`"), name) == default_of(name)


def test_only_defaults_that_depend_on_the_machine_are_said_in_words() -> None:
    assert {name for name, default in settings().items() if default[0] != "`"} == {
        *SAID_IN_WORDS
    } - {"ROWMILL_SCRATCH"}
    assert (Settings().database_url, Settings().kinds) == (None, None)
    assert default_of("ROWMILL_SCRATCH") == from_environment({}).data / "scratch"


def test_no_other_setting_is_named_anywhere() -> None:
    papers = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    named = {word for paper in papers for word in re.findall(r"ROWMILL_[A-Z_]+", paper.read_text())}
    assert named <= {*_READERS, "ROWMILL_CORPUS"}


def test_the_two_commands_exist() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert blocks == ["make run\n", "docker compose up\n", "docker compose up --scale worker=4\n"]
    assert re.search(r"^run:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert (ROOT / "docker-compose.yml").exists()


def test_commands_of_rowmill_that_are_named_exist() -> None:
    papers = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    named = {word for paper in papers for word in re.findall(r"`rowmill (\w+)", paper.read_text())}
    assert named <= {*COMMANDS}


def test_the_seats_are_those_of_the_pools() -> None:
    engine = db.api_engine("postgresql+psycopg2://nobody@127.0.0.1:1/none")
    api = engine.pool.size() + engine.pool._max_overflow  # type: ignore[attr-defined]
    assert f"| API process | {api} at most |" in TEXT
    assert f"one API and {97 - api} workers" in TEXT


def test_the_longest_wait_is_the_one_that_is_told() -> None:
    assert f"`wait` is {LONGEST_WAIT_SECONDS} seconds at most" in TEXT


def test_the_defaults_that_are_told_are_those_of_the_catalogue() -> None:
    assert (catalogue.default_target("heic"), catalogue.default_target("png")) == ("jpg", "webp")


def test_every_format_that_is_converted_is_told() -> None:
    [section] = re.findall(r"^## What it converts\n(.*?)^## ", TEXT, re.MULTILINE | re.DOTALL)
    [image] = [family for family in catalogue.families() if family.kind == "image"]
    words = {word.lower() for word in re.findall(r"[A-Za-z0-9]+", section)}
    assert {{"jpg": "jpeg"}.get(name, name) for name in (*image.sources, *image.targets)} <= words
    assert "docs/formats.md" in section  # which has the rest, and a test of its own


def test_links_lead_to_files() -> None:
    for paper in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", paper.read_text()):
            if "://" not in link:
                assert (paper.parent / link).exists(), f"{paper.name}: {link}"


def test_the_examples_talk_to_the_address_that_is_served() -> None:
    default = from_environment({})
    assert f"http://{default.host}:{default.port}" == ADDRESS
    requests = [example.command for example in examples() if "curl" in example.command]
    assert len(requests) >= 9
    assert all(ADDRESS in command for command in requests)


def test_an_example_fits_what_it_promises_and_nothing_else() -> None:
    example = Example("curl", '{"id":"…","name":"photo.heic",…}')
    assert example.fits('{"id":"0b","name":"photo.heic","size":1}\n')
    assert not example.fits('{"id":"0b","name":"photo.jpg","size":1}')
    assert not Example("curl", "").fits("curl: (7) refused")


@pytest.mark.system
def test_the_examples_do_what_they_say(postgres: Server, tmp_path: Path) -> None:
    (tmp_path / "photo.heic").write_bytes(sample("heic"))
    with house_on(postgres, tmp_path / "house", **CALM) as house:
        worker = house.worker()
        house.api()
        script = [
            f"{{ {example.command}\n}} >{number}.printed 2>&1 || exit {number + 1}"
            for number, example in enumerate(examples())
        ]
        # A photo this small is made before anybody could cancel it, unless its worker stands still.
        [second] = [n for n, line in enumerate(script) if "-d to=png" in line]
        script.insert(second, f"kill -STOP {worker.pid}")
        address = f"http://127.0.0.1:{house.api_port}"
        text = "\n".join(script).replace(ADDRESS, address)
        subprocess.run(["bash", "-c", text], cwd=tmp_path, check=True, timeout=120)
    for number, example in enumerate(examples()):
        printed = (tmp_path / f"{number}.printed").read_text()
        assert example.fits(printed), f"{example.command}\n{printed}"
    assert (tmp_path / "photo.jpg").read_bytes().startswith(b"\xff\xd8\xff")
    assert (tmp_path / "photo.webp").read_bytes()[8:12] == b"WEBP"
