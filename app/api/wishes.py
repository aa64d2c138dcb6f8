"""What a client wants of a file: to which formats, with which options, and how long it waits."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from app.api.errors import Problem
from app.formats import catalogue
from app.formats.family import Family, Options
from app.intake import Order

MOST_TARGETS = 20
Able = Callable[[str, str, str], bool]
LONGEST_WAIT_SECONDS = 60
_TAKEN = frozenset({"to", "name", "wait", "file"})
# The first MiB has only a first opinion of these; what they are is settled by the end.
_FIRST_OPINIONS = frozenset({"zip", "txt", "json", "xml"})
_TOLD_BY_THE_END = frozenset({"tga", "mov", "mp4"})


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """Options are still as they came; an empty `targets` means what suits the file."""

    targets: tuple[str, ...] = ()
    options: Mapping[str, Any]
    wait_seconds: float = 0


def wishes(fields: Iterable[tuple[str, str]]) -> Wishes:
    """Read a query or the fields of a form; what has no other meaning is an option."""
    pairs = [(name, value) for name, value in fields if value != ""]
    return Wishes(
        targets=targets(value for name, value in pairs if name == "to"),
        options=_options(pair for pair in pairs if pair[0] not in _TAKEN),
        wait_seconds=_wait([value for name, value in pairs if name == "wait"]),
    )


def targets(given: Iterable[str]) -> tuple[str, ...]:
    """Return each format once, by its own name: `.JPEG` is jpg."""
    found = tuple(dict.fromkeys(_format_name(text) for text in given))
    if len(found) > MOST_TARGETS:
        raise Problem("bad_request", f"At most {MOST_TARGETS} formats can be asked for at once.")
    return found


def refuse_impossible(source: str | None, wanted: Sequence[str]) -> None:
    """Refuse what no file, or none of this format, can become; None: the format is not known."""
    if source is None:
        possible = sorted({target for family in catalogue.families() for target in family.targets})
    else:
        possible = _possible(source)
    for target in wanted:
        if target not in possible:
            raise Problem(
                "impossible_target",
                f"{_subject(source)} cannot be converted to {target[:40]!r}. "
                f"Possible: {', '.join(possible)}.",
                possible=possible,
            )


def refuse_early(source: str | None, wanted: Sequence[str]) -> None:
    """Refuse what the first MiB shows to be impossible, and nothing that may yet turn out well."""
    if source in _FIRST_OPINIONS or (source is None and _TOLD_BY_THE_END.intersection(_sources())):
        return
    if source is None:
        raise _unknown_format()
    refuse_impossible(source, wanted)


def has_choice(source: str | None, wanted: Sequence[str]) -> bool:
    """Whether several families can do one of these, so that `orders` has to know who is there."""
    targets = wanted or ([_default(source)] if source else [])
    return any(len(catalogue.families_for(source or "", target)) > 1 for target in targets)


def orders(
    source: str | None,
    wanted: Sequence[str],
    options: Mapping[str, Any],
    *,
    able: Able = lambda *_: True,
) -> list[Order]:
    """Return an order for each target, or for the default one; refuse what cannot be.

    `able` says of kind, source and target whether a live worker can do it.
    """
    if source is None:
        raise _unknown_format()
    refuse_impossible(source, wanted)
    return [_order(source, target, options, able) for target in wanted or (_default(source),)]


def _order(source: str, target: str, options: Mapping[str, Any], able: Able) -> Order:
    """Give it to the first family that somebody can do now, and whose options these are."""
    families = catalogue.families_for(source, target)
    there = [family for family in families if able(family.kind, source, target)]
    refusals = []
    for family in there or families:
        try:
            return _ordered(family, source, target, options)
        except Problem as refusal:
            refusals.append(refusal)
    raise refusals[0]


def _ordered(family: Family, source: str, target: str, given: Mapping[str, Any]) -> Order:
    options = _validated(family, given)
    secret = family.options.secret
    return Order(
        kind=family.kind,
        source=source,
        target=target,
        options={name: value for name, value in options.items() if name not in secret},
        secrets={name: value for name, value in options.items() if name in secret},
    )


def _validated(family: Family, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        options = family.options.model_validate(dict(given))
    except ValidationError as error:
        sentences = [_sentence(family.options, details) for details in error.errors()]
        raise Problem("bad_options", " ".join(dict.fromkeys(sentences))) from None
    return options.model_dump(mode="json", exclude_unset=True)


def _sentence(options: type[Options], details: ErrorDetails) -> str:
    where = ".".join(str(part)[:40] for part in details["loc"])
    known = ", ".join(options.model_fields) or "none"
    match details["type"]:
        case "option" | "options":
            return details["msg"]
        case "extra_forbidden":
            return f"{where!r} is not an option of this conversion. The options are {known}."
        case _:
            return f"{where or 'The options'}: {details['msg']}."


def _possible(source: str) -> list[str]:
    possible = catalogue.targets_of(source)
    if not possible:
        raise Problem(
            "unsupported_format",
            f"The file is {_named(source)}, and nothing here converts it. "
            f"What can be converted: {', '.join(_sources())}.",
            possible=_sources(),
        )
    return list(dict.fromkeys(possible))


def _unknown_format() -> Problem:
    return Problem(
        "unknown_format",
        "The bytes of the file are of no format that this service knows. "
        f"It converts {', '.join(_sources())}.",
        possible=_sources(),
    )


def _default(source: str) -> str:
    return catalogue.default_target(source) or _possible(source)[0]


def _sources() -> list[str]:
    sources = (source for family in catalogue.families() for source in family.sources)
    return list(dict.fromkeys(sources))


def _subject(source: str | None) -> str:
    return "A file" if source is None else f"The file is {_named(source)}, which"


def _named(source: str) -> str:
    described = catalogue.format_named(source)
    return f"{source} ({described.title})" if described else source


def _format_name(text: str) -> str:
    name = text.strip().lower().lstrip(".")
    if catalogue.format_named(name) is not None:
        return name
    return catalogue.format_of_name(f"name.{name}") or name


def _options(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    options: dict[str, str] = {}
    for name, value in pairs:
        if options.setdefault(name, value) != value:
            raise Problem("bad_options", f"{name[:40]!r} is given twice, with two values.")
    return options


def _wait(given: Sequence[str]) -> float:
    try:
        seconds = float(given[-1]) if given else 0.0
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise Problem("bad_request", "wait must be a number of seconds from 0 to 60.")
    return min(seconds, LONGEST_WAIT_SECONDS)
