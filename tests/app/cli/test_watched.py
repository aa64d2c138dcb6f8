"""A program that dies is started again, later each time, and somebody hears of it."""

import subprocess
import time
from collections.abc import Callable

import pytest

from app.cli import watched
from app.cli.watched import Watched
from app.embedded import EmbeddedFailed
from tests.polling import poll


def launcher(*command: str) -> Callable[[], "subprocess.Popen[bytes]"]:
    return lambda: subprocess.Popen(command)


def dead(program: Watched) -> bool:
    return not program.alive()


def test_the_pause_doubles_up_to_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(watched, "LONGEST_PAUSE_SECONDS", 0.02)
    said: list[str] = []
    program = Watched("thing", launcher("false"), last_words=lambda: "alas")
    program.start()
    for _ in range(3):
        poll(lambda: dead(program))
        program.look(said.append)
        assert program.due is not None
        poll(lambda: time.monotonic() >= (program.due or 0))
        program.look(said.append)
    assert [line.split(" in ")[1].split(" s")[0] for line in said] == ["0.01", "0.02", "0.02"]
    assert said[0].startswith("The thing has ended (exit code 1)")
    assert said[0].endswith("Its last words: alas")
    poll(lambda: dead(program))


def test_a_long_life_makes_the_next_pause_short_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(watched, "HEALTHY_SECONDS", 0.0)
    said: list[str] = []
    program = Watched("thing", launcher("true"), last_words=str)
    for _ in range(3):
        program.start()
        poll(lambda: dead(program))
        program.look(said.append)
    assert all("in 0.01 s" in line for line in said)


def test_one_that_cannot_even_start_is_tried_again() -> None:
    said: list[str] = []
    program = Watched("thing", launcher("true"), last_words=str)
    program.start()
    poll(lambda: dead(program))
    program.look(said.append)

    def fail() -> "subprocess.Popen[bytes]":
        raise EmbeddedFailed("no room")

    program._launch = fail
    program.due = 0.0
    program.look(said.append)
    assert said[1] == "no room"
    assert "it did not start" in said[2]
    assert program.due is not None


def test_one_that_lives_is_left_alone() -> None:
    said: list[str] = []
    program = Watched("thing", launcher("sleep", "600"), last_words=str)
    program.start()
    program.look(said.append)
    assert said == []
    assert program.process is not None
    program.process.kill()
    program.process.wait()
