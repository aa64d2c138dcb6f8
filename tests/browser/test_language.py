"""In a language that nobody speaks every word of the pages is strange: all are in the table."""

import hashlib
import json
import re
import secrets
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect
from sqlalchemy import delete, func, select

from app.api.errors import Problem
from app.failures import failure
from app.models import Job, Worker
from app.words import CODED, ENGLISH
from tests import samples
from tests.app.words.tables import pseudo
from tests.browser.conftest import Open
from tests.browser.roads import over_a_road, slow_at_first
from tests.browser.steps import a_file, a_slow_upload, card, choose, evaluated, status_of
from tests.make import make_job, make_upload, make_worker
from tests.polling import poll
from tests.postgres import free_port
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

LANGUAGE = "en-XA"
# The real program, with tables from another folder.
LAUNCH = """
import pathlib, sys
from app import words
words.FOLDER = pathlib.Path(sys.argv.pop(1))
from app.cli import main
sys.exit(main(sys.argv[1:]))
"""
# Words of others that these tests bring onto a page, and that the table knows.
OUTSIDE = ("napping", "Nap", "session", "idle in transaction")
# Everything that is shown or read out; the words of the body come in the order of the page.
LOOK = """(others) => {
  const spoken = ["alt", "aria-label", "label", "placeholder", "title"];
  const elements = [...document.querySelectorAll("*")];
  const attributes = elements.flatMap((one) => spoken.map((name) => one.getAttribute(name) ?? ""));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const body = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!parentElement.closest(others)) body.push(data);
  }
  return [[document.title], ...attributes.map((text) => [text]), body];
}"""
# What the doctor says he says in English; a page without scripts is not looked at with them.
OTHERS = "[data-check] dd, noscript"
# In a document all is of others (names, formats, what a failure says beyond its sentence) but
# these, for which a page has words.
OWN = {"name_disagrees", "stage", "state", "status", "waiting_for", "what"}
NAMED = {"kinds", "taken"}  # by the keys


@pytest.fixture(scope="module")
def port(everyones: House, tmp_path_factory: pytest.TempPathFactory) -> int:
    """The port of an API that speaks the language, of the same house."""
    folder = tmp_path_factory.mktemp("words")
    tables = {"en": ENGLISH.table, LANGUAGE: pseudo(ENGLISH.table, *OUTSIDE)}
    for language, table in tables.items():
        (folder / f"{language}.json").write_text(json.dumps(table))
    port = free_port()
    settings = {"ROWMILL_PORT": str(port), "ROWMILL_LANGUAGE": LANGUAGE}
    command = [sys.executable, "-c", LAUNCH, str(folder), "api"]
    process = everyones._start(command, "api", settings)
    there = replace(everyones, api_port=port)
    poll(there._api_answers, why=process.log.read_text)
    return port


@pytest.fixture
def abroad(running: House, port: int) -> House:
    return replace(running, api_port=port)


def test_the_start_page_before_anything_is_sent(abroad: House, open_page: Open) -> None:
    page = open_page(abroad)
    expect(page.locator("html")).to_have_attribute("lang", LANGUAGE)
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    nothing_escapes(page)
    choose(page, *[a_file(name, samples.sample("png")) for name in ("a.png", "b.png")])
    page.locator("#options summary").click()
    expect(page.locator("#option-quality")).to_be_visible()
    page.locator("#option-quality").focus()
    page.evaluate("document.getElementById('send').dataset.limit = '10'")
    choose(page, a_file("c.png", samples.sample("png")))
    expect(page.get_by_role("alert")).to_contain_text("c.png")
    nothing_escapes(page, "a.png", "b.png", "c.png", "PNG")


def test_a_file_on_its_way(abroad: House, open_page: Open, large: Path) -> None:
    known = (large.name, "BMP", "JPG")
    with over_a_road(abroad, open_page, slow_at_first) as (page, _):
        send(page, large, to="jpg")
        expect(status_of(card(page))).to_contain_text(re.compile("[1-9] %"))
        nothing_escapes(page, *known)
        card(page).locator('[data-part="pause"]').click()
        expect(card(page).locator(".job")).to_have_attribute("data-tone", "idle")
        nothing_escapes(page, *known)
        page.reload()
        expect(card(page)).to_be_visible()
        nothing_escapes(page, *known)


