"""The static files: named by their content, kept for a year, nothing else reachable."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.api import assets
from app.words import ENGLISH, Words
from tests.system.house import House

MODULE = re.compile(r'from "\./([\w.-]+)"')
ADDRESS = re.compile(r"static\('([\w.-]+)'\)")
TEMPLATES = Path(assets.FOLDER).parent / "templates"


pytestmark = pytest.mark.system


@pytest.fixture
def client(running: House) -> Iterator[httpx.Client]:
    with running.client() as client:
        yield client


def test_a_file_is_kept_for_a_year_under_an_address_that_changes_with_it(
    client: httpx.Client,
) -> None:
    answer = client.get(assets.address("page.css"))
    assert answer.headers["cache-control"] == assets.FOR_EVER
    assert answer.headers["content-type"] == "text/css; charset=utf-8"


def test_the_address_of_another_release_is_not_kept(client: httpx.Client) -> None:
    answer = client.get("/static/another/page.css")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")


def test_a_known_file_is_not_sent_again(client: httpx.Client) -> None:
    known = client.get(assets.address("start.js")).headers["etag"]
    again = client.get(assets.address("start.js"), headers={"If-None-Match": known})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/static/x/nothing.js", "/static/x/..%2ftemplates%2fbase.html", "/static/x/.env"]
)
def test_nothing_else_is_served(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404


def test_every_file_that_is_named_exists_and_every_file_is_named() -> None:
    sources = [*assets.FOLDER.glob("*.js"), *TEMPLATES.glob("*.html"), *assets.FOLDER.glob("*.css")]
    text = "\n".join(path.read_text() for path in sources)
    named = {*MODULE.findall(text), *ADDRESS.findall(text), *re.findall(r'url\("(.+?)"\)', text)}
    assert named == {path.name for path in assets.FOLDER.iterdir()} | {assets.TABLE}


def test_a_table_of_other_words_has_an_address_of_its_own(client: httpx.Client) -> None:
    answer = client.get(assets.address(assets.TABLE))
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.text.startswith('export const LANGUAGE = "en";')
    table = {**ENGLISH.table, "page": {"skip": "Weiter"}}
    assert assets.address(assets.TABLE, Words("de", table)) != assets.address(assets.TABLE)
