"""GET /formats: every pair that can be converted, with its options, and who could do it now."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.api.database import DatabaseAway, NotOpen
from app.api.parts import Parts, parts_of
from app.api.workers import Live, anyone_can, live
from app.db import Sessions
from app.formats import catalogue
from app.formats.family import Family

router = APIRouter(tags=["formats"])


@router.get("/formats")
@router.head("/formats", include_in_schema=False)
async def formats(request: Request) -> Response:
    """List formats, pairs and, by kind, the JSON Schema of the options.

    `available` says whether a live worker offers the pair; null when nobody can tell now. If not,
    `reason` says what a worker lacks, or that none is there.
    """
    workers = await _workers(parts_of(request))
    return JSONResponse(
        {
            "formats": _formats(),
            "pairs": [_pair(source, target, workers) for source, target in _pairs()],
            "options": _options(),
        }
    )


async def _workers(parts: Parts) -> Sequence[Live] | None:
    def work(sessions: Sessions) -> Sequence[Live]:
        with sessions.begin() as session:
            return live(session, live_seconds=parts.settings.lease_seconds)

    try:
        return await parts.database.run(work)
    except (DatabaseAway, NotOpen):
        return None  # what could be converted is known without it


def _pair(source: str, target: str, workers: Sequence[Live] | None) -> dict[str, Any]:
    """Describe a pair as the family would do it that an upload of this moment is given to."""
    families = catalogue.families_for(source, target)
    able = [one for one in families if anyone_can(workers or (), one.kind, source, target)]
    kind = (able or families)[0].kind
    described = {
        "from": source,
        "to": target,
        "kind": kind,
        "default": catalogue.default_target(source) == target,
        "options": f"#/options/{kind}",
        "available": None if workers is None else bool(able),
    }
    if workers is not None and not able:
        described["reason"] = _reason(kind, source, target, workers)
    return described


def _reason(kind: str, source: str, target: str, workers: Sequence[Live]) -> str:
    if not workers:
        return "No worker is running."
    known = (worker.reason(kind, source, target) for worker in workers)
    return next(filter(None, known), "No running worker offers this kind.")


@cache
def _pairs() -> list[tuple[str, str]]:
    return list(dict.fromkeys(pair for one in catalogue.families() for pair in one.pairs))


@cache
def _formats() -> list[dict[str, Any]]:
    named = {name for pair in _pairs() for name in pair}
    return [
        {
            "name": described.name,
            "title": described.title,
            "media_type": described.media_type,
            "extensions": list(described.extensions),
            "default_target": catalogue.default_target(described.name),
        }
        for described in catalogue.known_formats().values()
        if described.name in named
    ]


@cache
def _options() -> dict[str, Any]:
    return {family.kind: _schema(family) for family in catalogue.families()}


def _schema(family: Family) -> dict[str, Any]:
    return family.options.model_json_schema()