def test_cards_in_their_states(abroad: House, open_page: Open) -> None:
    page = open_page(abroad)
    for name, content in (
        ("flag.gif", samples.sample("png")),
        ("half.png", samples.sample("png")[:200]),
    ):
        send(page, a_file(name, content), to="webp")
        expect(card(page).locator(".job")).to_have_attribute("data-tone", re.compile("good|bad"))
    for _ in range(4):
        a_slow_upload(abroad)  # two run, two wait
    page.reload()
    expect(status_of(card(page, 3))).to_contain_text("%")
    ready = card(page, 5)
    for opened in ("look", "another"):
        ready.locator(f'[data-part="{opened}"] summary').click()
    ready.locator('[data-part="copy"]').click()
    expect(ready.locator('[data-part="copied"]')).not_to_be_empty()
    nothing_escapes(page, *of_others(abroad, "/uploads"), page.url)
    card(page, 3).locator('[data-part="cancel"] button').click()
    expect(card(page, 3).locator(".job")).to_have_attribute("data-tone", "idle")
    nothing_escapes(page, *of_others(abroad, "/uploads"), page.url)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_the_pages_of_uploads(abroad: House, open_page: Open, *, scripts: bool) -> None:
    path = a_slow_upload(abroad)
    page = open_page(abroad, path, java_script_enabled=scripts)
    expect(status_of(card(page))).to_contain_text("%")
    known = of_others(abroad, path)
    nothing_escapes(page, *known)
    card(page).locator('[data-part="cancel"] button').click()
    expect(card(page).locator(".job")).to_have_attribute("data-tone", "idle")
    for address in (path, "/uploads"):
        page.goto(address)
        nothing_escapes(page, *known)
    page.context.clear_cookies()
    for address in (path, "/uploads"):
        page.goto(address)
        nothing_escapes(page, *known)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_file_that_nobody_can_convert_now(
    abroad: House, open_page: Open, *, scripts: bool
) -> None:
    with abroad.sessions.begin() as session:
        path = f"/uploads/{make_job(session, kind='nobody').upload_id}"
    page = open_page(abroad, path, java_script_enabled=scripts)
    if scripts:  # they draw the card once more
        targets = card(page).locator('[data-part="targets"]')
        expect(targets).to_have_attribute("data-names", re.compile("webp"))
    nothing_escapes(page, *of_others(abroad, path))
    with abroad.sessions.begin() as session:
        session.execute(delete(Job).where(Job.kind == "nobody"))


def test_why_a_file_failed(abroad: House, open_page: Open) -> None:
    errors = [failure("corrupt_input"), failure("too_long", "It lasts 7 hours.")]
    refusal = Problem("unknown_format").document
    unknown = {name: refusal[name] for name in ("code", "detail", "hint")}
    owner = hashlib.sha256(abroad.visitor.encode()).hexdigest()
    with abroad.sessions.begin() as session:
        for error in errors:
            upload_id = make_upload(session, owner=owner)
            make_job(session, kind="nobody", status="failed", error=error, upload_id=upload_id)
        make_upload(session, owner=owner, error=unknown, completed_at=None)
    known = of_others(abroad, "/uploads")
    for path, scripts in (("/", True), ("/uploads", False)):
        page = open_page(abroad, path, java_script_enabled=scripts)
        expect(card(page, 2)).to_be_visible()
        nothing_escapes(page, *known)
    with abroad.sessions.begin() as session:
        session.execute(delete(Job).where(Job.kind == "nobody"))


def test_what_is_refused(abroad: House, open_page: Open) -> None:
    page = open_page(abroad)
    choose(page, a_file("empty.png", b""), a_file("a.bin", b"\x00\x01 of no kind"))
    page.locator("#go").click()
    expect(card(page).locator(".job")).to_have_attribute("data-tone", "bad")
    expect(card(page, 1).locator('[data-part="problem"]')).not_to_be_empty()
    names = ("empty.png", "a.bin", "PNG", "BIN", "WEBP")
    nothing_escapes(page, *names, *of_others(abroad, "/uploads"))


