"""Files come in; how far each one is; and out they go again."""

from collections.abc import Iterable, Mapping
from functools import partial
from uuid import UUID

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from app.api import deletion, owners, reception
from app.api.able import ordered
from app.api.description import FILE, responses
from app.api.documents import document, path_of, patience, tag
from app.api.errors import Problem
from app.api.idempotency import Reservation, reserved
from app.api.negotiation import knows, preferred_wait, wants_page
from app.api.pages import upload_page
from app.api.parts import Parts, look, parts_of, state_of
from app.api.paths import NAME
from app.api.replies import changed, known
from app.api.resumable.access import refuse_gone
from app.api.resumable.creation import create
from app.api.resumable.headers import refuse_other_versions, refuse_partial, speaks_tus
from app.api.resumable.routes import glance, offset
from app.api.resumable.rows import reserved_now
from app.api.shapes import CreatedDocument, UploadDocument
from app.api.wishes import LONGEST_WAIT_SECONDS, Wishes, refuse_early, refuse_impossible, wishes
from app.formats import catalogue
from app.ingest.farewell import farewell
from app.ingest.headers import is_form
from app.ingest.multipart import glimpse_multipart, receive_multipart
from app.ingest.raw import receive_raw
from app.ingest.received import Glimpse, Received
from app.ingest.refusals import StorageAway
from app.intake import Order
from app.states import UploadStatus
from app.status import UploadState

router = APIRouter(tags=["uploads"])


@router.post(
    "/uploads", status_code=202, openapi_extra=FILE, responses=responses(CreatedDocument, 303)
)
@router.post("/uploads/", include_in_schema=False)
async def send(request: Request) -> Response:
    """Send a file, as a multipart form (`file`, `to`, options) or as the body itself.

    `to` may be repeated; without it each format has a default. Everything else in the query or
    in the form is an option of the conversion. With `wait` the answer is a redirect to the result
    if the conversion ends in time, also when it failed: there 409 says why. Otherwise it is 202
    with the document, as without `wait`.

    With `Tus-Resumable: 1.0.0` it only begins an upload, which comes by PATCH; the answer is 201.
    With `Idempotency-Key` it can be sent again: there is one upload.

    `manage` in the answer, also in its header `Upload-Manage`, is a token: whoever sends it as
    `Authorization: Bearer …` may change or delete the upload, as may the browser that sent it.
    """
    if speaks_tus(request.headers):
        return await create(request)
    return await _receive(request, name=request.query_params.get("name", ""))


@router.put(
    f"/uploads/{NAME}",
    status_code=202,
    openapi_extra=FILE,
    responses=responses(CreatedDocument, 303),
)
async def put(request: Request, name: str) -> Response:
    """Send a file as `curl -T photo.heic '…/uploads/?to=jpg'` does."""
    return await _receive(request, name=name, is_put=True)


@router.get("/uploads/{upload_id:uuid}", responses=responses(UploadDocument, 304, 404, 410))
async def read(request: Request, upload_id: UUID) -> Response:
    """Say how far an upload is.

    `If-None-Match` gets 304 while nothing has changed; `Prefer: wait=25` holds the answer until
    something does. A browser that asks for HTML gets the page.
    """
    return await _told(request, known(await state_of(parts_of(request), upload_id)))


@router.head("/uploads/{upload_id:uuid}", include_in_schema=False)
async def head(request: Request, upload_id: UUID) -> Response:
    """Say where an upload stands that comes in parts, or what GET says in its headers.

    Only whoever speaks tus takes it over from those who send: nobody else would go on with it.
    """
    if speaks_tus(request.headers):
        return await offset(request, upload_id)
    state = await state_of(parts_of(request), upload_id)
    if state is not None and state.status is UploadStatus.RECEIVING:
        return await glance(request, upload_id)
    return await _told(request, known(state))


@router.delete("/uploads/{upload_id:uuid}", status_code=204, responses=responses(None, 403, 404))
async def delete(request: Request, upload_id: UUID) -> Response:
    """Cancel what still runs, forget name and hash, remove the files."""
    if speaks_tus(request.headers):
        refuse_other_versions(request)
        await refuse_gone(parts_of(request), upload_id)
    await deletion.delete(parts_of(request), upload_id, asked=request)
    return Response(status_code=204)


@router.post("/uploads/{upload_id:uuid}/delete", include_in_schema=False)
async def delete_by_form(request: Request, upload_id: UUID) -> Response:
    """Delete for people without scripts: a form knows no DELETE, and its page is gone then."""
    await deletion.delete(parts_of(request), upload_id, asked=request)
    return RedirectResponse("/", 303)


@router.api_route(f"/uploads/{NAME}", methods=["GET", "HEAD", "DELETE"], include_in_schema=False)
async def unknown(name: str) -> Response:
    """Say that there is no such upload, where PUT alone would leave it at a wrong method."""
    raise Problem("upload_unknown", f"There is no upload {name[:60]!r}.")


