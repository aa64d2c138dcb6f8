"""Every way in which a request ends early, made into one kind of answer."""

from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match

from app.api.database import DatabaseAway, DatabaseFull, DatabaseReadOnly, NotOpen
from app.api.errors import MEDIA_TYPE, Problem
from app.api.negotiation import wants_page
from app.api.pages import problem_page
from app.ingest import refusals
from app.ingest.farewell import farewell
from app.log import get_logger

_OF_KIND: dict[type[Exception], str] = {
    DatabaseAway: "database_away",
    DatabaseFull: "database_full",
    DatabaseReadOnly: "database_read_only",
    NotOpen: "not_open",
    refusals.NoFile: "no_file",
    refusals.StorageAway: "storage_away",
    refusals.EmptyFile: "empty_file",
    refusals.NoRoom: "no_room",
    refusals.BodyTooSlow: "body_too_slow",
    refusals.EncodedBody: "encoded_body",
    refusals.BadLength: "bad_length",
}
_OF_STATUS = {404: "not_found", 405: "method_not_allowed"}
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

log = get_logger()


def install(app: FastAPI) -> None:
    """Answer problems, refusals of bodies and a database that is away; the rest is a bug."""
    for kind in (Problem, refusals.Refusal, DatabaseAway, NotOpen, ClientDisconnect):
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(HTTPException, _answer)
    app.add_exception_handler(RequestValidationError, _answer)


def problem_response(request: Request, problem: Problem) -> Response:
    """Return problem+json, or a page for a browser; an unread body is not waited for."""
    if wants_page(request):
        answer = problem_page(request, problem.document)
    else:
        answer = JSONResponse(problem.document, problem.status, media_type=MEDIA_TYPE)
        answer.headers["Vary"] = "Accept"
    answer.headers.update(problem.headers)
    return farewell(request, answer)


def problem_of(error: Exception) -> Problem:
    """Return what a client is told about an exception."""
    match error:
        case Problem():
            return error
        case HTTPException():
            return Problem(_OF_STATUS.get(error.status_code, "bad_request"), headers=error.headers)
        case RequestValidationError():
            return Problem("bad_request", "; ".join(_said(one) for one in error.errors()))
        case refusals.TooLarge():
            detail = f"The file is larger than {error.limit} bytes, the most that is taken here."
            return Problem("too_large", detail, limit=error.limit)
        case refusals.BadMultipart():
            return Problem("bad_form", f"The form cannot be read: {error.reason}.")
        case _:
            return Problem(_OF_KIND.get(type(error), "internal"))


async def _answer(request: Request, error: Exception) -> Response:
    if isinstance(error, refusals.ClientGone | ClientDisconnect):
        log.info("upload.gone", path=request.scope["route"].path)
        return Response(status_code=400)  # nobody reads it
    problem = problem_of(error)
    if problem.code == "method_not_allowed":
        problem.headers["Allow"] = ", ".join(_allowed(request))
    if problem.status >= 500 and not isinstance(error, DatabaseAway):  # which speaks for itself
        log.warning("request.refused", code=problem.code, reason=repr(error.__cause__ or error))
    return problem_response(request, problem)


def _allowed(request: Request) -> list[str]:
    """Ask every route: the one that raised knows only its own methods, and a path has several."""
    where = {key: request.scope[key] for key in ("type", "path", "root_path")}
    return [
        method
        for method in _METHODS
        if any(
            route.matches({**where, "method": method})[0] is Match.FULL
            for route in request.app.routes
        )
    ]


def _said(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"][1:])
    return f"{where}: {error['msg']}"
