"""A request whose body is a form with one file in it becomes a durable file and its fields."""

from contextlib import aclosing
from dataclasses import replace

from starlette.requests import Request

from app.ingest.body import pieces
from app.ingest.dock import Dock
from app.ingest.form import Form
from app.ingest.headers import boundary, declared_size
from app.ingest.limits import Limits
from app.ingest.received import Gate, Glimpse, Received, open_gate
from app.ingest.refusals import TooLarge
from app.ingest.writer import Writer


async def receive_multipart(request: Request, *, dock: Dock, gate: Gate = open_gate) -> Received:
    """Read the form to its end, its file into a synced file; raise as `receive_raw` does.

    Fields may stand before or after the file; `gate` sees those before it.
    """
    limits = dock.limits
    declared = declared_size(request, limit=limits.max_bytes, overhead=limits.max_form_overhead)

    def on_head(found: str | None) -> None:
        gate(Glimpse(name=form.filename or "", format=found, fields=form.fields))

    async with (
        dock.room.promised(declared) as promise,
        Writer(dock, promise=promise, on_head=on_head) as writer,
    ):
        form = Form(boundary(request), limits=limits, keep=writer.add)
        async for piece in pieces(request, limits=limits):
            form.feed(piece)
            await writer.hand_over_if_full()
        name = form.finish()
        received = await writer.finish(name=name, fields=form.fields)
        return replace(received, is_late=form.is_late)


async def glimpse_multipart(request: Request, *, limits: Limits, to_the_end: bool) -> Glimpse:
    """Read what a form says beside its file, and keep nothing of that.

    Without `to_the_end` no more is read once the file has begun. Raises as `receive_multipart`.
    """
    overhead = limits.max_form_overhead
    declared_size(request, limit=limits.max_bytes, overhead=overhead)
    form, left = Form(boundary(request), limits=limits, keep=_let_go), limits.max_bytes + overhead
    async with aclosing(pieces(request, limits=limits)) as body:
        async for piece in body:
            form.feed(piece)
            left -= len(piece)
            if left < 0:
                raise TooLarge(limits.max_bytes)
            if form.filename is not None and not to_the_end:
                break
        else:
            form.finish()
    return Glimpse(name=form.filename or "", format=None, fields=form.fields)


def _let_go(_: memoryview) -> None:
    pass