async def _told(request: Request, state: UploadState) -> Response:
    parts = parts_of(request)
    seconds = preferred_wait(request, most=LONGEST_WAIT_SECONDS)
    applied = {} if seconds is None else {"Preference-Applied": f"wait={seconds}"}
    if seconds and _nothing_new(request, state):
        seen = tag(document(state))
        news = await parts.watch.until(
            lambda now: tag(document(now)) != seen, since=state, seconds=seconds, request=request
        )
        state = known(news or state)
    return await _status(request, state, applied)


async def _receive(request: Request, *, name: str, is_put: bool = False) -> Response:
    parts = parts_of(request)
    refuse_partial(request)
    wanted = wishes(request.query_params.multi_items())
    refuse_impossible(None, wanted.targets)
    facts = (request.headers.get("content-length"), sorted(request.query_params.multi_items()))
    as_form = is_form(request) and not is_put
    async with reserved(parts, request, *facts) as key:
        if key.upload_id is None:
            wanted, state = await _kept(request, wanted, key, name=None if as_form else name)
        else:
            await _refuse_another_form(request, key, as_form=as_form)
            owners.hand_out(request, key.manage)
            states = await look(parts.database, parts.settings, [key.upload_id])
            state = known(states.get(key.upload_id))
    if wanted.wait_seconds:
        state = await _ended(request, parts, state, wanted.wait_seconds)
        if state.is_settled:
            return farewell(request, RedirectResponse(f"{path_of(state.id)}/result", 303))
    return farewell(request, changed(request, state, status=202, manage=key.manage))


async def _kept(
    request: Request, wanted: Wishes, key: Reservation, *, name: str | None
) -> tuple[Wishes, UploadState]:
    """Take the file from the body, which is a form if there is no name; record it."""
    parts = parts_of(request)
    parts.dock.room.set_aside = await parts.database.run(reserved_now)

    def gate(glimpse: Glimpse) -> None:
        found = catalogue.settled_format(glimpse.format, glimpse.name)
        refuse_early(found, _with_fields(wanted, glimpse.fields).targets)

    try:
        if name is None:
            received = await receive_multipart(request, dock=parts.dock, gate=gate)
        else:
            received = await receive_raw(request, dock=parts.dock, name=name, gate=gate)
    except OSError as error:  # a full disk is a Refusal already; this one is ill, or read-only
        raise StorageAway from error
    wanted, its_orders = await _ordered(parts, received, wanted)
    rights = owners.rights(request, key.manage)
    form = None
    if name is None:
        form = key.imprint(received.name, received.fields, is_late=received.is_late)
    state = await reception.keep(
        parts, received, orders=its_orders, rights=rights, also=partial(key.settle, form=form)
    )
    return wanted, state


async def _refuse_another_form(request: Request, key: Reservation, *, as_form: bool) -> None:
    """Compare the fields with those of the request that made the upload, as far as needed."""
    if key.form is None:  # it was no form, or the release before this one has kept it
        return
    if not as_form:
        raise Problem("key_reused")
    limits = parts_of(request).dock.limits
    said = await glimpse_multipart(request, limits=limits, to_the_end=key.is_late)
    if key.imprint(said.name, said.fields, is_late=key.is_late) != key.form:
        raise Problem("key_reused")


async def _ordered(parts: Parts, received: Received, wanted: Wishes) -> tuple[Wishes, list[Order]]:
    """Settle what is to be done with a file; if it cannot be, nothing of it stays."""
    async with reception.discarded_on_error(parts, received):
        wanted = _with_fields(wanted, received.fields)
        source = catalogue.settled_format(received.format, received.name)
        return wanted, await ordered(parts, source, wanted)


async def _ended(request: Request, parts: Parts, state: UploadState, seconds: float) -> UploadState:
    if state.is_settled:
        return state
    ended = await parts.watch.until(
        lambda now: now.is_settled, since=state, seconds=seconds, request=request
    )
    return ended or state


def _with_fields(wanted: Wishes, fields: Mapping[str, Iterable[str]]) -> Wishes:
    if not fields:
        return wanted
    given = wishes((name, value) for name, values in fields.items() for value in values)
    return Wishes(
        targets=tuple(dict.fromkeys([*wanted.targets, *given.targets])),
        options={**wanted.options, **given.options},
        wait_seconds=max(wanted.wait_seconds, given.wait_seconds),
    )


def _nothing_new(request: Request, state: UploadState) -> bool:
    """Whether to wait: the client knows this state, or says nothing and more is to come."""
    if "if-none-match" in request.headers:
        return knows(request, tag(document(state)))
    return not state.is_settled


async def _status(request: Request, state: UploadState, headers: Mapping[str, str]) -> Response:
    said = document(state)
    if wants_page(request):
        is_theirs = owners.is_theirs(request, state)
        return await upload_page(request, state, said, is_theirs=is_theirs)
    headers = {"ETag": tag(said), "Vary": "Accept, Prefer", **patience(state), **headers}
    # The tag is worth keeping, the answer is not: `no-store` would make browsers drop both.
    headers["Cache-Control"] = "private, no-cache"
    if knows(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return JSONResponse(said, headers=headers)