def test_what_went_wrong(abroad: House, open_page: Open) -> None:
    page = open_page(abroad, "/nowhere")
    nothing_escapes(page, *of_others(abroad, "/nowhere"))
    page.goto(a_slow_upload(abroad))
    known = of_others(abroad, page.url.rpartition(str(abroad.api_port))[2])
    page.context.set_offline(True)
    expect(page.locator("#trouble")).not_to_be_empty()
    nothing_escapes(page, *known)


ONLY_HOLDER = """(own) => document.querySelectorAll(".holders li").forEach((one) => {
  if (!one.textContent.includes(own)) one.remove();
})"""


def test_the_operators_page(abroad: House, open_page: Open) -> None:
    name = f"stranger-{secrets.token_hex(4)}"
    with abroad.sessions.begin() as session:
        make_worker(session, name, offers={"kinds": {}, "problems": ["No LibreOffice."]}, missed=1)
        make_job(session, kind="nobody", status="failed", worker=name)
        make_job(session, kind="nobody")
    a_slow_upload(abroad)
    with abroad.sessions() as holder:
        own = str(holder.scalar(select(func.pg_backend_pid())))
        holder.execute(select(func.pg_current_xact_id()))  # its last words, whenever one looks
        page = open_page(abroad, "/ops")
        for shown in (".holders li", "[data-job]", "[data-failure]", '[data-kind="nobody"]'):
            expect(page.locator(shown).first).to_be_attached()
        # A worker that was in the middle of a statement may hold the horizon for this one look.
        page.evaluate(ONLY_HOLDER, own)
        nothing_escapes(page, *of_others(abroad, "/ops"), "rowmill why 4711")  # as it is typed
    with abroad.sessions.begin() as session:
        session.execute(delete(Job).where(Job.kind == "nobody"))
        session.execute(delete(Worker).where(Worker.name == name))


def test_a_word_that_escapes_is_found(abroad: House, open_page: Open) -> None:
    page = open_page(abroad)
    for script in (
        "document.querySelector('h1').append('Hello')",
        "document.querySelector('h1').append('ĥéļļô')",
        "document.querySelector('h1').firstChild.data = '⟦ĥéļļô Hello⟧'",
        "document.querySelector('nav').ariaLabel = 'Hello'",
    ):
        page.goto("/")
        page.evaluate(script)
        with pytest.raises(AssertionError):
            nothing_escapes(page)


def send(page: Page, *files: FilePayload | Path, to: str) -> None:
    choose(page, *files)
    page.locator("#to").select_option(to)
    page.locator("#go").click()


def nothing_escapes(page: Page, *known: str) -> None:
    """Fail with what stands on the page outside of ⟦ ⟧, or in plain letters; `known` may."""
    said = evaluated(page, LOOK, OTHERS)
    assert [one for texts in said for one in _escaped(texts, known)] == [], page.url


def of_others(house: House, path: str) -> set[str]:
    """Return what the JSON of this page says that is not for the page to say."""
    with house.client() as client:
        said = {text for text in _texts(client.get(path).json()) if text}
    return said - {text for group in CODED for text in ENGLISH.table[group].values()}


def _escaped(texts: list[str], known: Iterable[str]) -> Iterator[str]:
    depth = 0
    for text in texts:
        rest = text
        for word in sorted({"Rowmill", *known}, key=len, reverse=True):
            rest = rest.replace(word, "")
        outside = ""
        for sign in rest:
            depth += (sign == "⟦") - (sign == "⟧")
            outside += "" if depth else sign
        if re.search(r"[^\W\d_]", outside) or re.search("[A-Za-z]", rest):
            yield text


def _texts(said: Any) -> Iterator[str]:
    match said:
        case dict():
            for key, value in said.items():
                if key not in OWN:
                    yield from (*_texts(value), *(value if key in NAMED else ()))
        case list():
            for one in said:
                yield from _texts(one)
        case str():
            yield from (said, said.upper()) if len(said) < 5 else (said,)
