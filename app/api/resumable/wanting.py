"""What a tus client wants of its file, from Upload-Metadata and the query."""

from collections.abc import Iterable, Sequence
from typing import Any

from app.api.errors import Problem
from app.api.resumable.headers import pairs
from app.api.wishes import Wishes, orders, refuse_impossible, wishes
from app.formats import catalogue
from app.formats.family import Options


def wanted(metadata: str | None, query: Iterable[tuple[str, str]]) -> Wishes:
    """Read both. A key of the metadata that no conversion knows is the client's own affair.

    `to` may have several formats with commas between them.
    """
    known = {name for options in _options() for name in options.model_fields}
    given = [
        (key, part)
        for key, value in pairs(metadata)
        for part in (value.split(",") if key == "to" else [value])
        if key == "to" or key in known
    ]
    return wishes([*query, *given])


def name_of(metadata: str | None, query: Iterable[tuple[str, str]]) -> str:
    """Return what the client calls the file; Uppy and old clients call the key `name`."""
    said = {**dict(pairs(metadata)), **{f"?{key}": value for key, value in query}}
    return said.get("filename") or said.get("name") or said.get("?name") or ""


def refuse_hopeless(wanted: Wishes) -> None:
    """Refuse what no file can become, and options that no conversion to it takes."""
    refuse_impossible(None, wanted.targets)
    for target in wanted.targets or (None,):
        refusals = [_refusal(source, target, wanted) for source in _sources(target)]
        if refusals and all(refusals):
            raise next(filter(None, refusals))


def without_secrets(metadata: str | None) -> str | None:
    """Leave out the pairs that no answer may repeat: passwords."""
    secret = {name for options in _options() for name in options.secret}
    if metadata is None or secret.isdisjoint(key for key, _ in pairs(metadata)):
        return metadata
    parts = metadata.split(",")
    return ",".join(part for part in parts if part.strip(" ").partition(" ")[0] not in secret)


def stored(wanted: Wishes) -> dict[str, Any]:
    return {"to": list(wanted.targets), "options": dict(wanted.options)}


def restored(kept: dict[str, Any] | None) -> Wishes:
    kept = kept or {}
    return Wishes(targets=tuple(kept.get("to", ())), options=kept.get("options", {}))


def _options() -> Sequence[type[Options]]:
    return [family.options for family in catalogue.families()]


def _sources(target: str | None) -> list[str]:
    """Return one format of each family that makes this: its options are the same for all."""
    return [
        next(source for source, made in family.pairs if target in {made, None})
        for family in catalogue.families()
        if target is None or any(made == target for _, made in family.pairs)
    ]


def _refusal(source: str, target: str | None, wanted: Wishes) -> Problem | None:
    try:
        orders(source, [target] if target else [], wanted.options)
    except Problem as problem:
        return problem
    return None
