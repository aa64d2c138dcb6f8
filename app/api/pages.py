"""The pages that people see: the start, one upload, all of theirs, and what went wrong."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app import timeline
from app.api import assets, sentences
from app.api.database import DatabaseAway, NotOpen
from app.api.owners import visited
from app.api.parts import parts_of
from app.db import Sessions
from app.formats.catalogue import families, format_named, targets_of
from app.formats.family import Format
from app.formats.known import DOCUMENTS, IMAGES, MEDIA, TABLES
from app.status import UploadState

TEMPLATES = Path(__file__).parent.parent / "web" / "templates"
HEADERS = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    # Not no-referrer: browsers then send "Origin: null" with our own forms, like a stranger.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept",
}
GROUPS = {"Pictures": IMAGES, "Films and sound": MEDIA, "Documents": DOCUMENTS, "Tables": TABLES}

# What the scripts copy for each new card and job: the same markup, with nothing in it.
BLANK: dict[str, Any] = {
    "id": "",
    "name": "",
    "size": None,
    "format": None,
    "name_disagrees": None,
    "error": None,
    "jobs": [],
    "links": {"self": ""},
}
BLANK_JOB = {"number": 0, "to": ""}

router = APIRouter(include_in_schema=False)
router.include_router(assets.router)


@router.api_route("/", methods=["GET", "HEAD"])
async def start_page(request: Request) -> Response:
    """Serve the page on which everything begins."""
    settings = parts_of(request).settings
    visited(request)
    return _page(
        request,
        "start.html",
        groups=_groups(),
        sources=_sources(),
        limit=settings.max_upload_bytes,
        most=sentences.at_most(settings.max_upload_bytes),
        keep=sentences.span(settings.keep_seconds),
    )


async def upload_page(
    request: Request, state: UploadState, document: Mapping[str, Any], *, is_theirs: bool
) -> Response:
    """Show the status document of one upload to a browser; without scripts it renews itself."""
    visited(request)
    return _page(
        request,
        "upload.html",
        **_card(document),
        is_theirs=is_theirs,
        unsettled=_is_unsettled(document),
        until=_day(document.get("expires_at")),
        story=await _story(request, state, voice=timeline.PEOPLE if is_theirs else timeline.GUESTS),
    )


def list_page(
    request: Request, documents: Sequence[Mapping[str, Any]], *, older: str | None
) -> Response:
    """Show the uploads of this browser to a browser: without scripts the start page cannot."""
    visited(request)
    cards = [_card(document) for document in documents]
    unsettled = any(_is_unsettled(document) for document in documents)
    return _page(request, "uploads.html", cards=cards, older=older, unsettled=unsettled)


def ops_page(request: Request, said: Mapping[str, Any]) -> Response:
    """Show the operator's document to a browser, which shall keep none of it."""
    answer = _page(request, "ops.html", ops=said)
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def problem_page(request: Request, problem: Mapping[str, Any]) -> Response:
    """Show an RFC 9457 problem to a browser, with its own status."""
    return _page(
        request,
        "problem.html",
        status=problem["status"],
        problem=problem,
        upload_path=_upload_path(request),
    )


def _card(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the card of an upload is drawn from."""
    targets = [] if document["error"] else targets_of(document["format"] or "")
    return {
        "upload": document,
        "told": [sentences.tell(job, document["size"]) for job in document["jobs"]],
        "targets": _described(targets),
    }


def _is_unsettled(document: Mapping[str, Any]) -> bool:
    return document["status"] in {"receiving", "converting"}


async def _story(
    request: Request, state: UploadState, *, voice: timeline.Voice
) -> Sequence[timeline.Chapter]:
    """Return what happened; nothing if the database stops answering: the page goes without."""

    def work(sessions: Sessions) -> Sequence[timeline.Chapter]:
        with sessions.begin() as session:
            return timeline.story(session, state, voice=voice)

    try:
        return await parts_of(request).database.run(work)
    except (DatabaseAway, NotOpen):
        return ()


def _page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    values["is_start"] = request.url.path == "/"
    body = _environment().get_template(template).render(values)
    return HTMLResponse(body, status_code=status, headers=HEADERS)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "static": assets.address,
        "arriving": sentences.arriving,
        "facts": sentences.facts,
        "is_arriving": sentences.is_arriving,
        "problem_of": sentences.problem_of,
        "span": sentences.span,
        "blank": BLANK,
        "blank_job": BLANK_JOB,
        "nothing": sentences.NOTHING,
    }
    return environment


def _groups() -> list[dict[str, Any]]:
    """Return every target once, in the group that people look for it in."""
    names = dict.fromkeys(target for family in families() for _, target in family.pairs)
    groups = {label: [one.name for one in formats] for label, formats in GROUPS.items()}
    grouped = {name for members in groups.values() for name in members}
    groups["Others"] = [name for name in names if name not in grouped]
    return [
        {"label": label, "targets": _described(name for name in members if name in names)}
        for label, members in groups.items()
        if any(name in names for name in members)
    ]


def _described(names: Iterable[str]) -> list[Format]:
    return [described for described in map(format_named, names) if described is not None]


def _sources() -> str:
    """Name the groups that something here can read, rather than sixty formats."""
    sources = {source for family in families() for source in family.sources}
    groups = [
        label.lower()
        for label, formats in GROUPS.items()
        if sources & {one.name for one in formats}
    ]
    return " and ".join(filter(None, [", ".join(groups[:-1]), *groups[-1:]])).capitalize()


def _upload_path(request: Request) -> str | None:
    """Return the page of the upload that a form asked something of, to go back to."""
    _, first, upload_id, *rest = [*request.url.path.split("/"), "", ""]
    return f"/uploads/{upload_id}" if first == "uploads" and any(rest) else None


def _day(moment: str | None) -> str | None:
    if moment is None:
        return None
    day = datetime.fromisoformat(moment)
    return f"{day.day} {day:%B %Y}"
