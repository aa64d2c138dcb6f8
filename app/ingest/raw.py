"""A request whose body is the file itself becomes a durable file."""

from starlette.requests import Request

from app.ingest.body import pieces
from app.ingest.dock import Dock
from app.ingest.headers import declared_size
from app.ingest.received import Gate, Glimpse, Received, open_gate
from app.ingest.refusals import EmptyFile
from app.ingest.writer import Writer


async def receive_raw(
    request: Request, *, dock: Dock, name: str, gate: Gate = open_gate
) -> Received:
    """Read the body to its end into a synced file; raise a Refusal, or what `gate` raises.

    What the headers say is judged before the first byte is asked for. If this raises or is
    cancelled, nothing is left on the disk.
    """
    declared = declared_size(request, limit=dock.limits.max_bytes)
    if declared == 0:
        raise EmptyFile

    def on_head(found: str | None) -> None:
        gate(Glimpse(name=name, format=found, fields={}))

    async with (
        dock.room.promised(declared) as promise,
        Writer(dock, promise=promise, on_head=on_head) as writer,
    ):
        async for piece in pieces(request, limits=dock.limits):
            writer.add(piece)
            await writer.hand_over_if_full()
        return await writer.finish(name=name, fields={})
