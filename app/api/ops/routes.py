"""GET /ops: a page for browsers, the same as JSON for programs."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.api.negotiation import wants_page
from app.api.ops.access import admit
from app.api.ops.document import document
from app.api.pages import ops_page
from app.api.parts import parts_of

router = APIRouter(include_in_schema=False)


@router.api_route("/ops", methods=["GET", "HEAD"])
async def ops(request: Request) -> Response:
    """Show who works, what waits, what runs, what failed and how the database fares."""
    parts = parts_of(request)
    answer = admit(request, parts.settings)
    if answer is not None:
        return answer
    said = document(await parts.ops.take())
    if wants_page(request):
        return ops_page(request, said)
    return JSONResponse(said, headers={"Vary": "Accept"})
