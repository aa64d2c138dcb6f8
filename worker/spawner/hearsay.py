"""Hears what a cell says about itself and believes only what fits: a cell may be hostile."""

import json
import math
import time
from typing import Any

from app.failures import CATALOGUE, clean
from worker.outcome import Broken, Converted, Refused

DATAGRAM_LIMIT = 128 * 1024
MOST_PROGRESS = 0.99  # only the recorded success is 1
DEEPEST = 8


class Nonsense(Exception):
    """A datagram that no honest cell sends."""


class Hearsay:
    """What has been believed so far; `said` is the first outcome and stays."""

    def __init__(self) -> None:
        self.progress = 0.0
        self.stage = ""
        self.moved_at = time.monotonic()
        self.said: Converted | Refused | Broken | None = None
        self.nonsense = ""
        self.confined = False

    def hear(self, datagram: bytes) -> None:
        """Take in one datagram; of those that fit nowhere the first is remembered."""
        try:
            self._take(_parsed(datagram))
        except Nonsense as problem:
            self.nonsense = self.nonsense or f"the cell sent nonsense: {problem}"

    def _take(self, message: dict[str, Any]) -> None:
        if "confined" in message:
            self.confined = True  # the one thing that is said before any input is read
        elif "outcome" in message:
            self.said = self.said or _outcome(message)
        else:
            self._move(_fraction(message.get("progress")), _text(message.get("stage")))

    def _move(self, progress: float, stage: str) -> None:
        if progress > self.progress:
            self.progress, self.moved_at = progress, time.monotonic()
        if progress >= self.progress:
            self.stage = clean(stage, 100)


def _parsed(datagram: bytes) -> dict[str, Any]:
    if len(datagram) > DATAGRAM_LIMIT:
        raise Nonsense("too long")
    try:
        message = json.loads(datagram)
    except (ValueError, RecursionError) as error:
        raise Nonsense(f"no JSON: {error}") from error
    if not isinstance(message, dict):
        raise Nonsense("no object")
    return message


def _fraction(value: Any) -> float:
    """Four digits are plenty, and a tiny number would not fit into a `real` column."""
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise Nonsense("a progress that is not between 0 and 1")
    return min(round(float(value), 4), MOST_PROGRESS)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Nonsense("something else where text belongs")
    return value


def _outcome(message: dict[str, Any]) -> Converted | Refused | Broken:
    match message["outcome"]:
        case "converted":
            return Converted(_facts(message.get("facts")), _format(message.get("format")))
        case "refused":
            return Refused(_code(message), _detail(message), _log(message))
        case "broken":
            return Broken(_code(message), _detail(message), _log(message))
        case _:
            raise Nonsense("an unknown outcome")


def _code(message: dict[str, Any]) -> str:
    code = _text(message.get("code"))
    if code not in CATALOGUE:
        raise Nonsense("an unknown code")
    return code


def _detail(message: dict[str, Any]) -> str | None:
    detail = message.get("detail")
    return None if detail is None else clean(_text(detail))


def _log(message: dict[str, Any]) -> str:
    return clean_lines(_text(message.get("log", "")))


def _format(value: Any) -> str | None:
    if value not in (None, "zip"):
        raise Nonsense("a result that is neither the target nor a zip")
    return value  # type: ignore[no-any-return]  # one of the two


def _facts(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Nonsense("facts that are no object")
    return {clean(key): _fact(fact, depth=1) for key, fact in value.items()}


def _fact(value: Any, *, depth: int) -> Any:
    """Return what a row can hold: no NUL, no lone surrogate, no infinity, nothing very deep."""
    if depth > DEEPEST:
        raise Nonsense("facts that are nested too deep")
    match value:
        case str():
            return clean(value)
        case list():
            return [_fact(item, depth=depth + 1) for item in value]
        case dict():
            return {clean(key): _fact(item, depth=depth + 1) for key, item in value.items()}
        case float() if not math.isfinite(value):
            raise Nonsense("a fact that is not finite")
        case _:
            return value


def clean_lines(text: str) -> str:
    """Return text for an operator's log: every line cleaned, those without anything left out."""
    return "\n".join(line for line in map(clean, text.splitlines()) if line)
