"""What a page says about an upload and its jobs; sentences.js says the same while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Any

MEANWHILE = "It goes on by itself; this page may be closed meanwhile."


@dataclass(frozen=True)
class Told:
    """One job in words, and what a person can do about it now."""

    status: str
    note: str = ""
    tone: str = "busy"  # busy, good, bad, idle: how the page colours it
    percent: int = 0
    moving: bool = False  # the bar is shown
    download: bool = False
    again: bool = False
    cancel: bool = False


NOTHING = Told("")


def tell(job: Mapping[str, Any], size: int | None) -> Told:
    """Say where one job stands; `size` is that of the upload, to compare the result with."""
    match job["status"]:
        case "queued":
            return Told(*_waiting(job), moving=True, cancel=True)
        case "running":
            percent = percent_of(job["progress"])
            note = _last_try(job) or MEANWHILE
            return Told(_converting(job, percent), note, percent=percent, moving=True, cancel=True)
        case "succeeded":
            return Told(_ready(job), _gain(job, size), "good", percent=100, download=True)
        case "failed":
            return Told(job["error"]["detail"], job["error"]["hint"], "bad", again=True)
        case _:
            return Told("Cancelled", "Nothing was converted.", "idle", again=True)


def is_arriving(upload: Mapping[str, Any]) -> bool:
    """Whether its bytes are still on their way, so that there is no job yet."""
    return upload.get("status") == "receiving" and not upload["error"] and not upload["jobs"]


def arriving(upload: Mapping[str, Any]) -> Told:
    """Say how much of an upload has come."""
    percent = percent_of(upload["received"] / upload["size"]) if upload["size"] else 0
    status = f"On its way: {percent} % are here"
    note = "It is converted once all of it is here; this page goes on by itself."
    return Told(status, note, "idle", percent, moving=True)


def percent_of(progress: float | None) -> int:
    """Return whole per cent, rounded down: 100 is said only when it is done."""
    return max(0, min(99, floor((progress or 0) * 100 + 1e-6)))


def amount(size: int | None) -> str:
    """Return a size as people write it: 812 bytes, 21 KB, 2.5 MB."""
    if size is None:
        return ""
    if size < 1000:
        return "1 byte" if size == 1 else f"{size} bytes"
    value, units = float(size), iter(("KB", "MB", "GB", "TB"))
    unit = next(units)
    value /= 1000
    while value >= 999.5 and (larger := next(units, None)):
        value, unit = value / 1000, larger
    rounded = floor(value * 10 + 0.5) / 10
    return f"{rounded:g} {unit}" if rounded < 10 else f"{floor(value + 0.5)} {unit}"


def at_most(size: int) -> str:
    """Return a limit rounded down, so that nobody is promised more than is taken."""
    unit = max((step for step in (1, 1000, 10**6, 10**9, 10**12) if step <= size), default=1)
    return amount(size // unit * unit)


def span(seconds: float) -> str:
    """Return a time as people say it, rounded down: 7 days, 1 hour, 40 seconds."""
    for name, length in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count = int(seconds // length)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "a moment"


def facts(upload: Mapping[str, Any]) -> str:
    """Return the small line under a file's name: its size, its format, what is odd about it."""
    kind = (upload["format"] or "").upper()
    parts = [amount(upload["size"]), kind, upload["name_disagrees"] or ""]
    return " · ".join(part for part in parts if part)


def problem_of(upload: Mapping[str, Any]) -> str:
    """Return why the bytes of an upload cannot become anything, or an empty text."""
    error = upload["error"]
    return f"{error['detail']} {error['hint']}" if error else ""


def _waiting(job: Mapping[str, Any]) -> tuple[str, str]:
    if job["waiting_for"]:
        note = f"{job['waiting_for']} It starts by itself as soon as one can."
        return "Waiting: no worker can do this now", note
    if job["retry_reason"]:
        following = min(job["attempt"] + 1, job["max_attempts"])
        return f"Stored, waiting for try {following} of {job['max_attempts']}", _last_try(job)
    ahead = job["queue_position"]
    line = f"{ahead} ahead" if ahead else "next in line"
    return f"Stored, waiting ({line})", MEANWHILE


def _converting(job: Mapping[str, Any], percent: int) -> str:
    tries = "C"
    if job["attempt"] > 1:
        tries = f"Try {job['attempt']} of {job['max_attempts']}: c"
    elif job["retry_reason"]:  # what was lost with its worker does not count as a try
        tries = "Once more: c"
    stage = f" \N{EN DASH} {job['stage']}" if job["stage"] else ""
    return f"{tries}onverting {percent} %{stage}"


def _last_try(job: Mapping[str, Any]) -> str:
    reason = job["retry_reason"]
    return f"The try before: {reason['detail']}" if reason else ""


def _ready(job: Mapping[str, Any]) -> str:
    return f"Ready, {amount(job['result']['size'])}"


def _gain(job: Mapping[str, Any], size: int | None) -> str:
    result = job["result"]
    known = result.get("facts") or {}
    parts = []
    if known.get("width") and known.get("height"):
        parts.append(f"{known['width']} \N{MULTIPLICATION SIGN} {known['height']} pixels")
    if size and result["size"] < size:
        parts.append(f"{floor(100 - result['size'] * 100 / size)} % smaller than the original")
    return " · ".join([*parts, *known.get("notes", ())])
