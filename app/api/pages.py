"""The pages that people see: the start, one upload, all of theirs, and what went wrong."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app import timeline
from app.api import assets, sentences
from app.api.database import DatabaseAway, NotOpen
from app.api.owners import visited
from app.api.parts import parts_of, words_of
from app.db import Sessions
from app.formats.catalogue import families, format_named, targets_of
from app.formats.family import Format
from app.formats.known import DOCUMENTS, IMAGES, MEDIA, TABLES
from app.status import UploadState
from app.words import Words

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
GROUPS = {"pictures": IMAGES, "films": MEDIA, "documents": DOCUMENTS, "tables": TABLES}

# What the scripts copy for each new card and job: the same markup, with nothing in it.
BLANK: dict[str, Any] = {
    "id": "",
    "name": "",
    "size": None,
    "format": None,
    "name_says": None,
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
    words = words_of(request)
    visited(request)
    return _page(
        request,
        "start.html",
        groups=_groups(),
        sources=_sources(words),
        limit=settings.max_upload_bytes,
        most=sentences.at_most(words, settings.max_upload_bytes),
        keep=sentences.span(words, settings.keep_seconds),
    )


async def upload_page(
    request: Request, state: UploadState, document: Mapping[str, Any], *, is_theirs: bool
) -> Response:
    """Show the status document of one upload to a browser; without scripts it renews itself."""
    visited(request)
    words, until = words_of(request), document.get("expires_at")
    voice = timeline.Voice(words, "people" if is_theirs else "guests")
    return _page(
        request,
        "upload.html",
        **_card(words, document),
        is_theirs=is_theirs,
        unsettled=_is_unsettled(document),
        until=until and sentences.day(words, datetime.fromisoformat(until)),
        story=await _story(request, state, voice=voice),
    )


def list_page(
    request: Request, documents: Sequence[Mapping[str, Any]], *, older: str | None
) -> Response:
    """Show the uploads of this browser to a browser: without scripts the start page cannot."""
    visited(request)
    cards = [_card(words_of(request), document) for document in documents]
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
        problem=sentences.refusal(words_of(request), problem),
        upload_path=_upload_path(request),
    )


def _card(words: Words, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the card of an upload is drawn from."""
    targets = [] if document["error"] else targets_of(document["format"] or "")
    return {
        "upload": document,
        "told": [sentences.tell(words, job, document["size"]) for job in document["jobs"]],
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
    body = _environment(words_of(request)).get_template(template).render(values)
    return HTMLResponse(body, status_code=status, headers=HEADERS)


@cache
def _environment(words: Words) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "words": words,
        "say": partial(_say, words),
        "static": partial(assets.address, words=words),
        "arriving": partial(sentences.arriving, words),
        "facts": partial(sentences.facts, words),
        "is_arriving": sentences.is_arriving,
        "problem_of": partial(sentences.problem_of, words),
        "span": partial(sentences.span, words),
        "time": partial(sentences.time, words),
        "together": partial(sentences.together, words),
        "blank": BLANK,
        "blank_job": BLANK_JOB,
        "nothing": sentences.NOTHING,
    }
    return environment


def _say(words: Words, key: str, /, **values: object) -> Markup:
    """Return a sentence for a template: what is put into it may be markup, the rest is not."""
    return Markup(words.say(key, escape, **values))  # noqa: S704  # all of it is escaped


def _groups() -> list[dict[str, Any]]:
    """Return every target once, in the group that people look for it in."""
    names = dict.fromkeys(target for family in families() for _, target in family.pairs)
    groups = {group: [one.name for one in formats] for group, formats in GROUPS.items()}
    grouped = {name for members in groups.values() for name in members}
    groups["others"] = [name for name in names if name not in grouped]
    return [
        {"name": group, "targets": _described(name for name in members if name in names)}
        for group, members in groups.items()
        if any(name in names for name in members)
    ]


def _described(names: Iterable[str]) -> list[Format]:
    return [described for described in map(format_named, names) if described is not None]


def _sources(words: Words) -> str:
    """Name the groups that something here can read, rather than sixty formats."""
    sources = {source for family in families() for source in family.sources}
    groups = [
        words.say(f"sources.{group}")
        for group, formats in GROUPS.items()
        if sources & {one.name for one in formats}
    ]
    said = sentences.together(words, groups, last="list.and")
    return said[:1].upper() + said[1:]


def _upload_path(request: Request) -> str | None:
    """Return the page of the upload that a form asked something of, to go back to."""
    _, first, upload_id, *rest = [*request.url.path.split("/"), "", ""]
    return f"/uploads/{upload_id}" if first == "uploads" and any(rest) else None
