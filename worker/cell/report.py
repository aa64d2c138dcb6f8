"""What a cell tells the worker: progress now and then, and one outcome, as JSON datagrams."""

import json
import select
import socket
import struct
import time
from typing import Any

from worker.outcome import Broken, Converted, Outcome, Refused

UNCONFINED = 125  # the exit code of a cell that could not be confined, and has read nothing
CRAMPED = 126  # the same, because the machine was short of processes or descriptors just then
PROGRESS_SECONDS = 0.05
OUTCOME_SECONDS = 30
FACTS_LIMIT = 64 * 1024
TEXT_LIMIT = 8 * 1024


class Reporter:
    """Owns the cell's end of the channel. A progress may be dropped, an outcome never is."""

    def __init__(self, out: socket.socket) -> None:
        self._out = out
        self._out.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", OUTCOME_SECONDS, 0)
        )
        self._room = select.poll()
        self._room.register(out, select.POLLOUT)
        self._stage = ""
        self._quiet_until = 0.0

    def confined(self) -> None:
        """Tell that the sandbox holds; from here on nothing that is said can be trusted."""
        self._send({"confined": True})

    def progress(self, fraction: float, stage: str) -> None:
        """Tell how far the conversion is; cheap to call for every row of an image."""
        now = time.monotonic()
        if now < self._quiet_until and stage == self._stage:
            return
        self._stage, self._quiet_until = stage, now + PROGRESS_SECONDS
        # The kernel says POLLOUT while a quarter of the buffer is in use at most: what progress
        # leaves free is always enough for an outcome, even if nobody reads for an hour.
        if self._room.poll(0) == [(self._out.fileno(), select.POLLOUT)]:
            self._send({"progress": float(fraction), "stage": str(stage)[:100]})

    def outcome(self, outcome: Outcome) -> None:
        """Tell how it ended; waits for room, OUTCOME_SECONDS at most."""
        self._send(_described(outcome))

    def _send(self, message: dict[str, Any]) -> None:
        self._out.send(json.dumps(message).encode(), socket.MSG_NOSIGNAL)


def _described(outcome: Any) -> dict[str, Any]:
    match outcome:
        case Converted(facts, made):
            return _converted(facts, made)
        case Refused(code, detail, log):
            return _failed("refused", code, detail, log)
        case Broken(code, detail, log):
            return _failed("broken", code, detail, log)
        case _:
            return _crashed(f"the converter returned {outcome!r:.200}")


def _failed(outcome: str, code: str, detail: str | None, log: str) -> dict[str, Any]:
    return {"outcome": outcome, "code": code, "detail": _head(detail), "log": log[-TEXT_LIMIT:]}


def _converted(facts: Any, made: str | None) -> dict[str, Any]:
    try:
        size = len(json.dumps(facts, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return _crashed(f"the converter's facts are no JSON: {error}")
    if size > FACTS_LIMIT:
        return _crashed(f"the converter's facts have {size} bytes, more than {FACTS_LIMIT}")
    return {"outcome": "converted", "facts": facts, "format": made}


def _crashed(log: str) -> dict[str, Any]:
    return _described(Broken("converter_crashed", log=log))


def _head(text: str | None) -> str | None:
    return None if text is None else str(text)[:TEXT_LIMIT]
