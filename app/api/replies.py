"""How the handlers that read or change one upload answer, and whom they refuse."""

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.api.documents import document, path_of, patience
from app.api.errors import Problem
from app.api.negotiation import wants_page
from app.states import UploadStatus
from app.status import UploadState


def known(state: UploadState | None) -> UploadState:
    """Return the state of an upload that is still there, or raise 404 or 410."""
    if state is None:
        raise Problem("upload_unknown")
    if state.status in {UploadStatus.DELETED, UploadStatus.EXPIRED}:
        raise Problem(state.status.value)
    return state


def changed(
    request: Request, state: UploadState, *, status: int = 200, manage: str | None = None
) -> Response:
    """Answer to a change: the document, or for a form without scripts the way to the page.

    Whoever has just made the upload is told the token to `manage` it with.
    """
    path = path_of(state.id)
    if wants_page(request):
        return RedirectResponse(path, 303)
    headers = {"Location": path, "Vary": "Accept", **patience(state)}
    told = {} if manage is None else {"manage": manage}
    return JSONResponse(document(state) | told, status, headers)
