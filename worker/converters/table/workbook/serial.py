"""What a number in a spreadsheet stands for: itself, a date, a time, a span of time."""

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any


class Meaning(Enum):
    NUMBER = "number"
    DATE = "date"
    MOMENT = "moment"
    TIME = "time"
    SPAN = "span"


# ECMA-376 part 1, 18.8.30, with the numbers that East Asian versions give to dates.
_BUILT_IN = {
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)), Meaning.DATE),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 47), Meaning.TIME),
    22: Meaning.MOMENT,
    46: Meaning.SPAN,
}
_ASIDE = re.compile(r'"[^"]*"?|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
_SPAN = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_DAY_SECONDS = 86_400
_LEAP = 60  # Excel believes in 29 February 1900, as Lotus 1-2-3 did
_LAST = 2_958_466  # the day after 31 December 9999


def meaning(number: int, code: str | None) -> Meaning:
    """Return what numbers in this format mean."""
    if code is None:
        return _BUILT_IN.get(number, Meaning.NUMBER)
    plain = _ASIDE.sub("", code.split(";")[0]).lower()
    if _SPAN.search(plain):
        return Meaning.SPAN
    if plain.strip() == "general":
        return Meaning.NUMBER
    has_time = "h" in plain or "s" in plain
    has_day = any(letter in plain for letter in "ydg") or ("m" in plain and not has_time)
    if has_day:
        return Meaning.MOMENT if has_time else Meaning.DATE
    return Meaning.TIME if has_time else Meaning.NUMBER


def moment(number: float, meaning: Meaning, *, starts_1904: bool) -> Any:
    """Return the date, time or span that a number of days is; the number if it is none."""
    if meaning is Meaning.NUMBER:
        return number
    if meaning is Meaning.SPAN:
        return _span(number) if abs(number) < _LAST else number
    if not 0 <= number < _LAST:
        return number
    if meaning is Meaning.TIME and number < 1:
        return clock_time(_span(number))
    if number < 1 and not starts_1904:
        return number if meaning is Meaning.DATE else clock_time(_span(number))
    return _day(number, meaning, starts_1904=starts_1904)


def clock_time(span: timedelta) -> time:
    """Return the time of day that is so long after midnight; a whole day is midnight again."""
    seconds = span.seconds
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60, span.microseconds)


def iso(text: str) -> Any:
    """Return the date or moment that ISO 8601 writes so; the text if it is none."""
    for kind in (date, datetime, time):
        try:
            return kind.fromisoformat(text)
        except ValueError:
            continue
    return text


def shortest(number: float) -> str:
    """Write a number with the fewest digits that mean it, without an exponent where that fits."""
    text = repr(number)
    if "e" in text and 1e-12 < abs(number) < 1e22:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def _day(number: float, meaning: Meaning, *, starts_1904: bool) -> Any:
    epoch = datetime(1904, 1, 1) if starts_1904 else datetime(1899, 12, 30)  # noqa: DTZ001
    if not starts_1904 and number < _LEAP:
        epoch += timedelta(days=1)
    if not starts_1904 and int(number) == _LEAP:
        return number
    try:
        found = epoch + _span(number)
    except OverflowError:
        return number
    return found.date() if meaning is Meaning.DATE and found.time() == time() else found


def _span(number: float) -> timedelta:
    """Round to a thousandth of a second, which is as exact as such a number is for our time."""
    return timedelta(milliseconds=round(number * _DAY_SECONDS * 1000))
