"""What the page says of a job that waits, whose worker was lost, whose converter crashed."""

import signal
from uuid import UUID

import psutil
import pytest
from playwright.sync_api import expect

from app import queue
from app.storage.keys import source_key
from tests import make, samples
from tests.browser.conftest import Open
from tests.browser.steps import (
    a_file,
    a_slow_upload,
    card,
    convert,
    note_of,
    status_of,
    until_ready,
)
from tests.polling import poll
from tests.system.house import House, Process

pytestmark = [pytest.mark.browser, pytest.mark.system]

SLOTS = 2  # of the worker that is everyone's
LOST = "w-lost"
LONG = 1_000_000  # sweeps without a beat: any lease is over


def test_a_rescue_and_a_crash_are_told_with_their_reasons(running: House, open_page: Open) -> None:
    upload = lost_with_its_worker(running)
    page = open_page(running, f"/uploads/{upload}")
    expect(status_of(card(page))).to_have_text("Once more: converting 0 %")
    before = "The try before: The machine that converted this file was lost."
    expect(note_of(card(page))).to_have_text(before)
    crash(running)
    expect(status_of(card(page))).to_have_text("Try 2 of 3: converting 0 %")
    before = "The try before: The converter crashed on this file."
    expect(note_of(card(page))).to_have_text(before)
    running.let_go(upload)
    until_ready(card(page))


def test_a_file_that_waits_says_how_many_are_ahead(running: House, open_page: Open) -> None:
    busy = [a_slow_upload(running) for _ in range(SLOTS)]
    poll(lambda: running.count(status="running") == SLOTS, why=running.logs)
    page = open_page(running)
    for number, place in enumerate(("next in line", "1 ahead", "2 ahead")):
        sent = convert(page, a_file(f"{number}.png", samples.sample("png")), to="webp")
        expect(status_of(sent)).to_have_text(f"Stored, waiting ({place})")
    with running.client() as client:
        for path in busy:
            client.delete(path)
    for index in range(3):
        until_ready(card(page, index))


def lost_with_its_worker(house: House) -> UUID:
    """Have a job whose worker fell silent long ago: the next sweep of the living one rescues it.

    Both come in one transaction, so that the living worker cannot claim it first.
    """
    with house.sessions.begin() as session:
        upload = make.make_upload(session)
        part = house.storage.incoming(upload)
        part.write_bytes(samples.sample("png"))
        house.storage.store(part, source_key(upload))
        payload = {"from": "png", "to": "nap", "options": {"how": "held"}}
        queue.enqueue(session, upload, kind="misbehave", payload=payload, max_attempts=3)
        make.make_worker(session, LOST, missed=LONG)
        assert make.claim_one(session, worker=LOST).upload_id == upload
    return upload


def crash(house: House) -> None:
    """Let a segmentation fault end what is converted now."""
    [worker] = [one for one in house.processes if one.name == "worker"]
    for cell in poll(lambda: cells_of(worker), why=house.logs):
        cell.send_signal(signal.SIGSEGV)


def cells_of(worker: Process) -> list[psutil.Process]:
    [spawner] = psutil.Process(worker.pid).children()
    return spawner.children()
