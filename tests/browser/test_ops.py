"""The operator's page and the story of an upload, in a real browser."""

import re
import uuid
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import expect
from sqlalchemy import delete, func, update

from app.failures import failure
from app.models import Event, Job, Worker
from tests import samples
from tests.browser.conftest import Open
from tests.browser.steps import a_file, a_slow_upload, card, convert, status_of, until_ready
from tests.browser.test_accessible import AXE, LOOK
from tests.make import make_job, make_worker
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

EVIL = "<img src=x onerror=document.title='broken'>"


@pytest.fixture
def stranger(running: House) -> Iterator[str]:
    """The name of a worker that is entered when the page is there already, and taken out again."""
    name = f"{EVIL} {uuid.uuid4().hex[:8]}"
    yield name
    with running.sessions.begin() as session:
        session.execute(delete(Job).where(Job.kind == "nobody"))
        session.execute(delete(Worker).where(Worker.name.startswith(name)))


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_what_changes_is_shown_without_a_hand(
    running: House, open_page: Open, stranger: str, *, scripts: bool
) -> None:
    page = open_page(running, "/ops", java_script_enabled=scripts)
    expect(page.get_by_role("heading", name="Workers")).to_be_visible()
    board = page.get_by_role("region", name="Workers")
    expect(board.get_by_text(stranger)).to_have_count(0)
    with running.sessions.begin() as session:
        make_worker(session, stranger, offers={"kinds": {}, "problems": [EVIL]})
    row = board.get_by_role("row").filter(has_text=stranger)
    expect(row).to_contain_text("nothing")
    expect(row).to_contain_text(EVIL)
    expect(page).to_have_title(re.compile("^Operations"))


def test_what_is_unfolded_stays_so_and_keeps_the_focus(
    running: House, open_page: Open, stranger: str
) -> None:
    offers = {"kinds": {"image": 1}, "problems": ["No LibreOffice."]}
    with running.sessions.begin() as session:
        make_worker(session, stranger, offers=offers, version="1")
    page = open_page(running, "/ops")
    row = page.get_by_role("row").filter(has_text=stranger)
    row.get_by_text("1 reason why not more").click()
    expect(row.get_by_text("No LibreOffice.")).to_be_visible()
    with running.sessions.begin() as session:
        worker = session.get_one(Worker, stranger)
        worker.version = "release-2"
    expect(row).to_contain_text("release-2")
    expect(row.get_by_text("No LibreOffice.")).to_be_visible()
    expect(row.get_by_text("1 reason why not more")).to_be_focused()


def test_on_320_pixels_only_the_tables_move_sideways(running: House, open_page: Open) -> None:
    page = open_page(running, "/ops", viewport={"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_story_of_an_upload_is_told_when_it_is_unfolded(
    running: House, open_page: Open
) -> None:
    page = open_page(running, a_slow_upload(running))
    story = page.locator("[data-story]")
    expect(story.get_by_text("It was put in line")).to_be_hidden()
    card(page).get_by_role("button", name="Cancel").click()
    expect(status_of(card(page))).to_have_text("Cancelled")
    story.get_by_text("What happened").click()
    expect(story).to_contain_text("It was put in line: png to nap.")
    expect(story).to_contain_text(
        re.compile("Somebody cancelled it.*“Try again” starts it", re.DOTALL)
    )


def test_the_story_needs_no_scripts(running: House, open_page: Open) -> None:
    page = open_page(running)
    sent = convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    until_ready(sent)
    address = str(sent.get_by_role("link").first.get_attribute("href"))
    page = open_page(running, address, java_script_enabled=False)
    page.get_by_text("What happened").click()
    expect(page.locator("[data-story]")).to_contain_text("It is ready.")
    expect(page.locator("[data-story]")).to_contain_text(re.compile(r"Attempt 1 succeeded after"))


@pytest.mark.clients
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_it(
    running: House, open_page: Open, stranger: str, theme: Literal["light", "dark"]
) -> None:
    with running.sessions.begin() as session:
        make_worker(session, stranger, offers={"kinds": {}, "problems": [EVIL]})
        make_worker(session, f"{stranger} lost", offers={}, lost_at=func.now())
        job = make_job(session, kind="nobody", status="failed", worker=stranger)
        make_job(session, kind="nobody")
        detail = failure("converter_crashed") | {"log": "a traceback"}
        session.execute(update(Event).where(Event.job_id == job.id).values(detail=detail))
    page = open_page(running, "/ops", color_scheme=theme, reduced_motion="reduce")
    expect(page.get_by_text("For operators").first).to_be_visible()
    page.evaluate(AXE.read_text())
    assert page.evaluate(LOOK) == []
