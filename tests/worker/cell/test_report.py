"""A cell tells little while it works, never waits for that, and always tells how it ended."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from worker.cell import report
from worker.cell.report import FACTS_LIMIT, Reporter
from worker.outcome import Broken, Converted, Refused


@pytest.fixture
def channel() -> Iterator[tuple[Reporter, socket.socket]]:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there:
        here.setblocking(False)
        yield Reporter(there), here


Channel = tuple[Reporter, socket.socket]


def heard(here: socket.socket) -> list[dict[str, Any]]:
    messages = []
    while True:
        try:
            messages.append(json.loads(here.recv(1_000_000)))
        except BlockingIOError:
            return messages


def test_progress_is_throttled_but_a_new_stage_is_told_at_once(channel: Channel) -> None:
    reporter, here = channel
    reporter.progress(0.1, "reading")
    reporter.progress(0.2, "reading")
    reporter.progress(0.3, "writing")
    assert heard(here) == [
        {"progress": 0.1, "stage": "reading"},
        {"progress": 0.3, "stage": "writing"},
    ]


def test_a_full_pipe_drops_progress_at_once_and_keeps_room_for_the_outcome(
    channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "PROGRESS_SECONDS", 0)
    reporter, here = channel
    began = time.monotonic()
    for number in range(20_000):
        reporter.progress(number / 20_000, "working")
    reporter.outcome(Converted({"notes": ["x" * (FACTS_LIMIT - 100)]}))
    assert time.monotonic() - began < 5
    messages = heard(here)
    assert 10 < len(messages) < 2_000
    assert messages[-1]["outcome"] == "converted"


def test_the_outcome_waits_for_room_that_others_took(channel: Channel) -> None:
    reporter, here = channel
    fill(reporter._out)
    early: list[dict[str, Any]] = []
    reader = threading.Timer(0.2, lambda: early.extend(heard(here)))
    reader.start()
    reporter.outcome(Refused("corrupt_input", "broken"))
    reader.join()
    told = {"outcome": "refused", "code": "corrupt_input", "detail": "broken", "log": ""}
    assert [*early, *heard(here)][-1] == told


def test_the_outcome_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "OUTCOME_SECONDS", 1)
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there:
        reporter = Reporter(there)
        fill(there)
        with pytest.raises(BlockingIOError):
            reporter.outcome(Converted())


@pytest.mark.parametrize(
    "facts",
    [{"x": float("nan")}, {"x": object()}, {"x": "y" * FACTS_LIMIT}, {("a", "b"): 1}],
    ids=["nan", "object", "long", "key"],
)
def test_facts_that_cannot_be_told_are_a_crash(channel: Channel, facts: dict[Any, Any]) -> None:
    reporter, here = channel
    reporter.outcome(Converted(facts))
    [message] = heard(here)
    assert message["outcome"] == "broken"
    assert "facts" in message["log"]


def test_a_converter_that_returns_something_else_has_crashed(channel: Channel) -> None:
    reporter, here = channel
    reporter.outcome(None)  # type: ignore[arg-type]
    [message] = heard(here)
    assert message["log"] == "the converter returned None"


def test_long_texts_are_cut(channel: Channel) -> None:
    reporter, here = channel
    reporter.outcome(Broken("converter_crashed", "d" * 100_000, "l" * 100_000 + "end"))
    [message] = heard(here)
    assert len(message["detail"]) == len(message["log"]) == 8 * 1024
    assert message["log"].endswith("end")


def fill(out: socket.socket) -> None:
    try:
        while True:
            out.send(b"{}", socket.MSG_DONTWAIT)
    except BlockingIOError:
        pass
