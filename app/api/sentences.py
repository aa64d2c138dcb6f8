"""What a page says about an upload and its jobs; sentences.js says the same while it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from math import floor
from typing import Any

from app.words import Words


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


def tell(words: Words, job: Mapping[str, Any], size: int | None) -> Told:
    """Say where one job stands; `size` is that of the upload, to compare the result with."""
    match job["status"]:
        case "queued":
            return Told(*_waiting(words, job), moving=True, cancel=True)
        case "running":
            percent = percent_of(job["progress"])
            status, note = _converting(words, job, percent), _last_try(words, job)
            note = note or words.say("job.meanwhile")
            return Told(status, note, percent=percent, moving=True, cancel=True)
        case "succeeded":
            status = words.say("job.ready", size=amount(words, job["result"]["size"]))
            return Told(status, _gain(words, job, size), "good", percent=100, download=True)
        case "failed":
            return Told(*_failed(words, job["error"]), "bad", again=True)
        case _:
            cancelled = words.say("job.cancelled"), words.say("job.cancelled_note")
            return Told(*cancelled, "idle", again=True)


def is_arriving(upload: Mapping[str, Any]) -> bool:
    """Whether its bytes are still on their way, so that there is no job yet."""
    return upload.get("status") == "receiving" and not upload["error"] and not upload["jobs"]


def arriving(words: Words, upload: Mapping[str, Any]) -> Told:
    """Say how much of an upload has come."""
    percent = percent_of(upload["received"] / upload["size"]) if upload["size"] else 0
    status = words.say("job.arriving", percent=percent)
    return Told(status, words.say("job.arriving_note"), "idle", percent, moving=True)


def percent_of(progress: float | None) -> int:
    """Return whole per cent, rounded down: 100 is said only when it is done."""
    return max(0, min(99, floor((progress or 0) * 100 + 1e-6)))


def amount(words: Words, size: int | None) -> str:
    """Return a size as people write it: 812 bytes, 21 KB, 2.5 MB."""
    if size is None:
        return ""
    if size < 1000:
        return words.say("amount.bytes", count=size)
    value, units = float(size), iter(words.listed("amount.units"))
    unit = next(units)
    value /= 1000
    while value >= 999.5 and (larger := next(units, None)):
        value, unit = value / 1000, larger
    rounded = floor(value * 10 + 0.5) / 10
    number = f"{rounded:g}" if rounded < 10 else f"{floor(value + 0.5):,}"
    return words.say("amount.large", number=words.number(number), unit=unit)


def at_most(words: Words, size: int) -> str:
    """Return a limit rounded down, so that nobody is promised more than is taken."""
    unit = max((step for step in (1, 1000, 10**6, 10**9, 10**12) if step <= size), default=1)
    return amount(words, size // unit * unit)


def span(words: Words, seconds: float) -> str:
    """Return a time as people say it, rounded down: 7 days, 1 hour, 40 seconds; never below 0."""
    seconds = max(0.0, seconds)  # clocks differ by a moment
    for name, length in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if count := int(seconds // length):
            return words.say(f"span.{name}", count=count)
    return words.say("span.moment")


def day(words: Words, moment: datetime) -> str:
    month = words.listed("date.months")[moment.month - 1]
    return words.say("date.day", day=moment.day, month=month, year=moment.year)


def time(words: Words, moment: datetime) -> str:
    """Return a moment of this year: 07 Nov, 09:30:00."""
    month = words.listed("date.short_months")[moment.month - 1]
    return words.say("date.moment", day=f"{moment:%d}", month=month, time=f"{moment:%H:%M:%S}")


def together(words: Words, parts: Sequence[str], *, last: str = "list.comma") -> str:
    """Return the parts in one line: a, b, c; with `list.and` as the last a, b and c."""

    def joined(before: str, place: int) -> str:
        key = last if place == len(parts) - 1 else "list.comma"
        return words.say(key, before=before, following=parts[place])

    return reduce(joined, range(1, len(parts)), parts[0]) if parts else ""


def facts(words: Words, upload: Mapping[str, Any]) -> str:
    """Return the small line under a file's name: its size, its format, what is odd about it."""
    kind = (upload["format"] or "").upper()
    parts = [amount(words, upload["size"]), kind, _oddness(words, upload)]
    return " · ".join(part for part in parts if part)


def problem_of(words: Words, upload: Mapping[str, Any]) -> str:
    """Return why the bytes of an upload cannot become anything, or an empty text."""
    error = upload["error"]
    if not error:
        return ""
    code, hint = error["code"], error["hint"]
    told = words.explained(f"problems.{code}", error["detail"])
    return " ".join([*told, words.coded(f"problem_hints.{code}", hint)])


def refusal(words: Words, problem: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an RFC 9457 problem as a page says it; `detail` is empty if it adds nothing."""
    code, title = problem["code"], problem["title"]
    detail = "" if problem["detail"] == title else problem["detail"]
    return {
        "status": problem["status"],
        "title": words.coded(f"problems.{code}", title),
        "detail": detail,
        "hint": words.coded(f"problem_hints.{code}", problem["hint"]),
    }


def _oddness(words: Words, upload: Mapping[str, Any]) -> str:
    claimed = upload["name_says"]
    if claimed is None:
        return ""
    return words.say("card.name_disagrees", claimed=claimed, format=upload["format"])


def _waiting(words: Words, job: Mapping[str, Any]) -> tuple[str, str]:
    if job["waiting_for"]:
        reason = words.say("job.no_worker_for", source=job["from"], target=job["to"])
        return words.say("job.no_worker"), words.say("job.no_worker_note", reason=reason)
    if job["retry_reason"]:
        attempt = min(job["attempt"] + 1, job["max_attempts"])
        status = words.say("job.to_retry", attempt=attempt, most=job["max_attempts"])
        return status, _last_try(words, job)
    ahead = job["queue_position"]
    status = words.say("job.ahead", count=ahead) if ahead else words.say("job.next")
    return status, words.say("job.meanwhile")


def _converting(words: Words, job: Mapping[str, Any], percent: int) -> str:
    key = "job.first"
    if job["attempt"] > 1:
        key = "job.try"
    elif job["retry_reason"]:  # what was lost with its worker does not count as a try
        key = "job.once_more"
    said = words.say(key, attempt=job["attempt"], most=job["max_attempts"], percent=percent)
    if not job["stage"]:
        return said
    return words.say("job.stage", converting=said, stage=words.translated(job["stage"]))


def _failed(words: Words, error: Mapping[str, Any]) -> tuple[str, str]:
    """Say why a job failed, and below it what is known beyond that and what to do."""
    status, *more = words.explained(f"failures.{error['code']}", error["detail"])
    return status, " ".join([*more, words.coded(f"failure_hints.{error['code']}", error["hint"])])


def _last_try(words: Words, job: Mapping[str, Any]) -> str:
    reason = job["retry_reason"]
    if not reason:
        return ""
    told = words.explained(f"failures.{reason['code']}", reason["detail"])
    return words.say("job.last_try", detail=" ".join(told))


def _gain(words: Words, job: Mapping[str, Any], size: int | None) -> str:
    result = job["result"]
    known = result.get("facts") or {}
    parts = []
    if known.get("width") and known.get("height"):
        parts.append(words.say("job.pixels", width=known["width"], height=known["height"]))
    if size and result["size"] < size:
        percent = floor(100 - result["size"] * 100 / size)
        parts.append(words.say("job.smaller", percent=percent))
    return " · ".join([*parts, *map(words.translated, known.get("notes", ()))])
